//! Where the columns of `trials.csv` stand: by what a metric is about, then by the lists that name it.

use reprise::KNOWN;
use reprise::spec::Catalogue;

use crate::support::results::committed;

fn names(known: &Catalogue) -> Vec<&'static str> {
    known.metrics.iter().map(|metric| metric.name).collect()
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn columns_of_committed_results_stand_where_they_stood() {
    let known = names(&KNOWN.catalogue);
    let files = committed("trials.csv");
    assert!(files.len() > 20, "{}", files.len());
    for file in files {
        let mut reader = csv::Reader::from_path(&file).unwrap();
        let header = reader.headers().unwrap();
        let places: Vec<usize> = header
            .iter()
            .filter_map(|column| known.iter().position(|name| *name == column))
            .collect();
        assert!(places.is_sorted(), "{}: {header:?}", file.display());
    }
}

/// The bytes of a trial do not depend on which methods of papers are there.
#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn baselines_have_the_same_order_without_the_papers() {
    let baselines =
        Catalogue::new(reprise::method::METHODS.to_vec(), reprise::task::TASKS.to_vec());
    let alone = names(&baselines);
    let mut among = names(&KNOWN.catalogue);
    among.retain(|name| alone.contains(name));
    assert_eq!(among, alone);
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn names_say_what_reads_a_clock() {
    for metric in KNOWN.catalogue.metrics.iter() {
        assert_eq!(metric.is_time(), metric.name.starts_with("time:"), "{}", metric.name);
    }
}
