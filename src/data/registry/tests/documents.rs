//! Sets of texts and images.

use super::*;

const TEXT: &str = r#"schema = 1
[dataset.mails]
title = "Mails"
kind = "text"
vocabulary = "problem"
classes = ["ham", "spam"]
shape = { variables = 9, rows = 8, classes = 2, folds = 3 }
citation = "nobody"
licence = "CC0"
files = [
  { role = "all", format = "text-files", charset = "latin-1", documents = "{class}/{fold}{name}", sources = [
    { url = "https://example.org/x", tree = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", folder = "mails/", encoding = "tar.gz" },
  ] },
]

[dataset.digits]
title = "Digits"
kind = "image"
threshold = 50
shape = { variables = 4, train = 3, test = 2, classes = 2 }
citation = "nobody"
licence = "CC0"
files = [
  { role = "test", format = "idx-labels", sources = [{ path = "tl" }] },
  { role = "train", format = "idx-images", sources = [{ path = "i" }] },
  { role = "train", format = "idx-labels", sources = [{ path = "l" }] },
  { role = "test", format = "idx-images", sources = [{ path = "ti" }] },
]

[dataset.lines]
title = "Lines"
kind = "text"
shape = { variables = 9, train = 3, test = 2, classes = 3 }
citation = "nobody"
licence = "CC0"
files = [{ role = "all", format = "labelled-lines", sources = [{ path = "lines.txt" }] }]

[dataset.some]
title = "Some"
citation = "nobody"
licence = "CC0"
from = "digits"
rows = { train = [1, 3] }
"#;

#[test]
fn text_and_image_sets_are_read() {
    let registry = Registry::parse(TEXT, "datasets.toml", Path::new("")).unwrap();
    let mails = registry.get("mails").unwrap();
    let classes = ["ham", "spam"].map(str::to_owned).to_vec();
    assert_eq!((mails.kind, &mails.classes), (Kind::Text, &classes));
    assert_eq!(mails.preprocessing.vocabulary, Some(Vocabulary::Problem));
    assert_eq!((mails.shape.classes(), mails.shape.folds), (Some(2), Some(3)));
    let Format::TextFiles { content: Content::Text, charset: Charset::Latin1, .. } =
        &mails.files()[0].format
    else {
        panic!("{:?}", mails.files())
    };
    let Place::Remote(remote) = &mails.files()[0].sources[0].place else { panic!("remote") };
    assert_eq!((remote.integrity.folder.as_deref(), remote.integrity.size), (Some("mails"), None));
    let digits = registry.get("digits").unwrap();
    let parts: Vec<_> = digits.files().iter().map(|file| (file.role, &file.format)).collect();
    assert_eq!(parts[0], (Role::Train, &Format::IdxImages));
    assert_eq!(parts[2].0, Role::Test);
    let lines = registry.get("lines").unwrap();
    assert_eq!(lines.preprocessing.vocabulary, Some(Vocabulary::Training));
    assert!(lines.classes.is_empty());
    let some = registry.get("some").unwrap();
    assert_eq!((some.threshold, some.shape.classes()), (digits.threshold, Some(2)));
}

#[test]
fn mistakes_of_text_and_image_sets_are_named() {
    let mut missed = Vec::new();
    for (good, bad, line, why) in [
        (
            "\"problem\"",
            "\"fixed\"",
            5,
            "`vocabulary` can't be \"fixed\": expected one of \"problem\", \"training\"",
        ),
        (
            "threshold = 50",
            "threshold = 256",
            19,
            "`threshold` can't be 256: expected a whole number from 0 to 255",
        ),
        (
            "threshold = 50",
            "vocabulary = \"training\"",
            19,
            "`vocabulary` is a key of kind `text`: leave it out",
        ),
        ("\"ham\", \"spam\"", "\"ham\", \"ham\"", 6, "these are no classes: one stands twice"),
        (
            "\"ham\", \"spam\"",
            "\"ham\", \"s/m\"",
            6,
            "these are no classes: use letters, digits, `-`, `_` and `.`",
        ),
        ("\"ham\", \"spam\"", "\"ham\"", 6, "these are no classes: expected at least two classes"),
        ("\"ham\", \"spam\"", "\"ham\", 1", 6, "`classes` can't be 1: expected text"),
        (
            "\"ham\", \"spam\"",
            "\"ham\", \"spam\", \"eggs\"",
            7,
            "`shape` says 2 classes: `classes` names 3",
        ),
        (", classes = 2, folds", ", folds", 7, "`shape` lacks `classes`"),
        (", folds = 3", "", 7, "`folds` in `shape` and `{fold}` in `documents` need each other"),
        (
            "{fold}{name}",
            "{name}",
            7,
            "`folds` in `shape` and `{fold}` in `documents` need each other",
        ),
        (
            "\"{class}/",
            "\"{clas}/",
            11,
            "`{clas}` is none of {class}, {part}, {fold}, {name}: no pattern of paths",
        ),
        (
            "documents = ",
            "document = ",
            11,
            "an item of `files` has no key `document`: unknown key",
        ),
        (
            "latin-1",
            "latin-2",
            11,
            "`charset` can't be \"latin-2\": expected one of \"utf-8\", \"latin-1\"",
        ),
        (
            "text-files",
            "idx-images",
            11,
            "this format is of datasets of kind `image`: the dataset is of kind `text`",
        ),
        (
            ", encoding = \"tar.gz\"",
            "",
            12,
            "this format reads archives: expected `encoding = \"tar.gz\"`",
        ),
        (", folder = \"mails/\"", "", 12, "an item of `sources` lacks `folder`"),
        (
            "tree = ",
            "bytes = 3, tree = ",
            12,
            "`bytes` is of a file, `tree` of an archive whose bytes may change",
        ),
        (
            "path = \"i\"",
            "path = \"i\", folder = \"x\"",
            25,
            "`folder` needs `tree`: there is no `tree`",
        ),
        (
            "path = \"i\"",
            "path = \"i\", encoding = \"tar.gz\"",
            25,
            "this format reads no archives: expected `plain` or `gzip`",
        ),
        (
            "\"train\", format = \"idx-labels\"",
            "\"test\", format = \"idx-labels\"",
            26,
            "a second file has the role `test`: again",
        ),
        (
            "  { role = \"train\", format = \"idx-labels\", sources = [{ path = \"l\" }] },\n",
            "",
            23,
            "no file has the labels of the role `train`: each role needs images and labels",
        ),
        (
            "test = 2, classes = 3 }",
            "test = 2, classes = 1 }",
            33,
            "`classes` can't be 1: expected a whole number from 2",
        ),
        (
            "from = \"digits\"",
            "from = \"digits\"\nthreshold = 3",
            43,
            "`threshold` follows from the base: leave it out",
        ),
    ] {
        assert!(TEXT.contains(good), "{good}");
        let found = mistakes(&TEXT.replacen(good, bad, 1));
        let hit = found.iter().any(|(at, what, _)| *at == line && what.starts_with(why));
        if !hit {
            missed.push((line, why, found));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    let parted = TEXT.replace("{class}/{fold}{name}", "{part}/{class}/{name}").replace(
        "role = \"all\", format = \"text-files\"",
        "role = \"train\", format = \"text-files\"",
    );
    let why = "this file itself tells which part a document belongs to: its role is `all`";
    assert!(mistakes(&parted).iter().any(|(line, what, _)| *line == 11 && what == why));
    let split = TEXT.replace("rows = 8, classes = 2", "train = 5, test = 3, classes = 2");
    let why = "nothing tells which part of the published split a document belongs to: \
               expected `{part}` here, or a file for each role";
    assert!(mistakes(&split).iter().any(|(line, what, _)| *line == 11 && what == why));
}

#[test]
fn parameters_of_an_entry_can_be_set_within_their_domain() {
    let registry = Registry::parse(TEXT, "datasets.toml", Path::new("")).unwrap();
    let present = |entry: &Entry| -> Vec<(&str, Value)> {
        entry.parameters().into_iter().map(|(parameter, value)| (parameter.name, value)).collect()
    };
    let word = |word: &str| Value::Text(word.to_owned());
    let mails = registry.get("mails").unwrap();
    assert_eq!(present(mails), [("vocabulary", word("problem"))]);
    let training = mails.with("vocabulary", &word("training")).unwrap();
    assert_eq!(present(&training), [("vocabulary", word("training"))]);
    assert_eq!(Entry { preprocessing: mails.preprocessing, ..training }, *mails);
    assert_eq!(mails.with("vocabulary", &word("fixed")), None);
    assert_eq!(mails.with("threshold", &Value::Integer(1)), None);
    let some = registry.get("some").unwrap();
    assert_eq!(present(some), [("threshold", Value::Integer(50))]);
    let other = some.with("threshold", &Value::Integer(255)).unwrap();
    assert_eq!(present(&other), [("threshold", Value::Integer(255))]);
    for bad in [Value::Integer(256), Value::Integer(-1), Value::Real(1.0), word("0")] {
        assert_eq!(some.with("threshold", &bad), None);
    }
    let built_in = Registry::built_in().unwrap();
    assert!(built_in.get("nltcs").unwrap().parameters().is_empty());
    let parity = built_in.get("parity").unwrap();
    let [(name, present)] = &parity.parameters()[..] else { panic!("one parameter") };
    assert_eq!((name.name, parity.with("sampling", present).as_ref()), ("sampling", Some(parity)));
    assert_eq!(parity.with("sampling", &word("none")), None);
}
