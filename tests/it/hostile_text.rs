//! Texts of others: what can't be seen is refused, and what can arrives in every output as it is, where it
//! neither formats a page, nor runs in a browser, in TeX or in a spreadsheet, nor moves a terminal's cursor.

use std::path::Path;

use reprise::harness::run::Options;

use crate::support::audit::all;
use crate::support::experiment::{Bench, choices};
use crate::support::results::rows;
use crate::support::terminal::{assert_error, assert_says, shown, text};

/// Everything that means something to Markdown, HTML, LaTeX or a spreadsheet.
const EVIL: &str =
    "=cmd|' /C calc'!A0 `tick` <script>alert(1)</script> \\input{/etc/passwd} & 5% _a_ *b*";

/// An experiment with [`EVIL`] in every text; `TITLE` stands for a text that tests replace.
fn spec() -> String {
    r#"
schema = 1
[experiment]
id = "evil"
title = "TITLE"
seed = 1
[task]
kind = "density"
datasets = ["generated-tree"]
split = "published"
metrics = ["test_ll", "train_ll"]
[[method]]
id = "CL"
label = "EVIL"
kind = "chow-liu"
[[method]]
id = "I"
label = "-1+2"
kind = "independent"
[[choice]]
id = "smooth"
question = "EVIL"
target = ["method:CL"]
parameter = "smoothing"
options = [0.1, 1.0]
chosen = 0.1
why = "EVIL"
[[table]]
id = "t"
title = "EVIL"
rows = "dataset"
columns = "method"
metric = "test_ll"
digits = 2
[[figure]]
id = "f"
kind = "dot"
title = "EVIL"
x = "dataset"
y = "test_ll"
series = "method"
[[claim]]
id = "c"
text = """EVIL
	second line"""
source = "@SUM(1) EVIL"
check = { wins = { left = "CL", right = "I", metric = "test_ll", at_least = "all" } }
"#
    .replace("EVIL", &toml())
}

/// [`EVIL`] as TOML writes it.
fn toml() -> String {
    EVIL.replace('\\', "\\\\")
}

/// The experiment with a title, written as TOML writes it.
fn titled(title: &str) -> Bench {
    Bench::new(&spec().replace("TITLE", title))
}

#[test]
fn what_can_not_be_seen_is_refused_with_line_and_character() {
    for (title, character) in [
        (r"a\u001b[2Jb", "U+001B"),
        (r"a\u0007", "U+0007"),
        (r"a\u009b31m", "U+009B"),
        (r"a\nok, 0 differences", "U+000A"),
        ("a\u{202e}b", "U+202E"),
        ("a\u{2066}b", "U+2066"),
        ("a\u{200f}b", "U+200F"),
        ("a\u{2028}b", "U+2028"),
    ] {
        let bench = titled(title);
        let error = bench.refused("r", &Options::default());
        let message = format!("`title` can't hold the character {character}");
        assert_error(&error, &[&message, ".toml:5:9", "line breaks"]);
        assert!(!shown(&error).contains(reprise::base::printable::is_hidden));
    }
    for id in ["=cmd", "+1", "-1", "@x"] {
        let bench = Bench::new(&spec().replace("id = \"I\"", &format!("id = \"{id}\"")));
        let error = bench.refused("r", &Options::default());
        assert_error(&error, &["expected an id", "beginning with a letter or digit"]);
    }
}

/// A file of the results, whose characters can all be seen.
fn seen(results: &Path, file: &str) -> String {
    let text = std::fs::read_to_string(results.join(file)).unwrap();
    assert!(!text.contains(reprise::base::printable::is_hidden), "{file}");
    text
}

#[test]
fn what_can_be_seen_arrives_as_it_is() {
    let bench = titled(&toml());
    let dir = bench.run_with("r", &choices());

    let page = seen(&dir, "report.md");
    let markdown = "=cmd\\|' /C calc'!A0 \\`tick\\` \\<script\\>alert(1)\\</script\\> \
                    \\\\input{/etc/passwd} \\& 5% \\_a\\_ \\*b\\*";
    assert!(page.starts_with(&format!("# {markdown}\n")), "{page}");
    assert!(page.contains(&format!("| {markdown} \tsecond line | @SUM(1) {markdown} |")), "{page}");
    assert!(!page.replace(markdown, "").contains("<script"), "{page}");

    let latex = seen(&dir, "tables/t.tex");
    let caption = "=cmd\\textbar{}' /C calc'!A0 `tick` \\textless{}script\\textgreater{}alert(1)\
                   \\textless{}/script\\textgreater{} \\textbackslash{}input\\{/etc/passwd\\} \\& 5\\% \
                   \\_a\\_ {*}b{*}";
    assert!(latex.contains(&format!("\\caption{{{caption}}}")), "{latex}");
    assert!(!latex.contains("\\input"), "{latex}");

    let figure = seen(&dir, "figures/f.svg");
    assert!(figure.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{figure}");
    assert!(!figure.contains("<script"), "{figure}");

    let html = seen(&dir, "report.html");
    let escaped = "=cmd|' /C calc'!A0 `tick` &lt;script&gt;alert(1)&lt;/script&gt; \\input{/etc/passwd} &amp; 5% \
                   _a_ *b*";
    assert!(html.contains(&format!("<title>{escaped}</title>")), "{html}");
    assert_eq!(html.matches("<script").count(), 2, "the trials and the page's own script");
    let outside = html.replace("&lt;script&gt;alert(1)&lt;/script&gt;", "");
    assert!(!outside.contains("alert(1)"), "{outside}");

    for (file, column, cells) in [
        ("tables/t.csv", "column_label", vec![format!("'{EVIL}"), "'-1+2".to_owned()]),
        ("claims.csv", "text", vec![format!("'{EVIL}\n\tsecond line")]),
        ("claims.csv", "source", vec![format!("'@SUM(1) {EVIL}")]),
    ] {
        let rows = rows(&dir.join(file));
        let found: Vec<&String> = rows.iter().map(|row| &row[column]).collect();
        assert!(found.into_iter().eq(&cells), "{file}: {rows:?}");
    }
    // Numbers below zero are numbers.
    assert!(seen(&dir, "tables/t.csv").contains(",test_ll,-"));

    let found = bench.audit(&dir, &all());
    assert!(found.differences.is_empty() && found.executed > 0, "{found:?}");
}

#[test]
fn messages_of_trials_and_names_of_files_reach_no_terminal_raw() {
    let bench = titled("x");
    let dir = bench.run("r");
    std::fs::write(dir.join("a\u{1b}[2J\u{202e}b"), "").unwrap();
    let audit = bench.reprise().arg("audit").arg(&dir).output().unwrap();
    assert_says(&audit, 1, &["a\\u{1b}[2J\\u{202e}b"]);
    assert!(!text(&audit).contains(reprise::base::printable::is_hidden));
    let named = bench.folder().join("no\u{1b}[31m.toml");
    let plan = bench.reprise().arg("plan").arg(&named).output().unwrap();
    assert_says(&plan, 2, &["no\\u{1b}[31m.toml"]);
    assert!(!text(&plan).contains(reprise::base::printable::is_hidden));
    let data =
        bench.reprise().args(["data", "verify", "--mirror", "a\u{1b}[31m"]).output().unwrap();
    assert_says(&data, 2, &["a\\u{1b}[31m"]);
    assert!(!text(&data).contains(reprise::base::printable::is_hidden));
}
