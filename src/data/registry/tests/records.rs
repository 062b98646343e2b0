//! Sets of attributes and numbers.

use super::*;

pub(super) const RECORDS: &str = r#"schema = 1
[dataset.votes]
title = "Votes"
kind = "categorical"
shape = { variables = 3, rows = 8, classes = 2 }
citation = "nobody"
licence = "CC0"
files = [{ role = "all", format = "attribute-csv", class = "first", skipped = 1, sources = [{ path = "v" }] }]

[dataset.flowers]
title = "Flowers"
kind = "numeric"
binning = "equal-width"
shape = { variables = 4, rows = 9, classes = 3 }
citation = "nobody"
licence = "CC0"
files = [{ role = "all", format = "attribute-csv", class = "last", sources = [{ path = "f" }] }]

[dataset.few]
title = "Few"
citation = "nobody"
licence = "CC0"
from = "flowers"
rows = [0, 5]

[dataset.two]
title = "Two"
citation = "nobody"
licence = "CC0"
from = "flowers"
classes = { one = ["a"], others = ["b", "c"] }
"#;

#[test]
fn sets_of_attributes_and_numbers_are_read() {
    let registry = Registry::parse(RECORDS, "datasets.toml", Path::new("")).unwrap();
    let votes = registry.get("votes").unwrap();
    let columns = Columns { skipped: 1, class: ClassColumn::First };
    assert_eq!(
        (votes.kind, votes.preprocessing.missing, votes.shape.classes()),
        (Kind::Categorical, Missing::Category, Some(2))
    );
    assert_eq!(votes.files()[0].format, Format::AttributeCsv(columns));
    let names: Vec<&str> = votes.parameters().iter().map(|(known, _)| known.name).collect();
    assert_eq!(names, ["missing"]);
    let few = registry.get("few").unwrap();
    let binned = |binning| Preprocessing { binning, ..Preprocessing::NONE };
    assert_eq!(few.kind, Kind::Numeric);
    assert_eq!(few.preprocessing, binned(Some(Binning::EqualWidth)));
    let two = registry.get("two").unwrap();
    let Origin::Derived(Derivation { classes: Some(classes), .. }) = &two.origin else { panic!() };
    assert_eq!((two.shape.classes(), &*classes[1].name), (Some(2), "others"));
    assert_eq!(classes[1].of_base, ["b", "c"]);
    let word = |word: &str| Value::Text(word.to_owned());
    for (rule, binning) in Binning::ALL.iter() {
        let found = few.with("binning", &word(rule)).unwrap().preprocessing;
        assert_eq!(found, binned(binning), "{rule}");
    }
    assert_eq!(few.with("binning", &word("quantiles")), None);
    let standardised = few.with("standardised", &Value::Bool(true)).unwrap();
    let names: Vec<(&str, Value)> =
        standardised.parameters().into_iter().map(|(p, value)| (p.name, value)).collect();
    let expected = [
        ("binning", word("equal-width")),
        ("standardised", Value::Bool(true)),
        ("missing", word("error")),
    ];
    assert_eq!(names, expected);
    assert_eq!(few.with("standardised", &word("true")), None);
}

#[test]
fn mistakes_of_sets_of_attributes_and_numbers_are_named() {
    let mut missed = Vec::new();
    for (good, bad, line, why) in [
        (
            "\"categorical\"",
            "\"binary\"",
            8,
            "this format is of datasets of kind `categorical` or `numeric`",
        ),
        (", classes = 2", "", 5, "`shape` lacks `classes`"),
        (", class = \"first\"", "", 8, "an item of `files` lacks `class`"),
        (
            "\"first\"",
            "\"second\"",
            8,
            "`class` can't be \"second\": expected one of \"first\", \"last\"",
        ),
        (", skipped = 1", ", skipped = -1", 8, "`skipped` can't be -1"),
        ("\"equal-width\"", "\"equal\"", 13, "`binning` can't be \"equal\""),
        ("binning = \"equal-width\"", "threshold = 3", 13, "`threshold` is a key of kind `image`"),
        ("from = \"flowers\"", "from = \"flowers\"\nbinning = \"none\"", 24, "`binning` follows"),
        ("\"b\", \"c\"", "\"b\"", 31, "the classes of the base are not joined so: they name 2 of"),
        ("\"b\", \"c\"", "\"b\", \"a\"", 31, "the classes of the base are not joined so: a class"),
        ("\"a\"], o", "\"a\", \"c\", \"d\"], o", 31, "the classes of the base are not joined so: "),
        (
            "one = [\"a\"], others",
            "others",
            31,
            "the classes of the base are not joined so: expected",
        ),
        ("one = [\"a\"]", "\"o/e\" = [\"a\"]", 31, "`o/e` is no class name"),
        ("one = [\"a\"]", "one = 3", 31, "`one` can't be 3"),
        (
            "kind = \"categorical\"",
            "kind = \"categorical\"\nstandardised = true",
            5,
            "`standardised` is a key",
        ),
        ("binning = \"equal-width\"", "standardised = 1", 13, "`standardised` can't be 1"),
    ] {
        assert!(RECORDS.contains(good), "{good}");
        let found = mistakes(&RECORDS.replacen(good, bad, 1));
        if !found.iter().any(|(at, what, _)| *at == line && what.starts_with(why)) {
            missed.push((line, why, found));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
