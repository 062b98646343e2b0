use super::*;
use crate::baseline::knn::BOUNDARY_TIES;
use base::digest::Digest;
use contract::numeric::NumericRows;
use testing::{context, labelled, packed, rows_of};

fn train() -> Labelled {
    labelled(&rows_of(&["0000", "1111", "0001", "1110", "0011"]), &[1, 0, 2, 0, 1], 3)
}

#[test]
fn the_nearest_vote() {
    let context = context(Digest::of(b"knn"), 0);
    let queries = Examples::Binary(rows_of(&["0000", "1111", "0111"]));
    for train in [train(), packed(&train())] {
        let vote = |k| {
            let knn = Knn::new(&train, k).unwrap();
            (knn.neighbours_vote(&queries, &context).unwrap(), knn)
        };
        // Distances of 0000: 0 4 1 3 2; of 1111: 4 0 3 1 2; of 0111: 3 1 2 2 1.
        assert_eq!(vote(1).0, [(1, false), (0, false), (0, true)]);
        assert_eq!(vote(3).0, [(1, false), (0, false), (0, true)]);
        // One vote each: the lowest class.
        assert_eq!(vote(2).0, [(1, false), (0, false), (0, false)]);
        let predicted = vote(3).1.predict(&queries, &context).unwrap();
        assert_eq!(predicted.classes, [1, 0, 0]);
        assert_eq!(predicted.noticed, [(&BOUNDARY_TIES, Measure::Scalar(1.0 / 3.0))]);
    }
}

#[test]
fn ties_at_the_boundary_go_to_the_first_in_training() {
    let rows = rows_of(&["1000", "0100", "0010", "0001"]);
    let queries = Examples::Binary(rows_of(&["0000"]));
    let context = context(Digest::of(b"knn"), 0);
    let vote = |labels: &[u32]| {
        let knn = Knn::new(&labelled(&rows, labels, 3), 1).unwrap();
        knn.neighbours_vote(&queries, &context).unwrap()
    };
    assert_eq!(vote(&[2, 0, 0, 0]), [(2, true)]);
    assert_eq!(vote(&[1, 2, 2, 2]), [(1, true)]);
}

/// The same rows as numbers.
fn numeric() -> Labelled {
    let values = ["0000", "1111", "0001", "1110", "0011"].concat();
    let values = values.bytes().map(|bit| f64::from(bit - b'0')).collect();
    Labelled { examples: Examples::Numeric(NumericRows::new(4, values)), ..train() }
}

#[test]
fn too_few_examples_are_an_error() {
    for train in [train(), packed(&train()), numeric()] {
        let error = Knn::new(&train, 6).unwrap_err();
        assert_eq!(
            error.to_string(),
            "k = 6 neighbours can't be found among 5 training examples; lower `k`"
        );
    }
}

#[test]
fn a_search_ends_at_the_deadline() {
    let mut context = context(Digest::of(b"knn"), 0);
    context.deadline = Some(std::time::Instant::now());
    for train in [train(), packed(&train()), numeric()] {
        let error = Knn::new(&train, 1).unwrap().predict(&train.examples, &context).unwrap_err();
        assert_eq!(error, FitError::Timeout);
    }
}
