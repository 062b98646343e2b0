//! `[universes]`: options of choices that run together, one of each choice.

use std::cell::Cell;

use base::digest::{Digest, FieldHasher};
use base::words;
use contract::{Assignment, DatasetId, MethodId, Value};
use document::{Count, Form, Node, ReadTable as _, Span, Spanned, Table, Whole, holds, section};
use itertools::Itertools as _;
use math::random::Random;
use stats::Dependence;

use super::choice::option;
use super::claim::ClaimSpec;
use super::design::Choice;
use super::evidence::{PairBy, Pairs, Says};
use super::over::Over;
use super::scope::Designed;
use super::test::{Asks, TestSpec};

/// How many rows are tried for each row of a cover, of which the one that covers most is taken.
const CANDIDATES: usize = 20;

/// The most repeats among which the least that suffice for a test are looked for.
const MOST_LOOKED_AT: usize = 100;

/// The most combinations of options that are covered.
const MOST_COVERED: usize = 100_000;

/// The most steps in which universes are looked for: options that an exclusion lists and combinations that are not covered
/// yet, each as often as it is looked at. They take a second or two.
const MOST_STEPS: usize = 300_000_000;

holds! {
    /// Options of choices that are not run together.
    Excluded: Table = Form::Lists("choice"), |node: &Node| node.table().cloned();
}

section! {
    in Designed;
    pub(crate) struct UniverseKeys: "universes" => "Options of all choices that run together, one of each: `run --universes` runs them and judges every claim in each. An option applies wherever its target runs." {
        cover: Spanned<Whole<1, 6>> = 2
            => "every combination of options of so many choices is in some universe";
        sample: Spanned<Whole<0, 1_000_000>> = 0
            => "how many universes are drawn beside those, each independently and uniformly from all, by the experiment's seed";
        repeats: Option<Spanned<Count>>, else "the task's, times those of its split" => "how many repeats they run for";
        exclude: Option<Spanned<Vec<Spanned<Excluded>>>>, else "none"
            => "universes that are left out: those that have, of each choice that one of these names, one of the options that it lists";
    }
}

/// What is left out: places of choices, each with places of its options.
type Excluding = Vec<(usize, Vec<usize>)>;

/// Which universes run.
#[derive(Debug, Clone)]
pub struct Universes {
    /// Of how many choices every combination of options is covered.
    pub cover: usize,
    /// How many are drawn at random.
    pub sample: usize,
    /// How many repeats they run for.
    pub repeats: usize,
    /// What is left out.
    exclude: Vec<Excluding>,
    /// Those that cover, the chosen one first.
    covering: Vec<Vec<usize>>,
}

words! {
    /// Why a universe runs.
    pub enum Origin {
        Chosen = "chosen", "it has the options that the results use";
        Covering = "covering", "with the others it has every combination of options of so many choices";
        Random = "random", "it is drawn from all";
        Listed = "all", "all run";
    }
}

/// One option of each choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Universe {
    /// Why it runs.
    pub origin: Origin,
    /// Places of the options, in the order of the choices.
    pub options: Vec<usize>,
}

impl Universe {
    /// Its options that are not the chosen ones, of those choices that count.
    pub fn others<'c>(
        &self,
        choices: &'c [Choice],
        counts: impl Fn(&Choice) -> bool,
    ) -> Vec<(&'c Choice, &'c Value)> {
        let own = choices.iter().zip(&self.options);
        let own = own.map(|(choice, option)| (choice, &choice.options[*option]));
        own.filter(|(choice, option)| **option != choice.chosen && counts(choice)).collect()
    }

    /// With what the trials of a method on a dataset run in it.
    pub fn of(&self, choices: &[Choice], method: &MethodId, dataset: &DatasetId) -> Assignment {
        let own = self.others(choices, |choice| choice.bears_on(method, dataset));
        own.into_iter().map(|(choice, option)| (choice.id.clone(), option.to_string())).collect()
    }
}

/// What the file says of universes.
pub(crate) fn universes(
    root: &Table,
    choices: &[Spanned<Choice>],
    seed: u64,
    scope: &mut Designed<'_>,
) -> Option<Universes> {
    let table = root.table("universes")?;
    let keys = UniverseKeys::read_table(table, scope)?;
    if scope.outline.choice_ids.is_empty() {
        let fault = scope.fault(&table.span, "the file has no choices", "nothing is open");
        fault.help("a universe is one option of each `[[choice]]`");
    }
    if !few_enough(&keys, choices, scope) {
        return None;
    }
    let endless = |span: &Span, scope: &mut Designed<'_>| {
        let message = format!("universes are not found in {MOST_STEPS} steps");
        let fault = scope.fault(span, message, "too much to look through");
        fault.help("give choices fewer options, lower `cover`, or write fewer or simpler tables of `exclude`");
    };
    let repeats = match &keys.repeats {
        Some(named) => scope.at_most_the_task(named, "universes run"),
        None => scope.repeats(),
    };
    let mut space = Space::of(choices.iter().map(|choice| &choice.value), Vec::new(), MOST_STEPS);
    for table in keys.exclude.iter().flat_map(|tables| &tables.value) {
        let Some(excluded) = excluded(&table.value, choices, scope) else { continue };
        space.exclude.push(excluded);
        if !space.whole(&space.chosen) {
            scope.fault(&table.span, "the chosen options are left out", "all of them");
            space.exclude.pop();
            continue;
        }
        let unused = space.unused();
        if space.left.get() == 0 {
            endless(&table.span, scope);
            return None;
        }
        if let Some((choice, option)) = unused {
            let choice = &choices[choice];
            let message = format!("no universe has {} of `{}`", choice.options[option], choice.id);
            let fault = scope.fault(&table.span, message, "what is left has it never");
            fault.help("remove the option, or leave out less");
            space.exclude.pop();
        }
    }
    let (cover, sample) = (keys.cover.value, keys.sample.value);
    let covering = space.covering(cover, &mut stream("covering universes", seed));
    if space.left.get() == 0 {
        endless(&keys.cover.span, scope);
        return None;
    }
    Some(Universes { cover, sample, repeats, exclude: space.exclude, covering })
}

/// Whether so many universes can be covered and drawn in a time that somebody waits.
fn few_enough(keys: &UniverseKeys, choices: &[Spanned<Choice>], scope: &mut Designed<'_>) -> bool {
    let sizes: Vec<usize> = choices.iter().map(|choice| choice.options.len()).collect();
    let covered = combinations(&sizes, keys.cover.value);
    // Each that is drawn is looked at by each choice of each of its targets.
    let drawn = MOST_STEPS / (sizes.len() * sizes.len()).max(1);
    let (span, message, most) = if covered > MOST_COVERED {
        let message = format!("{covered} combinations of options would be covered");
        (&keys.cover.span, message, MOST_COVERED)
    } else if keys.sample.value > drawn {
        let message = format!("so many universes of {} choices take too long to draw", sizes.len());
        (&keys.sample.span, message, drawn)
    } else {
        return true;
    };
    scope.fault(span, message, format!("expected at most {most}"));
    false
}

/// The random numbers for something, by the experiment's seed.
fn stream(purpose: &str, seed: u64) -> Random {
    Random::new(FieldHasher::new(purpose).number(seed).finish())
}

/// The options that a table names; none if it names a choice that a profile leaves out, or what is not there.
fn excluded(
    table: &Table,
    choices: &[Spanned<Choice>],
    scope: &mut Designed<'_>,
) -> Option<Excluding> {
    let mut found = Vec::new();
    for entry in &table.entries {
        let ids = scope.outline.choice_ids.clone();
        scope.refer(&entry.key, &entry.key_span, "choice", &ids)?;
        let at = choices.iter().position(|choice| *choice.id == *entry.key)?;
        let options = entry.node.items().iter().map(|node| option(&choices[at], node, scope));
        found.push((at, options.collect::<Option<Vec<_>>>()?));
    }
    Some(found)
}

/// Too few repeats for a test by which a claim is judged are none of its verdicts: it could show nothing over them.
pub(crate) fn enough(
    root: &Table,
    universes: &Universes,
    (claims, tests): (&[ClaimSpec], &[TestSpec]),
    scope: &mut Designed<'_>,
) {
    let shows = |test: &TestSpec, repeats| {
        let level = test.kind.asks().level;
        strongest(test, repeats).is_none_or(|p| p <= 1.0 - level)
    };
    let of_claims = |test: &&TestSpec| {
        claims.iter().any(|claim| claim.check.about().test == Some(test.id.as_str()))
    };
    let over_repeats = tests.iter().filter(|test| test.pair_by == PairBy::Repeat);
    let weak = over_repeats.filter(of_claims).find(|test| !shows(test, universes.repeats));
    let other = scope.outline.narrowed || !scope.faults.is_empty();
    let (Some(test), Some(table), false) = (weak, root.table("universes"), other) else {
        return;
    };
    let span = table.get("repeats").map_or(&table.span, |node| &node.span);
    let repeats = match universes.repeats {
        1 => "one repeat".to_owned(),
        several => format!("{several} repeats"),
    };
    let message = format!("test `{}` shows nothing over {repeats} of universes", test.id);
    let least = (universes.repeats + 1..=MOST_LOOKED_AT).find(|repeats| shows(test, *repeats));
    let label = least.map(|least| format!("expected {least} at least"));
    scope.fault(span, message, label.unwrap_or_else(|| "expected more".to_owned()));
}

/// The p-value of so many differences that have one sign and hardly vary: the smallest that a test can give.
fn strongest(test: &TestSpec, n: usize) -> Option<f64> {
    let differences: Vec<f64> = (0..n).map(|at| 1.0 + 1e-3 * at as f64).collect();
    let pairs = Pairs {
        left: differences.clone(),
        right: vec![0.0; n],
        differences,
        dependence: Dependence::None,
        over: Over::Seeds,
        note: String::new(),
        seed: Digest::of(b"universes"),
    };
    let Asks { says: Says::Difference, level, .. } = test.kind.asks() else { return None };
    test.kind.compare(&pairs, level).found.map_or(Some(1.0), |found| found.p)
}

/// How many combinations of options of so many choices there are.
fn combinations(sizes: &[usize], of: usize) -> usize {
    let of = of.min(sizes.len());
    let mut counts = vec![0_usize; of + 1];
    counts[0] = 1;
    for size in sizes {
        for n in (1..=of).rev() {
            counts[n] = counts[n].saturating_add(counts[n - 1].saturating_mul(*size));
        }
    }
    counts[of]
}

/// Options of some choices: places of choices, each with that of its option.
type Partial = Vec<(usize, usize)>;

/// Every combination of options of so many of some choices, which have so many options each.
pub fn conjunctions(choices: impl Iterator<Item = (usize, usize)>, of: usize) -> Vec<Partial> {
    let mut found: Vec<Partial> = vec![Vec::new()];
    for (choice, size) in choices {
        let longer = found.iter().filter(|some| some.len() < of).flat_map(|some| {
            (0..size).map(move |option| [&some[..], &[(choice, option)]].concat())
        });
        let longer: Vec<Partial> = longer.collect();
        found.extend(longer);
    }
    found.retain(|some| some.len() == of);
    found
}

/// All universes.
struct Space {
    sizes: Vec<usize>,
    chosen: Vec<usize>,
    exclude: Vec<Excluding>,
    /// How many steps are left: without any what is looked for is not found.
    left: Cell<usize>,
}

impl Space {
    fn of<'c>(
        choices: impl Iterator<Item = &'c Choice>,
        exclude: Vec<Excluding>,
        left: usize,
    ) -> Self {
        let chosen = |choice: &Choice| {
            choice.options.iter().position(|option| *option == choice.chosen).unwrap_or(0)
        };
        let (sizes, chosen) = choices.map(|choice| (choice.options.len(), chosen(choice))).unzip();
        Self { sizes, chosen, exclude, left: Cell::new(left) }
    }

    /// How many options exclusions list, and choices there are: the steps to look at one universe.
    fn steps(&self) -> usize {
        let listed = self.exclude.iter().flatten().map(|(_, options)| options.len());
        listed.sum::<usize>() + self.sizes.len() + 1
    }

    /// Takes so many steps; whether some are left.
    fn takes(&self, steps: usize) -> bool {
        self.left.set(self.left.get().saturating_sub(steps));
        self.left.get() > 0
    }

    /// Whether what is set is not left out, whatever the rest is.
    fn allows(&self, set: &[Option<usize>]) -> bool {
        let has = |(choice, options): &(usize, Vec<usize>)| {
            set[*choice].is_some_and(|option| options.contains(&option))
        };
        !self.exclude.iter().any(|excluded| excluded.iter().all(has))
    }

    /// Whether some universe has what is set.
    fn completes(&self, set: &mut [Option<usize>]) -> bool {
        if self.exclude.is_empty() {
            return true;
        }
        if !self.takes(self.steps()) || !self.allows(set) {
            return false;
        }
        let Some(at) = set.iter().position(Option::is_none) else { return true };
        for option in std::iter::once(self.chosen[at]).chain(0..self.sizes[at]) {
            set[at] = Some(option);
            if self.completes(set) {
                set[at] = None;
                return true;
            }
        }
        set[at] = None;
        false
    }

    fn has(&self, some: &[(usize, usize)]) -> bool {
        let mut set = vec![None; self.sizes.len()];
        some.iter().for_each(|&(choice, option)| set[choice] = Some(option));
        self.completes(&mut set)
    }

    /// An option that no universe has.
    fn unused(&self) -> Option<(usize, usize)> {
        let sizes = self.sizes.iter().enumerate();
        let mut options = sizes.flat_map(|(choice, &size)| (0..size).map(move |o| (choice, o)));
        options.find(|option| !self.has(&[*option]))
    }

    /// Every combination of options of so many choices that some universe has.
    fn combinations(&self, of: usize) -> Vec<Partial> {
        let mut found = conjunctions(self.sizes.iter().copied().enumerate(), of);
        found.retain(|some| self.has(some));
        found
    }

    /// Universes that have all these combinations, the chosen one first: row by row, the one of some candidates that has
    /// most of what is left (after Cohen and others, The AETG system, IEEE Transactions on Software Engineering 23, 1997).
    fn covering(&self, cover: usize, random: &mut Random) -> Vec<Vec<usize>> {
        let mut open = self.combinations(cover.min(self.sizes.len()));
        let mut rows = vec![self.chosen.clone()];
        let in_row = |row: &[usize], some: &Partial| some.iter().all(|&(c, o)| row[c] == o);
        open.retain(|some| !in_row(&rows[0], some));
        while let Some(first) = open.first()
            && self.takes(CANDIDATES * open.len())
        {
            let candidates = (0..CANDIDATES).map(|_| self.candidate(first, &open, random));
            let mut best = (0, Vec::new());
            for row in candidates {
                let covered = open.iter().filter(|some| in_row(&row, some)).count();
                if covered > best.0 {
                    best = (covered, row);
                }
            }
            open.retain(|some| !in_row(&best.1, some));
            rows.push(best.1);
        }
        rows
    }

    /// A universe with some options, of each other choice that which completes most combinations, in a random order.
    fn candidate(&self, first: &Partial, open: &[Partial], random: &mut Random) -> Vec<usize> {
        let mut set = vec![None; self.sizes.len()];
        first.iter().for_each(|&(choice, option)| set[choice] = Some(option));
        for choice in random.permutation(self.sizes.len()) {
            if set[choice].is_some() || !self.takes(open.len()) {
                continue;
            }
            let mut gains = vec![0; self.sizes[choice]];
            for some in open {
                let Some((_, option)) = some.iter().find(|(c, _)| *c == choice) else { continue };
                let rest = some.iter().filter(|(c, _)| *c != choice);
                gains[*option] += usize::from(rest.into_iter().all(|&(c, o)| set[c] == Some(o)));
            }
            let mut order = random.permutation(gains.len());
            order.sort_by_key(|&option| std::cmp::Reverse(gains[option]));
            set[choice] = order.into_iter().find(|&option| {
                let mut longer = set.clone();
                longer[choice] = Some(option);
                self.completes(&mut longer)
            });
        }
        set.into_iter()
            .zip(&self.chosen)
            .map(|(option, chosen)| option.unwrap_or(*chosen))
            .collect()
    }

    fn whole(&self, options: &[usize]) -> bool {
        self.allows(&options.iter().copied().map(Some).collect::<Vec<_>>())
    }
}

impl Universes {
    /// The chosen universe, those that cover, and those that are drawn.
    pub fn rows(&self, choices: &[Choice], seed: u64) -> Vec<Universe> {
        let space = Space::of(choices.iter(), self.exclude.clone(), usize::MAX);
        let mut random = stream("random universes", seed);
        let one = || space.sizes.iter().map(|&size| random.below(size)).collect::<Vec<_>>();
        // Where nearly all is left out there are fewer.
        let most = (1000 * self.sample).min(MOST_STEPS / space.steps());
        let drawn = std::iter::repeat_with(one).take(most);
        let drawn = drawn.filter(|options| space.whole(options));
        let universe = |origin| move |options| Universe { origin, options };
        let covering = self.covering.iter().cloned().map(universe(Origin::Covering));
        let mut rows: Vec<Universe> =
            covering.chain(drawn.take(self.sample).map(universe(Origin::Random))).collect();
        rows[0].origin = Origin::Chosen;
        rows
    }

    /// Whether some universes are left out.
    pub fn excludes(&self) -> bool {
        !self.exclude.is_empty()
    }

    /// How many universes of these choices there are, those that are left out too.
    pub fn count<'c>(choices: impl IntoIterator<Item = &'c Choice>) -> u64 {
        choices.into_iter().fold(1, |n: u64, one| n.saturating_mul(one.options.len() as u64))
    }

    /// All universes, the chosen one first.
    pub fn all(&self, choices: &[Choice]) -> Vec<Universe> {
        let space = Space::of(choices.iter(), self.exclude.clone(), usize::MAX);
        let chosen = Universe { origin: Origin::Chosen, options: space.chosen.clone() };
        // The options of the first choice go by fastest.
        let last_first = space.sizes.iter().rev().map(|&size| 0..size).multi_cartesian_product();
        let others = last_first.map(|options| options.into_iter().rev().collect_vec());
        let others = others.filter(|options| *options != space.chosen && space.whole(options));
        let listed = |options| Universe { origin: Origin::Listed, options };
        std::iter::once(chosen).chain(others.map(listed)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::design::Subject;
    use super::*;

    /// A choice about a method of its own, whose options are whole numbers from zero.
    fn choice(id: &str, options: i64) -> Choice {
        Choice {
            id: id.into(),
            question: String::new(),
            subject: Subject::Methods(vec![id.into()]),
            parameter: "p".to_owned(),
            options: (0..options).map(Value::Integer).collect(),
            chosen: Value::Integer(0),
            why: String::new(),
            seen: false,
            datasets: Vec::new(),
            methods: Vec::new(),
            repeats: 1,
        }
    }

    fn choices() -> Vec<Choice> {
        vec![choice("a", 3), choice("b", 2), choice("c", 4)]
    }

    fn universes(cover: usize, sample: usize, exclude: Vec<Excluding>) -> Universes {
        let space = Space::of(choices().iter(), exclude, MOST_STEPS);
        let covering = space.covering(cover, &mut stream("covering universes", 1));
        Universes { cover, sample, repeats: 1, exclude: space.exclude, covering }
    }

    fn of(rows: &[Universe], origin: Origin) -> Vec<Vec<usize>> {
        let own = rows.iter().filter(|row| row.origin == origin);
        own.map(|row| row.options.clone()).collect()
    }

    #[test]
    fn every_pair_that_is_not_left_out_is_covered() {
        let pairs = |rows: &[Universe]| -> BTreeSet<[(usize, usize); 2]> {
            let places = [(0, 1), (0, 2), (1, 2)];
            let pairs = |row: &Universe| {
                let own = row.options.clone();
                places.map(|(one, other)| [(one, own[one]), (other, own[other])])
            };
            rows.iter().flat_map(pairs).collect()
        };
        let rows = universes(2, 0, Vec::new()).rows(&choices(), 1);
        assert_eq!(pairs(&rows).len(), 3 * 2 + 3 * 4 + 2 * 4);
        assert_eq!((rows[0].origin, &rows[0].options[..]), (Origin::Chosen, &[0, 0, 0][..]));
        assert!(rows[1..].iter().all(|row| row.origin == Origin::Covering));
        let rows = universes(2, 0, vec![vec![(0, vec![1]), (2, vec![2, 3])]]).rows(&choices(), 1);
        assert_eq!(pairs(&rows).len(), 3 * 2 + 3 * 4 + 2 * 4 - 2);
        assert!(rows.iter().all(|row| row.options[0] != 1 || row.options[2] < 2));
    }

    #[test]
    fn random_universes_are_drawn_from_all_by_the_seed_alone() {
        let left_out = || vec![vec![(0, vec![1]), (1, vec![1])]];
        let drawn = |cover, seed| {
            of(&universes(cover, 2000, left_out()).rows(&choices(), seed), Origin::Random)
        };
        let random = drawn(2, 1);
        assert_eq!(random, drawn(1, 1), "whatever is covered");
        assert_ne!(random, drawn(2, 2));
        let mut counts: BTreeMap<&Vec<usize>, usize> = BTreeMap::new();
        random.iter().for_each(|row| *counts.entry(row).or_default() += 1);
        // Those that are covered, and the chosen one, are drawn as often as the 20 that are allowed.
        assert_eq!(counts.len(), 3 * 2 * 4 - 4);
        assert!(counts.values().all(|count| (50..150).contains(count)), "{counts:?}");
    }

    #[test]
    fn an_option_applies_wherever_its_target_runs() {
        // `datasets` and `methods` bound the options one at a time.
        let mut of_dataset = choice("d", 2);
        of_dataset.subject = Subject::Datasets(vec!["data".into()]);
        of_dataset.methods = vec!["m".into()];
        let (all, universe) = ([choice("a", 2), of_dataset], [1, 1].to_vec());
        let universe = Universe { origin: Origin::Covering, options: universe };
        let text = |method: &str, dataset: &str| {
            let (method, dataset) = (method.into(), dataset.into());
            assert!(!all.iter().any(|choice| choice.concerns(&method, &dataset)));
            universe.of(&all, &method, &dataset).to_string()
        };
        assert_eq!(text("a", "data"), "a=1;d=1");
        assert_eq!(text("a", "other"), "a=1");
        assert_eq!(text("n", "data"), "d=1");
        assert_eq!(text("n", "other"), "");
    }
}
