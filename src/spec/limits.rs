//! How large an experiment file may be. Its parts, methods, tests and tables are compared with one another, and under
//! every profile anew, so that a file of a megabyte could take hours to be understood.

use document::{Faults, Table};

/// The most tables of a repeated section, such as `[[method]]`.
const MOST_TABLES: usize = 1_000;

/// The most tables of all repeated sections together, counted once for the file and once for each of its profiles.
const MOST_READ: usize = 20_000;

/// Whether a file is small enough to be understood; if not, what is too much is among `faults`.
pub(crate) fn within(root: &Table, faults: &mut Faults) -> bool {
    let mut tables = 0;
    for section in &root.entries {
        let name = &section.key;
        let count = root.tables(name).count();
        if let Some(beyond) = root.tables(name).nth(MOST_TABLES) {
            let message = format!("the file has {count} `[[{name}]]`");
            faults.at(&beyond.span, message, format!("expected at most {MOST_TABLES}")).help(
                "write several files; a sweep or a grid takes many values in one `[[method]]`",
            );
            return false;
        }
        tables += count;
    }
    let Some(profiles) = root.entry("profile") else { return true };
    let times = 1 + profiles.node.table().map_or(0, |all| all.entries.len());
    if times * tables > MOST_READ {
        let message = format!("the file has {tables} tables, which are read {times} times");
        let label =
            format!("expected at most {MOST_READ} in all: under each profile they are read anew");
        faults.at(&profiles.key_span, message, label).help("remove profiles that nobody runs");
        return false;
    }
    true
}
