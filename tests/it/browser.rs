//! The page in a browser: Chromium without a window, spoken to over a pipe. `REPRISE_BROWSER` names the program; without
//! it the test says that it is skipped. `.ci/full` looks for one. Where `REPRISE_AXE` names a copy of axe-core
//! (`axe.min.js`), it looks for what keeps people out.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::paper::small;

/// How long a page may take to be ready.
const PATIENCE: Duration = Duration::from_secs(30);

struct Browser {
    process: Child,
    to: File,
    from: BufReader<File>,
    sent: u64,
    session: Option<String>,
    events: Vec<Value>,
}

impl Browser {
    fn start(program: &str, folder: &Path) -> Self {
        let pipes = [folder.join("to"), folder.join("from")];
        assert!(Command::new("mkfifo").args(&pipes).status().unwrap().success());
        // Chromium reads commands from descriptor 3 and answers on 4.
        let script = "exec \"$0\" --headless=new --no-sandbox --disable-gpu --no-first-run \
                      --remote-debugging-pipe --user-data-dir=\"$1/profile\" about:blank \
                      3<\"$1/to\" 4>\"$1/from\" >/dev/null 2>&1";
        let process = Command::new("sh").args(["-c", script, program]).arg(folder).spawn().unwrap();
        let to = OpenOptions::new().write(true).open(&pipes[0]).unwrap();
        let from = BufReader::new(File::open(&pipes[1]).unwrap());
        let mut browser = Self { process, to, from, sent: 0, session: None, events: Vec::new() };
        let targets = browser.call("Target.getTargets", json!({}));
        let targets = targets["targetInfos"].as_array().unwrap();
        let page = targets.iter().find(|target| target["type"] == "page").unwrap();
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = Some(session["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).unwrap();
            assert_eq!(bytes.pop(), Some(0), "the browser is gone");
            let answer: Value = serde_json::from_slice(&bytes).unwrap();
            if answer["id"] == self.sent {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression, waited for.
    fn value(&mut self, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true.
    fn until(&mut self, expression: &str) {
        let begin = Instant::now();
        while self.value(expression) != true {
            assert!(begin.elapsed() < PATIENCE, "never {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.until("location.href === 'about:blank'");
        self.events.clear();
        self.call("Page.navigate", json!({ "url": address }));
        self.until(
            "document.readyState === 'complete' && document.documentElement?.dataset.ready === ''",
        );
    }

    fn press(&mut self, key: &str) {
        let code = if key == "Enter" { 13 } else { 27 };
        for kind in ["keyDown", "keyUp"] {
            let text = if key == "Enter" && kind == "keyDown" { "\r" } else { "" };
            let event = json!({ "type": kind, "key": key, "code": key, "text": text, "windowsVirtualKeyCode": code });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{block: 'center'}}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// What the page complained of, and what it asked of the network.
    fn complaints(&self) -> Vec<&Value> {
        let bad = |event: &&Value| match event["method"].as_str() {
            Some("Log.entryAdded" | "Runtime.exceptionThrown" | "Runtime.consoleAPICalled") => true,
            Some("Network.requestWillBeSent") => {
                !event["params"]["request"]["url"].as_str().unwrap().starts_with("file:")
            }
            _ => false,
        };
        self.events.iter().filter(bad).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser that is gone already has nothing to be ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const ROWS: &str = "[...document.querySelectorAll('#table-scores tbody tr')].filter(r => !r.hidden)\
                    .map(r => r.cells[0].textContent).join('|')";
const DIALOG: &str = "document.getElementById('cell').open";

#[test]
fn the_page_works_by_mouse_and_by_keyboard_and_asks_for_nothing() {
    let Ok(program) = std::env::var("REPRISE_BROWSER") else {
        eprintln!("skipped: REPRISE_BROWSER names no Chromium");
        return;
    };
    let (bench, dir) = small();
    assert!(bench.reprise().arg("report").output().unwrap().status.success());
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(&program, folder.path());
    let address = format!("file://{}", dir.join("report.html").display());
    browser.open(&address);

    // Sorting: up, down, as it was.
    let before = browser.text(ROWS);
    assert_eq!(before.split('|').count(), 2);
    let turned = before.split('|').rev().collect::<Vec<_>>().join("|");
    let head = "#table-scores thead th:nth-child(2) button";
    let mut orders = Vec::new();
    for _ in 0..3 {
        browser.click(head);
        orders.push(browser.text(ROWS));
    }
    assert_ne!(orders[0], orders[1]);
    assert!(orders[..2].contains(&turned) && orders[2] == before, "{orders:?}");

    // Filtering; the state stands in the address, and another visit finds it.
    browser.value(
        "(() => { const f = document.querySelector('#table-scores input'); f.value = 'BLOCK'; \
         f.dispatchEvent(new Event('input')); })()",
    );
    assert_eq!(browser.text(ROWS).split('|').count(), 1);
    let filtered = browser.text("location.href");
    assert!(filtered.ends_with("#scores.filter=BLOCK"), "{filtered}");
    browser.open(&filtered);
    assert_eq!(browser.text(ROWS).split('|').count(), 1);

    // Toggling, and the way back.
    browser.open(&address);
    let shows = |kind: &str| {
        format!(
            "getComputedStyle(document.querySelector('#table-scores td .{kind}')).display !== 'none'"
        )
    };
    assert_eq!(
        (browser.value(&shows("p")), browser.value(&shows("d"))),
        (json!(true), json!(false))
    );
    browser.click("#table-scores [data-view-of=difference]");
    assert_eq!(
        (browser.value(&shows("p")), browser.value(&shows("d"))),
        (json!(false), json!(true))
    );
    browser.value("history.back()");
    browser.until(&shows("p"));

    // A cell by mouse: its trials, its commands; closed by the key.
    browser.click("#table-scores td[data-cell='0,1'] button");
    browser.until("document.querySelector('dialog pre') !== null");
    let dialog = browser.text("document.querySelector('dialog').textContent");
    for says in ["Its 6 trials", "What selected it", "method=NB", "Half the 95% interval"] {
        assert!(dialog.contains(says), "{says}: {dialog}");
    }
    browser.press("Escape");
    browser.until(&format!("!{DIALOG}"));
    // By keyboard; closed by the way back.
    browser.value("document.querySelector(\"#table-scores td[data-cell='0,0'] button\").focus()");
    browser.press("Enter");
    browser.until(DIALOG);
    browser.until("document.querySelector('dialog').textContent.includes('What choices do to it')");
    assert!(browser.text("location.hash").contains("cell=scores"));
    browser.value("history.back()");
    browser.until(&format!("!{DIALOG}"));

    // Print: no tools, the whole table, nothing folded.
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    assert_eq!(browser.text("getComputedStyle(document.querySelector('.tools')).display"), "none");
    let folded = "[...document.querySelectorAll('details')]\
                  .filter(d => [...d.children].some(e => e.getBoundingClientRect().height === 0)).length";
    assert_eq!(browser.value(folded), json!(0));
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "" }));
    // Rounding and noise have marks of their own, and no border says that a cell agrees.
    let mark = |class: &str| {
        format!("getComputedStyle(document.querySelector('.mark.{class}'), '::before').content")
    };
    assert_ne!(browser.text(&mark("rounding")), browser.text(&mark("noise")));
    let border = "getComputedStyle(document.querySelector('#table-scores td')).borderLeftWidth";
    assert_eq!(browser.text(border), "0px");

    // As wide as it is given, with no way to the side.
    for width in [390, 1000, 1800] {
        let size =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        let over = browser.value("document.documentElement.scrollWidth - innerWidth");
        assert!(over.as_i64().unwrap() <= 0, "{width}: {over}");
        // What is written in figures can be read: its height on the screen over that in the drawing, times its size.
        let least = browser.value(
            "Math.min(...[...document.querySelectorAll('figure svg')].map(svg => \
             svg.getBoundingClientRect().width / svg.viewBox.baseVal.width * \
             Math.min(...[...svg.querySelectorAll('text')].map(t => Number(t.getAttribute('font-size'))))))",
        );
        assert!(least.as_f64().unwrap() >= 9.0 - 1e-6, "{width}: {least}");
    }
    assert_eq!(browser.complaints(), Vec::<&Value>::new());

    let axe = std::env::var("REPRISE_AXE").map(|path| std::fs::read_to_string(path).unwrap());
    if axe.is_err() {
        eprintln!("skipped: REPRISE_AXE names no axe.min.js");
    }
    let index = format!("file://{}", bench.folder().join("results/index.html").display());
    for address in [&address, &index] {
        browser.open(address);
        if let Ok(axe) = &axe {
            browser.value(&format!("{axe}; true"));
            let serious = browser.value(
                "axe.run().then(r => r.violations.filter(v => ['serious', 'critical'].includes(v.impact))\
                 .map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 120)).slice(0, 3).join(' ')))",
            );
            assert_eq!(serious, json!([]), "{address}");
        }
        assert_eq!(browser.complaints(), Vec::<&Value>::new());
    }
}
