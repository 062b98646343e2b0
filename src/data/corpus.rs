//! Text to a binary bag of words: a variable for each distinct token, one where a document has it.
//!
//! Tokens are those of scikit-learn's `CountVectorizer` at its defaults: the text in lower case, then
//! every longest run of two or more letters, digits and underscores, in the sense of Unicode (pattern
//! `(?u)\b\w\w+\b`).

use std::collections::HashMap;

use unicode_general_category::{GeneralCategory as Category, get_general_category};

use super::Labels;
use super::format::Document;
use super::vocabulary::Role;
use contract::binary::BinaryRows;

/// Documents by their tokens. Memory is 4 bytes for each distinct token of a document, and the
/// vocabulary.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The classes that are kept, in this order; all that occur, sorted, if empty.
    wanted: Vec<String>,
    classes: Vec<String>,
    /// The places of `classes`.
    class_of: HashMap<String, u32>,
    vocabulary: HashMap<Box<str>, u32>,
    /// Of each token, one more than the last document that has it.
    last_document: Vec<u32>,
    /// Tokens of the documents, each once, one document after another.
    tokens: Vec<u32>,
    documents: Vec<Record>,
    lower: String,
}

#[derive(Debug)]
struct Record {
    part: Option<Role>,
    class: u32,
    fold: Option<u32>,
    name: Box<str>,
    /// Where its tokens end.
    end: usize,
}

/// A corpus as rows.
#[derive(Debug, PartialEq, Eq)]
pub struct Bag {
    /// The tokens, sorted by code points: the names of the variables.
    pub vocabulary: Vec<Box<str>>,
    /// A row for each document: training, validation and test documents, each sorted by name; documents
    /// without a name in the order in which they came.
    pub rows: BinaryRows,
    /// The classes of the rows.
    pub labels: Labels,
    /// The folds of the rows, where every document has one.
    pub folds: Option<Vec<u32>>,
    /// Number of training, validation and test documents; none where the files do not tell the parts.
    pub parts: Option<[usize; 3]>,
}

impl Corpus {
    /// No documents. Those of other classes than `classes` will be left out; if it is empty, none.
    pub fn new(classes: &[String]) -> Self {
        let class_of = classes.iter().cloned().zip(0..).collect();
        Self { wanted: classes.to_vec(), classes: classes.to_vec(), class_of, ..Self::default() }
    }

    /// Adds a document. Time O(characters).
    pub fn push(&mut self, document: &Document<'_>) {
        let class = match self.class_of.get(document.class) {
            Some(&class) => class,
            None if self.wanted.is_empty() => {
                let class = self.classes.len() as u32;
                self.classes.push(document.class.to_owned());
                self.class_of.insert(document.class.to_owned(), class);
                class
            }
            None => return,
        };
        lower_case(&document.text, &mut self.lower);
        let number = self.documents.len() as u32 + 1;
        for token in tokens(&self.lower) {
            let index = match self.vocabulary.get(token) {
                Some(&index) => index,
                None => {
                    let index = self.last_document.len() as u32;
                    self.vocabulary.insert(token.into(), index);
                    self.last_document.push(0);
                    index
                }
            };
            let last = &mut self.last_document[index as usize];
            if *last != number {
                *last = number;
                self.tokens.push(index);
            }
        }
        self.documents.push(Record {
            part: document.part,
            class,
            fold: document.fold,
            name: document.name.into(),
            end: self.tokens.len(),
        });
    }

    /// Number of documents so far.
    pub fn documents(&self) -> usize {
        self.documents.len()
    }

    /// Number of distinct tokens so far.
    pub fn tokens(&self) -> usize {
        self.vocabulary.len()
    }

    /// The rows. Time O(tokens log tokens).
    pub fn finish(self) -> Bag {
        let Self { wanted, classes, vocabulary, last_document, tokens, documents, .. } = self;
        drop(last_document);
        let mut vocabulary: Vec<(Box<str>, u32)> = vocabulary.into_iter().collect();
        vocabulary.sort_unstable();
        let variable_of = inverse(vocabulary.iter().map(|&(_, index)| index as usize));
        let mut order: Vec<usize> = (0..documents.len()).collect();
        order.sort_by_key(|&index| (documents[index].part, &documents[index].name));
        let mut class_order: Vec<usize> = (0..classes.len()).collect();
        if wanted.is_empty() {
            class_order.sort_by_key(|&class| &classes[class]);
        }
        let label_of = inverse(class_order.iter().copied());

        let mut rows = BinaryRows::new(vocabulary.len());
        let mut ones = Vec::new();
        for &index in &order {
            let start = if index == 0 { 0 } else { documents[index - 1].end };
            ones.clear();
            let tokens = &tokens[start..documents[index].end];
            ones.extend(tokens.iter().map(|&token| variable_of[token as usize]));
            ones.sort_unstable();
            rows.push(&ones);
        }
        let in_order = || order.iter().map(|&index| &documents[index]);
        let size = |part| documents.iter().filter(|record| record.part == Some(part)).count();
        let parted = documents.iter().any(|record| record.part.is_some());
        Bag {
            vocabulary: vocabulary.into_iter().map(|(token, _)| token).collect(),
            labels: Labels {
                classes: class_order.iter().map(|&class| classes[class].clone()).collect(),
                of_example: in_order().map(|record| label_of[record.class as usize]).collect(),
            },
            folds: in_order().map(|record| record.fold).collect(),
            parts: parted.then(|| [Role::Train, Role::Valid, Role::Test].map(size)),
            rows,
        }
    }
}

/// The positions of a permutation's values.
fn inverse(permutation: impl ExactSizeIterator<Item = usize>) -> Vec<u32> {
    let mut inverse = vec![0; permutation.len()];
    for (position, value) in (0..).zip(permutation) {
        inverse[value] = position;
    }
    inverse
}

/// Overwrites `lower` with the text in lower case.
fn lower_case(text: &str, lower: &mut String) {
    if text.is_ascii() {
        lower.clear();
        lower.push_str(text);
        lower.make_ascii_lowercase();
    } else {
        *lower = text.to_lowercase();
    }
}

/// The tokens of a text in lower case, in their order.
fn tokens(lower: &str) -> impl Iterator<Item = &str> {
    let long = |run: &&str| run.chars().nth(1).is_some();
    lower.split(|c| !is_word_character(c)).filter(long)
}

/// Python's `\w`: letters (category L), numbers (category N) and the underscore.
fn is_word_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(
        get_general_category(c),
        Category::UppercaseLetter
            | Category::LowercaseLetter
            | Category::TitlecaseLetter
            | Category::ModifierLetter
            | Category::OtherLetter
            | Category::DecimalNumber
            | Category::LetterNumber
            | Category::OtherNumber
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn bag(documents: &[(&str, &str)]) -> Bag {
        let mut corpus = Corpus::new(&[]);
        for (class, text) in documents {
            let text = Cow::Borrowed(*text);
            corpus.push(&Document { part: None, class, fold: None, name: "", text });
        }
        corpus.finish()
    }

    #[test]
    fn tokens_are_those_of_scikit_learn() {
        // Golden values: scikit-learn 1.9.1 on Python 3.11.7, CountVectorizer().build_analyzer().
        for (text, expected) in GOLDEN {
            let mut lower = "left over".to_owned();
            lower_case(text, &mut lower);
            assert_eq!(tokens(&lower).collect::<Vec<_>>(), *expected, "{text:?}");
        }
    }

    const GOLDEN: &[(&str, &[&str])] = &[
        ("Don't panic: it's 42!", &["don", "panic", "it", "42"]),
        ("a I x y2 _ __ a_b _1", &["y2", "__", "a_b", "_1"]),
        ("semi-colon;tab\tnew\nline\u{a0}nbsp", &["semi", "colon", "tab", "new", "line", "nbsp"]),
        (
            "caf\u{e9} CAF\u{c9} na\u{ef}ve \u{dc}BER stra\u{df}e",
            &["caf\u{e9}", "caf\u{e9}", "na\u{ef}ve", "\u{fc}ber", "stra\u{df}e"],
        ),
        (
            "1\u{bd} cups of x\u{b2} \u{b5}m \u{aa}\u{ba} \u{d7} \u{f7}",
            &["1\u{bd}", "cups", "of", "x\u{b2}", "\u{b5}m", "\u{aa}\u{ba}"],
        ),
        ("\u{130}stanbul I\u{307}stanbul", &["stanbul", "stanbul"]),
        (
            "\u{39f}\u{394}\u{39f}\u{3a3} \u{3a3}\u{391}\u{3a3}",
            &["\u{3bf}\u{3b4}\u{3bf}\u{3c2}", "\u{3c3}\u{3b1}\u{3c2}"],
        ),
        ("e\u{301}te\u{301} combining na\u{308}ch", &["te", "combining", "na", "ch"]),
        (
            "\u{65e5}\u{672c}\u{8a9e}\u{3067}\u{3059} \u{4e00}",
            &["\u{65e5}\u{672c}\u{8a9e}\u{3067}\u{3059}"],
        ),
        (
            "\u{2167}\u{2168} \u{24d0}\u{24d1} \u{2460}\u{2461}",
            &["\u{2177}\u{2178}", "\u{2460}\u{2461}"],
        ),
        ("foo\u{200d}bar soft\u{ad}hyphen", &["foo", "bar", "soft", "hyphen"]),
        ("\u{1d400}\u{1d401} \u{1f600}\u{1f600}", &["\u{1d400}\u{1d401}"]),
        ("\u{930}\u{93e}\u{92e} ", &[]),
        ("aa\u{203f}bb cc\u{fe4f}dd", &["aa", "bb", "cc", "dd"]),
        ("\u{e01}\u{e34}\u{e19} 12\u{663}\u{664}", &["12\u{663}\u{664}"]),
        ("x\u{0}yy\u{1f}zz\u{7f}ww", &["yy", "zz", "ww"]),
        ("\u{1e9e}A \u{fb01}n \u{1c5}a", &["\u{df}a", "\u{fb01}n", "\u{1c6}a"]),
    ];

    #[test]
    fn documents_become_rows_over_the_sorted_vocabulary() {
        let found = bag(&[("b", "zeta alpha Alpha"), ("a", ""), ("b", "beta zeta x")]);
        assert_eq!(found.vocabulary, ["alpha", "beta", "zeta"].map(Box::from));
        let mut rows = BinaryRows::new(3);
        [&[0, 2][..], &[], &[1, 2]].into_iter().for_each(|ones| rows.push(ones));
        assert_eq!(found.rows, rows);
        let classes = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(found.labels, Labels { classes, of_example: vec![1, 0, 1] });
        assert_eq!((found.folds, found.parts), (None, None));
    }

    #[test]
    fn parts_come_in_order_and_their_documents_by_name() {
        let mut corpus = Corpus::new(&["x".to_owned(), "w".to_owned()]);
        for (part, class, fold, name) in [
            (Role::Test, "w", 1, "b"),
            (Role::Train, "x", 0, "d"),
            (Role::Train, "left-out", 0, "a"),
            (Role::Train, "w", 2, "c"),
        ] {
            let text = Cow::Owned(format!("the {class} {name}{name}"));
            corpus.push(&Document { part: Some(part), class, fold: Some(fold), name, text });
        }
        let found = corpus.finish();
        assert_eq!(found.vocabulary, ["bb", "cc", "dd", "the"].map(Box::from));
        assert_eq!(
            found.rows.iter().map(<[u32]>::to_vec).collect::<Vec<_>>(),
            [[1, 3], [2, 3], [0, 3]]
        );
        let classes = vec!["x".to_owned(), "w".to_owned()];
        assert_eq!(found.labels, Labels { classes, of_example: vec![1, 0, 1] });
        assert_eq!(found.folds, Some(vec![2, 0, 1]));
        assert_eq!(found.parts, Some([2, 0, 1]));
    }
}
