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
use contract::parameter::{Choice, Count, Parameters, Real, settings};
use contract::{Context, FitError, Result, words};
use math::random::Random;
use method::shared::derived_key::train_fields;
use method::shared::l1_logistic::{Regression, Solution};
use serde::{Deserialize, Serialize};

/// Raised by every change that can change a structure; it enters the key of the kept one.
const REVISION: u64 = 3;

/// The largest L1 penalty with anything to select is rounding if it is below this, and nothing is selected.
const INDEPENDENT: f64 = 1e-12;

/// Variables whose paths are shared between the cores that are idle when the first of them begins.
const BLOCK: usize = 32;

words! {
    /// Which support of its path the regression of a variable selects.
    pub enum DegreeBound {
        Within = "within", "the last support of the path with at most d variables";
        Beyond = "beyond", "the first with more than d, if there is one";
    }
}

words! {
    /// Which pairs of variables are edges.
    pub enum EdgeRule {
        Either = "either", "two variables interact if either's regression selects the other";
        Both = "both", "two variables interact if each one's regression selects the other";
        All = "all", "every two variables interact, whatever the degree; nothing is learned";
    }
}

words! {
    /// Whether each variable's regression has its own L1 penalty.
    pub enum Whose {
        Own = "own", "the regression of each variable has its own, the last of its path within the bound";
        Shared = "shared", "the regressions of all variables have the same, the last within the bounds of all";
    }
}

words! {
    /// Which of the variables that are equal on all training examples a regression selects.
    pub enum EqualVariables {
        First = "first", "the first of them, as if the others were not there";
        Drawn = "drawn", "one of them, drawn for each regression";
        All = "all", "all of them, as by a solver that starts from zero and treats them alike (OWL-QN)";
    }
}

settings! {
    /// How a structure is learned.
    #[derive(PartialEq)]
    pub struct Settings {
        DEGREE degree: Count::within(1..=65_535, 5), "d: the most neighbours that the regression of a variable may select";
        DEGREE_BOUND degree_bound: Choice<DegreeBound>::worded("within"),
            "which support of its path the regression of a variable selects";
        EDGES edge_rule: Choice<EdgeRule>::worded("either"), "which pairs of variables are edges";
        EQUAL_VARIABLES equal_variables: Choice<EqualVariables>::worded("first"),
            "which of the variables that are equal on all training examples a regression selects; by the penalty all of these are optimal"
            .later();
        L1_PENALTY l1_penalty: Choice<Whose>::worded("own"), "whether each variable's regression has its own L1 penalty";
        L1_TOLERANCE l1_tolerance: Real::within(0.0..=1.0, 0.0),
            "a regression ends where no optimality condition is violated by more than this part of its L1 penalty, whatever it \
             selects then; with 0 once it is certain what the exact solution selects".later();
        PATH_RATIO path_ratio: Real::between(0.0, 1.0, 0.93),
            "each L1 penalty of the structure's path as a part of the one before";
        PATH_END path_end: Real::between(0.0, 1.0, 1e-3),
            "where the structure's path ends in any case, as a part of the L1 penalty at which it begins";
    }
}

/// What the regression of a variable selects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
        let settings = Settings::read(parameters);
        let degree = settings.degree;
        if settings.edge_rule == EdgeRule::All {
            let pairs = (0..n as u32).flat_map(|a| (a + 1..n as u32).map(move |b| [a, b]));
            return Ok(Self { network: Network::new(n, pairs), residual: 0.0 });
        }
        if degree >= n {
            return Err(FitError::NotApplicable(format!(
                "a degree of {degree} bounds nothing among {n} variables"
            )));
        }
        let key = train_fields(FieldHasher::new("l1-structure").number(REVISION), train)
            .number(degree as u64)
            .number(settings.path_ratio.to_bits())
            .number(settings.path_end.to_bits())
            .number(u64::from(settings.l1_penalty == Whose::Shared))
            .number(u64::from(settings.degree_bound == DegreeBound::Beyond));
        let key = match settings.equal_variables {
            EqualVariables::First => key,
            EqualVariables::Drawn => key.field("drawn").field(context.split_seed.0),
            EqualVariables::All => key.field("all"),
        };
        let key = match settings.l1_tolerance {
            0.0 => key.finish(),
            tolerance => key.field("tolerance").number(tolerance.to_bits()).finish(),
        };
        let make = || select(train, &settings, context);
        let selected = context.derive(key, make, |selected: &Vec<_>| selected.len() == n)?;
        Ok(Self {
            network: network(&selected, settings.edge_rule == EdgeRule::Both),
            residual: selected.iter().map(|of| of.residual).fold(0.0, f64::max),
        })
    }
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
    settings: &Settings,
    context: &Context,
) -> Result<Vec<Selected>> {
    let n = train.variables();
    let columns = train.rows.by_column();
    let equal = Equal::new(settings.equal_variables, &columns, n, context);
    let dependent = |target: usize| {
        let regression = Regression::new(train, &columns, target)?.ending_at(settings.l1_tolerance);
        // Nothing depends on any other variable: what slopes there are, is rounding.
        (regression.largest_lambda >= INDEPENDENT).then_some(regression)
    };
    let top = |of: &Option<Regression<'_>>| of.as_ref().map_or(0.0, |of| of.largest_lambda);
    let shared = settings.l1_penalty == Whose::Shared;
    let tops = || context.each(n, 1, |target| Ok(top(&dependent(target))));
    let tops = shared.then(tops).transpose()?;
    let shared_top = tops.map(|tops| tops.into_iter().fold(0.0, f64::max));
    // What is selected at each penalty within the bound, at most so many.
    let walk = |target: usize, most: usize| -> Result<Vec<Selected>> {
        let mut regression = dependent(target);
        let top = shared_top.unwrap_or_else(|| top(&regression));
        let mut within = Vec::new();
        let mut lambda = top * settings.path_ratio;
        while lambda > 0.0 && lambda >= settings.path_end * top && within.len() < most {
            context.check()?;
            let selected = match &mut regression {
                Some(regression) if lambda < regression.largest_lambda => {
                    equal.in_place_of(Selected::of(regression.solve(lambda, context)?), target)
                }
                _ => Selected::NOTHING,
            };
            let last = selected.variables.len() > settings.degree;
            if !last || settings.degree_bound == DegreeBound::Beyond {
                within.push(selected);
            }
            if last {
                break;
            }
            lambda *= settings.path_ratio;
        }
        Ok(within)
    };
    let mut walks = Vec::with_capacity(n);
    let mut most = usize::MAX;
    // Cores that others lend meanwhile join at the next block.
    for block in (0..n).step_by(BLOCK) {
        let size = BLOCK.min(n - block);
        for within in context.each(size, 1, |at| walk(block + at, most))? {
            if shared {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apt::tests::drawn;
    use base::digest::Digest;
    use contract::parameter::parameters;
    use testing::{context, rows_of};

    fn bounded(degree: usize) -> Settings {
        Settings { degree, path_ratio: 0.9, ..Settings::read(&Parameters::default()) }
    }

    fn selected() -> Vec<Selected> {
        let of = |variables: &[u32]| Selected { variables: variables.to_vec(), residual: 0.25 };
        vec![of(&[1, 2]), of(&[0]), of(&[]), of(&[0, 1])]
    }

    #[test]
    fn edges_are_selected_by_either_or_by_both() {
        assert_eq!(network(&selected(), true).edges, [[0, 1]]);
        assert_eq!(network(&selected(), false).edges, [[0, 1], [0, 2], [0, 3], [1, 3]]);
    }

    /// If this fails, raise the revision and write the new digest here: kept structures of the old code would
    /// pass for those of the new.
    #[test]
    fn kept_structures_change_only_with_the_revision() {
        let train = drawn("structure", 300, 12, 0.4).distinct();
        let texts = [Whose::Own, Whose::Shared].map(|l1_penalty| {
            let settings = Settings { l1_penalty, ..bounded(3) };
            serde_json::to_string(&select(&train, &settings, &context(Digest::of(b""), 0)).unwrap())
                .unwrap()
        });
        let digest = Digest::of(texts.concat().as_bytes()).to_string();
        assert_eq!((REVISION, &digest[..12]), (3, "d72af47c3feb"));
    }

    #[test]
    fn supports_are_bounded() {
        let train = drawn("structure", 300, 12, 0.4).distinct();
        let context = context(Digest::of(b""), 0);
        for degree in [1, 3, 11] {
            let selected = select(&train, &bounded(degree), &context).unwrap();
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
        let largest = |target| Regression::new(&train, &columns, target).unwrap().largest_lambda;
        let top = (0..12).map(largest).fold(0.0, f64::max);
        let penalties = std::iter::successors(Some(top * 0.9), |last| Some(last * 0.9));
        for degree in [1, 3, 6] {
            let within = |of: &Vec<Vec<u32>>| of.iter().all(|support| support.len() <= degree);
            let expected = penalties.clone().take(65).map(supports).take_while(within).last();
            let selected = select(
                &train,
                &Settings { l1_penalty: Whose::Shared, ..bounded(degree) },
                &context,
            )
            .unwrap();
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
            let settings = Settings { equal_variables: equal, ..bounded(5) };
            select(&train, &settings, &context(Digest::of(seed), 0)).unwrap()
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
        let settings = Settings { equal_variables: EqualVariables::All, ..bounded(2) };
        let bounded = select(&train, &settings, &context(Digest::of(b""), 0)).unwrap();
        assert!(bounded.iter().all(|of| of.variables.len() <= 2), "{bounded:?}");
    }

    #[test]
    fn a_regression_may_end_early() {
        let train = drawn("structure", 300, 12, 0.4).distinct();
        let early = Settings { l1_tolerance: 0.5, ..bounded(3) };
        let context = context(Digest::of(b""), 0);
        let [early, exact] = [early, bounded(3)].map(|of| select(&train, &of, &context).unwrap());
        let largest = |of: &[Selected]| of.iter().map(|of| of.residual).fold(0.0, f64::max);
        assert!(largest(&exact) < 1e-3 && largest(&early) > 1e-3 && largest(&early) <= 0.5);
    }

    #[test]
    fn independent_variables_select_nothing() {
        let context = context(Digest::of(b""), 0);
        for words in [&["00", "01", "10", "11"][..], &["10", "00", "10"], &["11", "01", "11", "01"]]
        {
            let selected = select(&rows_of(words).distinct(), &bounded(1), &context).unwrap();
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
