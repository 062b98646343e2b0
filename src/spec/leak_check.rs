//! What is checked for leaks: what the file says of it, and in which parts.

use ::task::chance::Chance;
use contract::PartId;
use document::{Level, MANY, Spanned, Text, Whole, section};

use super::scope::Named;

section! {
    in Named;
    /// A column that is suspicious, and why it may stay.
    pub struct Accepted {
        column: Spanned<Text> => "its name in the data, or without names its number from 1";
        why: Text => "why it is known when a prediction is made";
    }
}

section! {
    in Named;
    pub struct LeakKeys: "leak" => "How `reprise leak` checks the experiment. Its results go to `<id>@leak`." {
        permutations: Whole<99, MANY> = 99 => "how often labels are dealt anew to the examples";
        accept: Option<Vec<Accepted>>, else "none"
            => "columns that `reprise leak` calls suspicious, and why they may stay";
        alpha: Level = 0.001
            => "level of the tests: how often chance may make a leak of nothing, in all data sets and methods together, for labels and for copies each";
    }
}

/// What is checked for leaks, and how.
#[derive(Debug, Clone)]
pub struct LeakCheck {
    /// What the file says of it.
    pub keys: LeakKeys,
    /// The parts of the user's experiment that are checked.
    pub parts: Vec<CheckedPart>,
    /// Those that can't be, with the reason.
    pub unchecked: Vec<(String, String)>,
}

/// A part of the user's experiment, and those that check it.
#[derive(Debug, Clone)]
pub struct CheckedPart {
    /// What people read for it; empty where there is one part without a name.
    pub label: String,
    /// The part as the user has it.
    pub given: PartId,
    /// The one with permuted labels; or why there is none.
    pub permuted: Result<PartId, &'static str>,
    /// The one with drawn labels, where there are permuted ones.
    pub drawn: Option<PartId>,
    /// By what its methods are judged.
    pub chance: Chance,
    /// Whether copies across its divisions can be more than chance gives: others than chance divided.
    pub divided: bool,
}
