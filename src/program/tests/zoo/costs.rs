//! What a trivial trial costs, and the start of a process. `cargo test --release -p reprise-program --test zoo -- --ignored
//! --nocapture costs`

use std::time::Instant;

use reprise_program::{Bound, Containment, Mode};

use crate::kernels::hampered;
use crate::support::{Options, containment, in_python, in_shell};

/// Seconds and milliseconds a trial, of so many trials.
fn taken(trials: u64, mode: Mode, containment: Containment) {
    let script = "for request in requests():\n    answer(request)\n    done(request)";
    let bench = in_python(script, Options { mode, containment, ..Options::default() });
    bench.ask(0).unwrap();
    let begun = Instant::now();
    (1..=trials).for_each(|number| drop(bench.ask(number).unwrap()));
    let seconds = begun.elapsed().as_secs_f64();
    let each = 1e3 * seconds / trials as f64;
    let bounds = if containment == Containment::NONE { "without bounds" } else { "contained" };
    println!(
        "{trials} trials, mode {}, {bounds}: {seconds:.2} s, {each:.3} ms a trial",
        mode.word()
    );
    bench.gone();
}

pub fn trivial_trials() {
    for containment in [containment(), Containment::NONE] {
        taken(1_000, Mode::Worker, containment);
        taken(100, Mode::Once, containment);
    }
}

/// From the request to the answer, with the start and the end of a shell that starts nothing itself.
pub fn starts() {
    let script = r#"
echo '{"ready": 1}' >&3
read -r request
trial=${request#*'"trial":'}; trial=${trial#*'"'}
echo "{\"trial\": \"${trial%%'"'*}\", \"error\": \"none\"}" >&3
"#;
    let all = containment();
    let kinds = [
        ("all", all, None),
        ("no Landlock", all.without(Bound::Landlock), None),
        ("no filter", all.without(Bound::Filter), None),
        ("no own /proc", all.without(Bound::Proc), None),
        ("bind mounts for overlays", all.without(Bound::Overlay), None),
        ("no network namespace", all.without(Bound::Network), None),
        ("no own root", all.without(Bound::Root), None),
        ("a kernel that refuses mount", of("mount"), Some("mount")),
        ("a kernel that refuses unshare", of("unshare"), Some("unshare")),
        ("none", Containment::NONE, None),
    ];
    let benches = kinds.map(|(_, containment, kernel)| {
        in_shell(script, Options { mode: Mode::Once, containment, kernel, ..Options::default() })
    });
    let mut times = kinds.map(|_| Vec::new());
    // One after another, so that what else the machine does meets all of them.
    for number in 0..200 {
        for (bench, times) in benches.iter().zip(&mut times) {
            let begun = Instant::now();
            let failure = bench.ask(number).unwrap_err();
            times.push(1e3 * begun.elapsed().as_secs_f64());
            assert!(failure.message.ends_with("it says: none"), "{failure}");
        }
    }
    for ((kind, ..), times) in kinds.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let [least, low, middle, high] = [0, 50, 100, 150].map(|at| times[at]);
        println!(
            "{kind}: median {middle:.2} ms, quartiles {low:.2} and {high:.2}, least {least:.2}"
        );
    }
    benches.into_iter().for_each(crate::support::Bench::gone);
}

fn of(kernel: &str) -> Containment {
    Containment::of_this_machine(&hampered(kernel)).unwrap()
}
