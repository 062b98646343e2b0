//! Learned structures: which pairs of variables interact.
//!
//! P. Ravikumar, M. J. Wainwright and J. Lafferty, "High-dimensional Ising model selection using
//! l1-regularized logistic regression", Annals of Statistics 38(3), 2010, with the degree bounded as in the
//! section "Experimental Setup" of the APT paper: each variable is predicted from the others by
//! L1-regularised logistic regression, along a path of falling penalties up to the last one before the
//! variable's own support, or that of any variable, has more than d members, or up to the first one where it has.

use std::collections::HashMap;

use super::network::Network;
use base::digest::FieldHasher;
use contract::binary::{BinaryColumns, DistinctRows};
use contract::parameter::{Choice, Count, Parameters, Real};
use contract::words::Words;
use contract::{Context, FitError, Result};
use math::random::Random;
use method::shared::derived_key::train_fields;
use method::shared::l1_logistic::{Regression, Solution};

/// Raised by every change that can change a structure; it enters the key of the kept one.
const REVISION: u64 = 2;

/// The largest L1 penalty with anything to select is rounding if it is below this, and nothing is selected.
const INDEPENDENT: f64 = 1e-12;

/// Variables whose paths are shared between the cores that are idle when the first of them begins.
const BLOCK: usize = 32;

/// Which pairs of variables are edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeRule {
    /// Those of which either regression selects the other.
    Either,
    /// Those of which both do.
    Both,
    /// Every one.
    All,
}

/// The parameter d.
pub const DEGREE: Count = Count::within(
    "degree",
    1..=65_535,
    5,
    "d: the most neighbours that the regression of a variable may select",
);

/// The parameter that says where a path ends.
pub const DEGREE_BOUND: Choice<bool> = Choice::new(
    "degree_bound",
    &Words(&[
        ("within", false, "the last support of the path with at most d variables"),
        ("beyond", true, "the first with more than d, if there is one"),
    ]),
    "within",
    "which support of its path the regression of a variable selects",
);

/// The parameter that says what an edge is.
pub const EDGES: Choice<EdgeRule> = Choice::new(
    "edge_rule",
    &Words(&[
        (
            "either",
            EdgeRule::Either,
            "two variables interact if either's regression selects the other",
        ),
        (
            "both",
            EdgeRule::Both,
            "two variables interact if each one's regression selects the other",
        ),
        (
            "all",
            EdgeRule::All,
            "every two variables interact, whatever the degree; nothing is learned",
        ),
    ]),
    "either",
    "which pairs of variables are edges",
);

/// The parameter of the path.
pub const PATH_RATIO: Real = Real::between(
    "path_ratio",
    0.0,
    1.0,
    0.93,
    "each L1 penalty of the structure's path as a part of the one before",
);

/// The parameter that ends the path.
pub const PATH_END: Real = Real::between(
    "path_end",
    0.0,
    1.0,
    1e-3,
    "where the structure's path ends in any case, as a part of the L1 penalty at which it begins",
);

/// The parameter that says whose an L1 penalty is.
pub const L1_PENALTY: Choice<bool> = Choice::new(
    "l1_penalty",
    &Words(&[
        (
            "own",
            false,
            "the regression of each variable has its own, the last of its path within the bound",
        ),
        (
            "shared",
            true,
            "the regressions of all variables have the same, the last within the bounds of all",
        ),
    ]),
    "own",
    "whether each variable's regression has its own L1 penalty",
);

/// Which of the variables that are equal on all training examples a regression selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EqualVariables {
    /// The first.
    First,
    /// One, drawn for each regression.
    Drawn,
    /// All.
    All,
}

/// The parameter that says which of equal variables are selected.
pub const EQUAL_VARIABLES: Choice<EqualVariables> = Choice::new(
    "equal_variables",
    &Words(&[
        ("first", EqualVariables::First, "the first of them, as if the others were not there"),
        ("drawn", EqualVariables::Drawn, "one of them, drawn for each regression"),
        (
            "all",
            EqualVariables::All,
            "all of them, as by a solver that starts from zero and treats them alike (OWL-QN)",
        ),
    ]),
    "first",
    "which of the variables that are equal on all training examples a regression selects; by the \
     penalty all of these are optimal",
)
.later();

/// The parameter that ends a regression early.
pub const L1_TOLERANCE: Real = Real::within(
    "l1_tolerance",
    0.0..=1.0,
    0.0,
    "a regression ends where no optimality condition is violated by more than this part of its L1 \
     penalty, whatever it selects then; with 0 once it is certain what the exact solution selects",
)
.later();

/// What the regression of a variable selects.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// The variables, ascending.
    pub variables: Vec<u32>,
    /// Violation of the optimality conditions in units of the penalty.
    pub residual: f64,
}

/// A network with what is known of its learning.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// The network.
    pub network: Network,
    /// The largest violation of the regressions' optimality conditions in units of the penalty.
    pub residual: f64,
}

impl Structure {
    /// The structure of some training rows, kept as a derived artefact.
    ///
    /// # Errors
    /// If the degree is not below the number of variables; if a regression fails; if the deadline passes or
    /// the user interrupts.
    pub fn learn(parameters: &Parameters, train: &DistinctRows, context: &Context) -> Result<Self> {
        let n = train.variables();
        let rule = parameters.get(&EDGES);
        if rule == EdgeRule::All {
            let pairs = (0..n as u32).flat_map(|a| (a + 1..n as u32).map(move |b| [a, b]));
            return Ok(Self { network: Network::new(n, pairs), residual: 0.0 });
        }
        let degree = parameters.get(&DEGREE);
        let penalties = Penalties {
            ratio: parameters.get(&PATH_RATIO),
            end: parameters.get(&PATH_END),
            shared: parameters.get(&L1_PENALTY),
            beyond: parameters.get(&DEGREE_BOUND),
            equal: parameters.get(&EQUAL_VARIABLES),
            tolerance: parameters.get(&L1_TOLERANCE),
        };
        if degree >= n {
            return Err(FitError::NotApplicable(format!(
                "a degree of {degree} bounds nothing among {n} variables"
            )));
        }
        let key = train_fields(FieldHasher::new("l1-structure").number(REVISION), train)
            .number(degree as u64)
            .number(penalties.ratio.to_bits())
            .number(penalties.end.to_bits())
            .number(u64::from(penalties.shared))
            .number(u64::from(penalties.beyond));
        let key = match penalties.equal {
            EqualVariables::First => key,
            EqualVariables::Drawn => key.field("drawn").field(context.split_seed.0),
            EqualVariables::All => key.field("all"),
        };
        let key = match penalties.tolerance {
            0.0 => key.finish(),
            tolerance => key.field("tolerance").number(tolerance.to_bits()).finish(),
        };
        let make = || select(train, degree, penalties, context);
        let selected = context.derive(key, make, |selected| to_text(selected), from_text)?;
        Ok(Self {
            network: network(&selected, rule == EdgeRule::Both),
            residual: selected.iter().map(|of| of.residual).fold(0.0, f64::max),
        })
    }
}

/// The L1 penalties that are tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penalties {
    /// Each one as a part of the one before.
    pub ratio: f64,
    /// The last one as a part of the one at which nothing is selected yet.
    pub end: f64,
    /// Whether all variables have the same.
    pub shared: bool,
    /// Whether the last one is the first whose support has more than d variables.
    pub beyond: bool,
    /// What is selected of equal variables.
    pub equal: EqualVariables,
    /// The violation of the optimality conditions at which a regression ends, in units of the penalty; 0 where it
    /// ends with a certain support.
    pub tolerance: f64,
}

/// The classes of variables that are equal on all examples.
struct Equal<'a> {
    chosen: EqualVariables,
    members: HashMap<&'a [u32], Vec<u32>>,
    columns: &'a BinaryColumns,
    context: &'a Context,
}

impl<'a> Equal<'a> {
    fn new(
        chosen: EqualVariables,
        columns: &'a BinaryColumns,
        n: usize,
        context: &'a Context,
    ) -> Self {
        let mut members: HashMap<_, Vec<u32>> = HashMap::new();
        if chosen != EqualVariables::First {
            for variable in 0..n {
                members.entry(columns.of(variable)).or_default().push(variable as u32);
            }
        }
        Self { chosen, members, columns, context }
    }

    /// Of each class the regression of `target` selects its first variable other than the target: what stands for it.
    fn in_place_of(&self, mut selected: Selected, target: usize) -> Selected {
        if self.chosen == EqualVariables::First {
            return selected;
        }
        let class = |first: &u32| {
            let members = self.members[self.columns.of(*first as usize)].iter().copied();
            let mut others: Vec<u32> =
                members.filter(|&member| member as usize != target).collect();
            if self.chosen == EqualVariables::Drawn {
                let seed = FieldHasher::new("equal-variables")
                    .field(self.context.split_seed.0)
                    .number(target as u64)
                    .number(u64::from(*first));
                others = vec![others[Random::new(seed.finish()).below(others.len())]];
            }
            others
        };
        selected.variables = selected.variables.iter().flat_map(class).collect();
        selected.variables.sort_unstable();
        selected
    }
}

/// What each variable's regression selects. Time about O(path × n × ones); variables are shared with idle
/// cores.
///
/// # Errors
/// As [`Structure::learn`].
pub fn select(
    train: &DistinctRows,
    degree: usize,
    penalties: Penalties,
    context: &Context,
) -> Result<Vec<Selected>> {
    let n = train.variables();
    let columns = train.rows.by_column();
    let equal = Equal::new(penalties.equal, &columns, n, context);
    let dependent = |target: usize| {
        let regression = Regression::new(train, &columns, target)?.ending_at(penalties.tolerance);
        let largest = regression.largest_lambda();
        // Nothing depends on any other variable: what slopes there are, is rounding.
        (largest >= INDEPENDENT).then_some((regression, largest))
    };
    let shared_top = if penalties.shared {
        let largest = |target| Ok(dependent(target).map_or(0.0, |(_, largest)| largest));
        let largest = context.each(n, 1, largest)?;
        Some(largest.into_iter().fold(0.0, f64::max))
    } else {
        None
    };
    // What is selected at each penalty within the bound, at most so many.
    let walk = |target: usize, most: usize| -> Result<Vec<Selected>> {
        let mut regression = dependent(target);
        let own_top = regression.as_ref().map_or(0.0, |(_, largest)| *largest);
        let top = shared_top.unwrap_or(own_top);
        let mut within = Vec::new();
        let mut lambda = top * penalties.ratio;
        while lambda > 0.0 && lambda >= penalties.end * top && within.len() < most {
            context.check()?;
            let selected = match &mut regression {
                Some((regression, largest)) if lambda < *largest => {
                    equal.in_place_of(Selected::of(regression.solve(lambda, context)?), target)
                }
                _ => Selected::NOTHING,
            };
            let last = selected.variables.len() > degree;
            if !last || penalties.beyond {
                within.push(selected);
            }
            if last {
                break;
            }
            lambda *= penalties.ratio;
        }
        Ok(within)
    };
    let mut walks = Vec::with_capacity(n);
    let mut most = usize::MAX;
    // Cores that others lend meanwhile join at the next block.
    for block in (0..n).step_by(BLOCK) {
        let size = BLOCK.min(n - block);
        for within in context.each(size, 1, |at| walk(block + at, most))? {
            if penalties.shared {
                most = most.min(within.len());
            }
            walks.push(within);
        }
    }
    let last = |within: Vec<Selected>| within.into_iter().take(most).next_back();
    Ok(walks.into_iter().map(|within| last(within).unwrap_or(Selected::NOTHING)).collect())
}

impl Selected {
    const NOTHING: Self = Self { variables: Vec::new(), residual: 0.0 };

    fn of(solution: Solution) -> Self {
        let variables = solution.weights.iter().map(|&(variable, _)| variable).collect();
        Self { variables, residual: solution.residual }
    }
}

fn network(selected: &[Selected], both: bool) -> Network {
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for (target, of) in (0..).zip(selected) {
        for &other in &of.variables {
            let returned = selected[other as usize].variables.binary_search(&target).is_ok();
            // An edge that both select is taken once.
            if if returned { target < other } else { !both } {
                edges.push([target, other]);
            }
        }
    }
    Network::new(selected.len(), edges)
}

/// One line a variable: the residual, then what it selects.
fn to_text(selected: &[Selected]) -> String {
    let line = |of: &Selected| {
        let variables = of.variables.iter().map(|variable| format!(" {variable}"));
        format!("{}{}\n", of.residual, variables.collect::<String>())
    };
    selected.iter().map(line).collect()
}

fn from_text(text: &str) -> Option<Vec<Selected>> {
    let line = |line: &str| {
        let mut words = line.split(' ');
        let residual = words.next()?.parse().ok()?;
        let variables = words.map(|word| word.parse().ok()).collect::<Option<Vec<u32>>>()?;
        Some(Selected { variables, residual })
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apt::tests::drawn;
    use base::digest::Digest;
    use contract::parameter::parameters;
    use contract::testing::{context, rows_of};

    const PENALTIES: Penalties = Penalties {
        ratio: 0.9,
        end: 1e-3,
        shared: false,
        beyond: false,
        equal: EqualVariables::First,
        tolerance: 0.0,
    };

    fn selected() -> Vec<Selected> {
        let of = |variables: &[u32]| Selected { variables: variables.to_vec(), residual: 0.25 };
        vec![of(&[1, 2]), of(&[0]), of(&[]), of(&[0, 1])]
    }

    #[test]
    fn edges_are_selected_by_either_or_by_both() {
        assert_eq!(network(&selected(), true).edges(), [[0, 1]]);
        assert_eq!(network(&selected(), false).edges(), [[0, 1], [0, 2], [0, 3], [1, 3]]);
    }

    #[test]
    fn what_is_kept_is_what_was_made() {
        let text = to_text(&selected());
        assert_eq!(from_text(&text), Some(selected()));
        assert_eq!(from_text("0.25 1 x\n"), None);
    }

    /// If this fails, raise the revision and write the new digest here: kept structures of the old code would
    /// pass for those of the new.
    #[test]
    fn kept_structures_change_only_with_the_revision() {
        let train = drawn("structure", 300, 12, 0.4).distinct();
        let texts = [false, true].map(|shared| {
            let penalties = Penalties { shared, ..PENALTIES };
            to_text(&select(&train, 3, penalties, &context(Digest::of(b""), 0)).unwrap())
        });
        let digest = Digest::of(texts.concat().as_bytes()).to_string();
        assert_eq!((REVISION, &digest[..12]), (2, "c4b85c4cec79"));
    }

    #[test]
    fn supports_are_bounded() {
        let train = drawn("structure", 300, 12, 0.4).distinct();
        let context = context(Digest::of(b""), 0);
        for degree in [1, 3, 11] {
            let selected = select(&train, degree, PENALTIES, &context).unwrap();
            assert!(selected.iter().all(|of| of.variables.len() <= degree));
            assert!(selected.iter().any(|of| of.variables.len() == degree), "{degree}");
            assert!(selected.iter().all(|of| of.residual < 1e-3));
        }
    }

    /// Each penalty by itself, from nothing known.
    #[test]
    fn a_shared_penalty_is_the_last_within_every_bound() {
        let train = drawn("structure", 300, 12, 0.4).distinct();
        let context = context(Digest::of(b""), 0);
        let columns = train.rows.by_column();
        let supports = |lambda: f64| -> Vec<Vec<u32>> {
            let support = |target| {
                let mut regression = Regression::new(&train, &columns, target).unwrap();
                Selected::of(regression.solve(lambda, &context).unwrap()).variables
            };
            (0..12).map(support).collect()
        };
        let largest = |target| Regression::new(&train, &columns, target).unwrap().largest_lambda();
        let top = (0..12).map(largest).fold(0.0, f64::max);
        let penalties =
            std::iter::successors(Some(top * PENALTIES.ratio), |last| Some(last * PENALTIES.ratio));
        for degree in [1, 3, 6] {
            let within = |of: &Vec<Vec<u32>>| of.iter().all(|support| support.len() <= degree);
            let expected = penalties.clone().take(65).map(supports).take_while(within).last();
            let selected =
                select(&train, degree, Penalties { shared: true, ..PENALTIES }, &context).unwrap();
            let found: Vec<_> = selected.into_iter().map(|of| of.variables).collect();
            assert_eq!(found, expected.unwrap_or(vec![Vec::new(); 12]), "{degree}");
        }
    }

    /// Variables 3 and 4 are copies of 2, and 5 is one of the first.
    fn with_copies() -> DistinctRows {
        let words =
            ["111110", "010001", "101110", "000000", "111111", "010001", "100000", "011110"];
        let copies = |word: &str| {
            let bit: Vec<char> = word.chars().collect();
            [0, 1, 2, 2, 2, 0].map(|variable| bit[variable]).into_iter().collect::<String>()
        };
        let words: Vec<String> = words.iter().cycle().take(24).map(|word| copies(word)).collect();
        rows_of(&words.iter().map(String::as_str).collect::<Vec<_>>()).distinct()
    }

    /// What the regression on the first ones selects says what all may select: the penalty is the same.
    #[test]
    fn equal_variables_stand_for_each_other() {
        let train = with_copies();
        let of = |equal, seed: &[u8]| {
            let penalties = Penalties { equal, ..PENALTIES };
            select(&train, 5, penalties, &context(Digest::of(seed), 0)).unwrap()
        };
        let class = |variable: &u32| [0, 1, 2, 2, 2, 0][*variable as usize];
        let first = of(EqualVariables::First, b"");
        assert!(first[1].variables.contains(&2), "{first:?}");
        let mut met = std::collections::BTreeSet::new();
        for seed in 0_u8..20 {
            let drawn = of(EqualVariables::Drawn, &[seed]);
            assert_eq!(drawn, of(EqualVariables::Drawn, &[seed]));
            for (target, (drawn, first)) in drawn.iter().zip(&first).enumerate() {
                assert!(!drawn.variables.contains(&(target as u32)));
                let classes = |of: &Selected| {
                    let mut classes: Vec<u32> = of.variables.iter().map(class).collect();
                    classes.sort_unstable();
                    classes
                };
                assert_eq!(classes(drawn), classes(first), "{target}");
            }
            met.extend(drawn[1].variables.clone());
        }
        assert!([2, 3, 4].iter().all(|copy| met.contains(copy)), "{met:?}");
        let all = of(EqualVariables::All, b"");
        for copy in [2, 3, 4] {
            assert!(all[1].variables.contains(&copy), "{all:?}");
        }
        assert_eq!(all[5].variables.first(), Some(&0), "the target's own copy: {all:?}");
        let bounded = Penalties { equal: EqualVariables::All, ..PENALTIES };
        let bounded = select(&train, 2, bounded, &context(Digest::of(b""), 0)).unwrap();
        assert!(bounded.iter().all(|of| of.variables.len() <= 2), "{bounded:?}");
    }

    #[test]
    fn a_regression_may_end_early() {
        let train = drawn("structure", 300, 12, 0.4).distinct();
        let early = Penalties { tolerance: 0.5, ..PENALTIES };
        let context = context(Digest::of(b""), 0);
        let [early, exact] = [early, PENALTIES].map(|of| select(&train, 3, of, &context).unwrap());
        let largest = |of: &[Selected]| of.iter().map(|of| of.residual).fold(0.0, f64::max);
        assert!(largest(&exact) < 1e-3 && largest(&early) > 1e-3 && largest(&early) <= 0.5);
    }

    #[test]
    fn independent_variables_select_nothing() {
        let context = context(Digest::of(b""), 0);
        for words in [&["00", "01", "10", "11"][..], &["10", "00", "10"], &["11", "01", "11", "01"]]
        {
            let selected = select(&rows_of(words).distinct(), 1, PENALTIES, &context).unwrap();
            assert!(selected.iter().all(|of| of.variables.is_empty()), "{words:?}: {selected:?}");
        }
    }

    #[test]
    fn a_degree_that_bounds_nothing_is_not_applicable() {
        let mut parameters =
            Parameters::defaults(parameters![DEGREE, EDGES, L1_PENALTY, PATH_RATIO, PATH_END]);
        parameters.set("degree", contract::parameter::Value::Integer(12));
        let train = drawn("structure", 20, 12, 0.4).distinct();
        let error =
            Structure::learn(&parameters, &train, &context(Digest::of(b""), 0)).unwrap_err();
        assert_eq!(
            error,
            FitError::NotApplicable("a degree of 12 bounds nothing among 12 variables".to_owned())
        );
    }
}
