//! What is larger than this program reads.

use super::{GOOD, mistakes};

/// What is larger than this program reads is refused before anything is allocated for it.
#[test]
fn sizes_are_within_limits() {
    let images = GOOD
        .replace("kind = \"binary\"", "kind = \"image\"")
        .replace("test = 2 }", "test = 2, classes = 257 }");
    assert!(mistakes(&images).contains(&(
        5,
        "`classes` can't be 257: expected a whole number from 2 to 256".to_owned(),
        None
    )));
    for (good, bad, line, why) in [
        (
            "variables = 3",
            "variables = 3_000_000_000",
            5,
            "`variables` can't be 3000000000: expected a whole number from 1 to 10000000",
        ),
        (
            "train = 4",
            "train = 100_000_001",
            5,
            "`train` can't be 100000001: expected a whole number from 0 to 100000000",
        ),
        (
            "variables = 3, train = 4",
            "variables = 10_000_000, train = 100_000_000",
            5,
            "the dataset is larger than this program reads: expected at most 1073741824 examples times \
             variables",
        ),
        (
            "bytes = 7",
            "bytes = 9_000_000_000_000_000_000",
            10,
            "`bytes` can't be 9000000000000000000: expected a whole number from 0 to 8589934592",
        ),
    ] {
        assert!(GOOD.contains(good), "{good}");
        let found = mistakes(&GOOD.replacen(good, bad, 1));
        assert!(found.contains(&(line, why.to_owned(), None)), "{why} not in {found:#?}");
    }
}

/// What is hostile is refused, and at once: every two items of a list are compared.
#[test]
fn lists_have_a_most() {
    let start = std::time::Instant::now();
    let many = "{},".repeat(200_000);
    let text = GOOD.replacen("files = [", &format!("files = [{many}"), 1);
    let found = mistakes(&text);
    let why = "`files` has 200002 items: expected at most 10000".to_owned();
    assert_eq!(found, [(8, why, None)]);
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
}
