//! Programs that do not keep to the dialogue.

use std::time::{Duration, Instant};

use reprise_program::Ending;

use crate::support::{LABELS, Options, has_at_home, in_python, in_shell, labels, wait_until};

pub fn exits_before_it_is_ready() {
    let bench = in_shell(
        "echo started >> $HOME/../../../started; echo no module named forest; exit 3",
        Options { containment: reprise_program::Containment::NONE, ..Options::default() },
    );
    let failure = bench.ask(1).unwrap_err();
    assert_eq!(failure.ending, Ending::Exit(3));
    let message = "`bad`: it ended before it was ready, with exit code 3; it printed last: no module named forest \
                   (3 starts in a row failed)";
    assert_eq!((&*failure.message, &*failure.log), (message, "no module named forest\n"));
    // The method has failed: the next trial does not start it again.
    assert_eq!(bench.ask(2), Err(failure));
    let started = bench.folder.path().join("workers/started");
    assert_eq!(std::fs::read_to_string(started).unwrap(), "started\n".repeat(3));
    bench.gone();
}

pub fn another_protocol() {
    let (outcome, message) =
        in_shell("echo '{\"ready\": 2}' >&3; read x", Options::default()).fails();
    assert_eq!(outcome, "bad-answer");
    assert!(
        message.contains("another version of the dialogue; {\"ready\": 1} was expected"),
        "{message}"
    );
}

pub fn megabytes_without_a_line_feed() {
    let script = "tr '\\0' x < /dev/zero >&3";
    let (outcome, message) = in_shell(script, Options::default()).fails();
    assert_eq!(outcome, "bad-answer");
    assert!(message.contains("more than 1048576 bytes without a line feed"), "{message}");
}

pub fn a_reply_to_another_trial() {
    let script = "for request in requests():\n    answer(request)\n    say({'trial': '0' * 64, 'done': True})";
    let (outcome, message) = in_python(script, Options::default()).fails();
    assert_eq!(outcome, "bad-answer");
    assert!(message.contains("is to no request of now; {\"trial\":"), "{message}");
}

/// What it says between trials would be taken for the answer to the next.
pub fn speaks_while_nobody_asks() {
    let script = r#"
for request in requests():
    answer(request)
    done(request)
    done(request)
    open(os.environ["HOME"] + "/said", "w").close()
"#;
    let bench = in_python(script, Options::default());
    for number in [1, 2] {
        assert_eq!(labels(&bench.ask(number).unwrap()), LABELS);
        wait_until("the second word", || has_at_home(bench.folder.path(), "said"));
    }
    bench.gone();
}

pub fn does_not_read() {
    let bench = in_python("say({'ready': 1})\ntime.sleep(60)", Options::default());
    let mut request = crate::support::request(1, Duration::from_millis(500));
    // More than a pipe holds.
    request.parameters.insert("text".to_owned(), "x".repeat(500_000).into());
    let begun = Instant::now();
    let asked = bench.workers.ask(&bench.prepared, &bench.hand_over, &request);
    assert_eq!(asked.unwrap_err().ending, Ending::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(10));
    bench.gone();
}
