//! Programs that behave well and badly, and what becomes of them. Each bad one ends in its named outcome, and none of its
//! processes is left.
//!
//! This binary is the hidden subcommand too, as `reprise` is; so it has a main function of its own.

mod answers;
mod attacks;
mod containment;
mod costs;
mod dialogue;
mod good;
mod kernels;
mod limits;
mod processes;
mod support;

use std::ffi::OsString;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// A test: its name, what it needs, and itself.
struct Test(&'static str, Needs, fn());

#[derive(Clone, Copy, PartialEq)]
enum Needs {
    Nothing,
    Python,
    /// Python, and somebody who asks for it.
    Time,
}

/// Lists functions as tests.
macro_rules! tests {
    ($($module:ident: $needs:ident [$($name:ident),* $(,)?])*) => {
        &[$($(Test(concat!(stringify!($module), "::", stringify!($name)), Needs::$needs, $module::$name),)*)*]
    };
}

const TESTS: &[Test] = tests! {
    costs: Time [trivial_trials, starts]
    good: Nothing [a_shell_script_is_a_method]
    good: Python [
        a_worker_answers_many_trials_of_one_hand_over,
        an_environment_is_built_and_used,
        once_is_a_process_a_trial,
        rows_in_another_order_are_fine,
        arrays_are_answers_too,
        an_error_of_its_own_fails_only_its_trial,
        what_it_prints_is_its_own,
        state_stays_in_its_worker,
        a_worker_of_other_limits_is_not_reused,
    ]
    answers: Python [
        not_a_number,
        too_few_rows,
        foreign_tokens,
        a_token_twice,
        half_written_files,
        nothing_at_all,
        links,
        pipes,
        claims_of_ten_gigabytes,
        pickles,
    ]
    dialogue: Nothing [
        exits_before_it_is_ready,
        another_protocol,
        megabytes_without_a_line_feed,
    ]
    dialogue: Python [
        a_reply_to_another_trial,
        speaks_while_nobody_asks,
        does_not_read,
    ]
    limits: Nothing [never_ready]
    limits: Python [
        never_answers,
        ignores_sigterm,
        ends_when_it_is_asked_to,
        writes_ten_gigabytes,
        writes_a_file_without_a_name,
        very_many_files,
        closes_its_folders,
        allocates_fifty_gigabytes,
        prints_for_ever,
        interrupted,
    ]
    containment: Nothing [the_machine_can_do_something, what_others_can_do_here_is_in_force]
    containment: Python [
        opens_a_socket,
        reads_files_outside,
        writes_outside,
        sees_no_other_process,
        changes_its_examples,
        the_environment_is_fixed,
        bounds_that_lack,
        a_bound_that_fails_is_named,
    ]
    attacks: Python [
        a_socket_with_a_path,
        attributes_of_files,
        a_setuid_binary,
        what_was_open_before,
        paths_that_turn_back,
        what_the_kernel_counts,
        another_number,
        closed_devices,
        calls_that_are_refused,
        another_architecture,
        locks_and_watches,
        shared_files,
        memory_in_its_code,
        a_key_in_the_session,
        memory_in_files,
        very_many_processes,
        numbers_of_processes_come_again,
        places_with_special_names,
        an_interpreter_at_home,
    ]
    kernels: Nothing [weaknesses_are_told_from_comforts]
    kernels: Python [a_piece_that_lacks_costs_only_itself]
    processes: Nothing [signals]
    processes: Python [
        forks_a_daemon,
        dies_half_way,
        dies_while_idle,
        orphans_that_end_are_gone,
        kills_its_supervisor,
        kill_nine,
        workers_of_an_ended_hand_over,
    ]
};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match arguments.first().and_then(|word| word.to_str()) {
        // The folder of the test stands behind the word, so that its processes can be told from others.
        Some("contain") => {
            return reprise_program::contain::main(arguments.get(2..).unwrap_or(&[]));
        }
        // The kernel stands behind the word, and then what is started under it.
        Some("hampered") => {
            kernels::hamper(&arguments[1].to_string_lossy());
            return reprise_program::contain::main(arguments.get(4..).unwrap_or(&[]));
        }
        Some("victim") => return processes::victim(&arguments[1..]),
        _ => {}
    }
    let arguments = Arguments::from_args();
    let python = support::python().is_some();
    if !python {
        eprintln!("there is no python3: the tests that need it are skipped");
    }
    let trial = |&Test(name, needs, run): &Test| {
        let run = move || {
            run();
            Ok(())
        };
        Trial::test(name, run)
            .with_ignored_flag(needs == Needs::Time || needs == Needs::Python && !python)
    };
    libtest_mimic::run(&arguments, TESTS.iter().map(trial).collect()).exit_code()
}
