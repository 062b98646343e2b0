//! What a trivial trial costs. `cargo test --release -p reprise-program --test zoo -- --ignored --nocapture costs`

use std::time::Instant;

use reprise_program::{Containment, Mode};

use crate::support::{Options, containment, in_python};

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
