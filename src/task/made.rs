//! What is suspicious of the values of a column. Labels went into them before the file was made: they were encoded by the mean target
//! of the rows that share one, or filled in by class. Or those that share one are rows of one person, say.

use math::distribution::chi_squared_sf;
use math::sample::{Sample, mean};
use math::special::{exp, ln};

use crate::agreement::at_least;
use crate::columns::{MEASURES, Mark};
use crate::labels::{Labels, of};

/// So many values are shared by rows, at least,
const SHARED: usize = 10;
/// and so large a part of the rows shares one.
const SHARING: f64 = 0.8;
/// The mean targets lie on a line of the values but for so much of their variance,
const OFF: f64 = 0.2;
/// where chance puts them so near with this probability at most.
const CHANCE: f64 = 1e-6;
/// A multiple of the weight of the mean of all is off by so much at most: one in ten is by chance.
const WHOLE: f64 = 0.05;

/// So many rows of a value are of one class by no chance.
const ALIKE: usize = 5;

/// A value that a class was filled in with is so pure a one of the class,
const PURE: f64 = 0.95;
/// has so many rows, at least,
pub(crate) const FILLED: usize = 10;
/// and so many times as many as any that was measured.
pub(crate) const TIMES: usize = 5;

/// A value of a group is shared by so many rows at most, or by one in ten,
const GROUP: usize = 100;
const ONE_IN: usize = 10;
/// there are so many of them,
const GROUPS: usize = 20;
/// and so large a part of the rows has one.
const GROUPED: f64 = 0.4;
/// Labels are apart so much more to rows of the next values, two standard errors taken off.
const APART: f64 = 0.1;

/// The values of a column, ascending, with the examples that have each.
pub(crate) struct Values(Vec<(f64, Vec<usize>)>);

impl Values {
    /// Of a column of the training and then the test examples.
    pub fn of(column: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..column.len()).filter(|&at| !column[at].is_nan()).collect();
        order.sort_by(|&a, &b| column[a].total_cmp(&column[b]));
        let equal = order.chunk_by(|&a, &b| column[a] == column[b]);
        Self(equal.map(|examples| (column[examples[0]], examples.to_vec())).collect())
    }

    /// What may be wrong with them.
    pub fn marks(&self, labels: &Labels<'_>) -> Vec<Mark> {
        [
            (Mark::Encoded, self.encode(labels) || self.alternates(labels)),
            (Mark::Filled, self.filled(labels)),
            (Mark::Groups, self.group(labels)),
        ]
        .into_iter()
        .filter_map(|(mark, found)| found.then_some(mark))
        .collect()
    }

    /// Whether those that share a value go together: their labels are less apart than from those of the values next to it. What a
    /// number honestly tells, it tells of both nearly alike.
    fn group(&self, labels: &Labels<'_>) -> bool {
        let count = |(_, examples): &(f64, Vec<usize>)| examples.len();
        let all: usize = self.0.iter().map(count).sum();
        let shared = || self.0.iter().map(count).filter(|count| *count > 1);
        if !may_be_groups(shared(), all) {
            return false;
        }
        let apart = |one: usize, others: &[usize]| -> Vec<f64> {
            let others = others.iter().filter(|other| **other != one);
            others.map(|other| labels.apart(one, *other)).collect()
        };
        let mut farther = Sample::default();
        for (at, (_, own)) in self.0.iter().enumerate().filter(|(_, (_, own))| own.len() > 1) {
            let next = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
            let next = next.filter_map(|at| self.0.get(at)).flat_map(|(_, examples)| examples);
            let next: Vec<usize> = next.copied().collect();
            let of = |one: &usize| mean(&apart(*one, &next)) - mean(&apart(*one, own));
            farther.push(mean(&own.iter().map(of).collect::<Vec<f64>>()));
        }
        at_least(farther).is_some_and(|farther| farther >= APART * labels.unit())
    }

    /// Whether they encode the labels: the mean targets of those that share a value follow it, and more closely than they would if
    /// it told their probability itself. Around the nearest line their distances would be chi-squared, and around a curve more.
    fn encode(&self, labels: &Labels<'_>) -> bool {
        match *labels {
            Labels::Classes { train, test, classes } => (0..classes as u32).any(|class| {
                let targets = self.targets(|at| f64::from(of(train, test, at) == class));
                smoothed(&targets) || follow(&targets, |_, share| share * (1.0 - share))
            }),
            Labels::Numbers { train, test } => {
                let targets = self.targets(|at| of(train, test, at));
                smoothed(&targets) || follow(&targets, |within, _| within)
            }
        }
    }

    /// Whether most values are of one class alone, and the next of another: means that leave the row's own label out are, of one
    /// name two values, unless those of two names meet.
    fn alternates(&self, labels: &Labels<'_>) -> bool {
        let Labels::Classes { train, test, classes } = *labels else { return false };
        let class_of = |at: &usize| of(train, test, *at) as usize;
        let shared = || self.0.iter().map(|(_, own)| own).filter(|own| own.len() >= ALIKE);
        let shares = |all: &[&Vec<usize>]| {
            let mut counts = vec![0.0; classes];
            all.iter().copied().flatten().for_each(|at| counts[class_of(at)] += 1.0);
            let sum = counts.iter().sum::<f64>();
            counts.into_iter().map(|count| count / sum).collect::<Vec<f64>>()
        };
        let all = shares(&shared().collect::<Vec<&Vec<usize>>>());
        let (mut rows, mut pure, mut by_chance) = (0.0, 0.0, 0.0);
        let mut order = Vec::new();
        for own in shared() {
            let size = own.len() as f64;
            rows += size;
            by_chance += size * all.iter().map(|share| exp(size * ln(*share))).sum::<f64>();
            if let Some(class) = shares(&[own]).iter().position(|share| *share == 1.0) {
                pure += size;
                order.push(class);
            }
        }
        order.dedup();
        let every = self.0.iter().map(|(_, own)| own.len()).sum::<usize>() as f64;
        rows >= SHARING * every && pure - by_chance >= 0.5 * rows && order.len() >= SHARED
    }

    /// Each with the targets of those that share it.
    fn targets(&self, target: impl Fn(usize) -> f64) -> Vec<Targets> {
        let targets = |examples: &[usize]| examples.iter().map(|&at| target(at)).collect();
        self.0.iter().map(|(value, examples)| (*value, targets(examples))).collect()
    }

    /// Whether two classes were filled in with a value each: hardly another class has it, and far more examples than any value
    /// that was measured. A value at an end, such as 0, may be a limit.
    fn filled(&self, labels: &Labels<'_>) -> bool {
        let Labels::Classes { train, test, classes } = *labels else { return false };
        if self.0.len() < MEASURES {
            return false;
        }
        let class_of = |examples: &[usize]| {
            let mut counts = vec![0; classes];
            examples.iter().for_each(|&at| counts[of(train, test, at) as usize] += 1);
            let most = (0..classes).max_by_key(|&class| counts[class])?;
            (counts[most] as f64 >= PURE * examples.len() as f64).then_some(most)
        };
        let ends = [0, self.0.len() - 1];
        let mut values: Vec<(usize, Option<usize>)> = Vec::new();
        for (at, (_, examples)) in self.0.iter().enumerate() {
            let class = if ends.contains(&at) { None } else { class_of(examples) };
            values.push((examples.len(), class));
        }
        values.sort_unstable_by(|a, b| b.cmp(a));
        let filled = |many: usize| {
            let ((those, next), least) = (values.split_at(many), values[many - 1].0);
            let several = those.iter().any(|(_, class)| *class != those[0].1);
            several
                && those.iter().all(|(_, class)| class.is_some())
                && least >= FILLED
                && TIMES * next[0].0 <= least
        };
        (2..=classes.min(MEASURES - 1)).any(filled)
    }
}

/// Whether so many rows each of all may be those of one person: there are many such, of few rows, and they are a large part.
pub(crate) fn may_be_groups(sizes: impl Iterator<Item = usize> + Clone, all: usize) -> bool {
    sizes.clone().count() >= GROUPS
        && sizes.clone().sum::<usize>() as f64 >= GROUPED * all as f64
        && sizes.max() <= Some(GROUP.min(all / ONE_IN))
}

/// A value, and the targets of the examples that have it.
type Targets = (f64, Sample);

/// Whether the mean targets of those that share a value follow it; the variance of a target follows from that among examples of
/// one value, or from what the line says.
fn follow(all: &[Targets], variance: impl Fn(f64, f64) -> f64) -> bool {
    let shared: Vec<Targets> = all.iter().filter(|(_, targets)| targets.n > 1).copied().collect();
    let total = |of: &dyn Fn(&Targets) -> f64| shared.iter().map(of).sum::<f64>();
    let size = |one: &Targets| one.1.n as f64;
    let (count, all) = (total(&size), all.iter().map(|(_, targets)| targets.n).sum::<u64>());
    if shared.len() < SHARED || count < SHARING * all as f64 {
        return false;
    }
    let value = total(&|one| size(one) * one.0) / count;
    let mean = total(&|one| size(one) * one.1.mean) / count;
    let apart = |one: &Targets| (one.0 - value, one.1.mean - mean);
    let slope = total(&|one| size(one) * apart(one).0 * apart(one).1)
        / total(&|one| size(one) * apart(one).0 * apart(one).0);
    let off = |one: &Targets| {
        let off = apart(one).1 - slope * apart(one).0;
        size(one) * off * off
    };
    let within = total(&|one| one.1.m2) / (count - shared.len() as f64);
    let expected =
        |one: &Targets| variance(within, (mean + slope * apart(one).0).clamp(0.02, 0.98));
    let by_chance = || {
        let squares = total(&|one| off(one) / expected(one));
        1.0 - chi_squared_sf(squares, shared.len() as f64 - 2.0)
    };
    within > 0.0
        && total(&off) <= OFF * total(&|one| size(one) * apart(one).1 * apart(one).1)
        && by_chance() < CHANCE
}

/// Whether values are mean targets of names, drawn to the mean of all by a weight: (sum + weight · mean) / (count + weight).
/// Names of one count and sum share a value, so what follows from it is a whole multiple of the weight, by as many names as
/// it has examples at most.
fn smoothed(all: &[Targets]) -> bool {
    let size = |(_, targets): &Targets| targets.n as f64;
    let sum = |one: &Targets| size(one) * one.1.mean;
    let mean = all.iter().map(sum).sum::<f64>() / all.iter().map(size).sum::<f64>();
    let weight = |one: &Targets| ((one.0 * size(one) - sum(one)) / (mean - one.0), size(one));
    let weights: Vec<(f64, f64)> =
        all.iter().map(weight).filter(|(weight, _)| weight.is_finite()).collect();
    let above = weights.iter().map(|(weight, _)| *weight).filter(|weight| *weight > 0.0);
    let Some(least) = above.min_by(f64::total_cmp) else { return false };
    let whole = |(weight, names): &&(f64, f64)| {
        let times = (weight / least).round();
        (1.0..=*names).contains(&times) && (weight / least - times).abs() < WHOLE
    };
    let wholes = weights.iter().filter(whole).count();
    weights.len() >= SHARED && wholes as f64 >= SHARING * weights.len() as f64
}

#[cfg(test)]
mod tests {
    use base::digest::Digest;
    use math::random::Random;

    use super::*;

    /// The mean of each group's targets, drawn to that of all by so many more examples, and rounded.
    fn encoded(groups: &[usize], targets: &[f64], more: f64) -> Vec<f64> {
        let all = targets.iter().sum::<f64>() / targets.len() as f64;
        let of = |group: usize| {
            let own = groups.iter().zip(targets).filter(|(of, _)| **of == group);
            let (sum, count) =
                own.fold((0.0, 0.0), |(sum, n), (_, target)| (sum + target, n + 1.0));
            let mean: f64 = (sum + more * all) / (count + more);
            (1e4 * mean).round() / 1e4
        };
        groups.iter().map(|&group| of(group)).collect()
    }

    #[test]
    fn means_of_targets_are_known_and_what_tells_their_probability_is_not() {
        let mut random = Random::new(Digest::of(b"encoded"));
        let groups: Vec<usize> = (0..600).map(|_| random.below(60)).collect();
        let numbers: Vec<f64> = groups.iter().map(|_| random.normal()).collect();
        let of_numbers = Labels::Numbers { train: &numbers[..400], test: &numbers[400..] };
        let classes: Vec<u32> = groups.iter().map(|_| random.below(2) as u32).collect();
        let of_classes =
            Labels::Classes { train: &classes[..400], test: &classes[400..], classes: 2 };
        let ones: Vec<f64> = classes.iter().map(|&class| class.into()).collect();
        for more in [0.0, 2.0] {
            assert!(Values::of(&encoded(&groups, &numbers, more)).encode(&of_numbers), "{more}");
            assert!(Values::of(&encoded(&groups, &ones, more)).encode(&of_classes), "{more}");
        }
        // Of names that few share many have one value, which hardly follows the mean of all their targets.
        let groups: Vec<usize> = (0..600).map(|_| random.below(250)).collect();
        assert!(Values::of(&encoded(&groups, &ones, 3.0)).encode(&of_classes));
        assert!(!Values::of(&encoded(&groups, &numbers, 3.0)).encode(&of_classes));
        // A forecast lies between the mean of all and what comes, and once it is what comes but for the last bit.
        let mut forecast: Vec<f64> =
            numbers.iter().map(|of| (0.5 + 0.1 * random.uniform()) * of).collect();
        forecast[0] = f64::from_bits(numbers[0].to_bits() - 1);
        assert!(!Values::of(&forecast).encode(&of_numbers));
        // By other examples, and a column that tells the probability itself.
        let others: Vec<f64> = groups.iter().map(|_| random.normal()).collect();
        assert!(!Values::of(&encoded(&groups, &others, 0.0)).encode(&of_numbers));
        let share: Vec<f64> = groups.iter().map(|&group| (group as f64 + 0.5) / 60.0).collect();
        let drawn: Vec<u32> =
            share.iter().map(|&share| u32::from(random.uniform() < share)).collect();
        let honest = Labels::Classes { train: &drawn, test: &[], classes: 2 };
        assert!(!Values::of(&share).encode(&honest));
        let noisy: Vec<f64> = share.iter().map(|&share| share + 0.1 * random.normal()).collect();
        assert!(!Values::of(&share).encode(&Labels::Numbers { train: &noisy, test: &[] }));
    }

    #[test]
    fn means_that_leave_the_own_label_out_have_a_value_for_each_class() {
        let mut random = Random::new(Digest::of(b"left out"));
        let rows: Vec<(usize, u32)> =
            (0..900).map(|_| (random.below(30), random.below(2) as u32)).collect();
        let value = |(name, own): &(usize, u32), left_out: bool| {
            let those = || rows.iter().filter(|(of, _)| of == name).map(|(_, class)| *class);
            let less = u32::from(left_out);
            f64::from(those().sum::<u32>() - less * own) / f64::from(those().count() as u32 - less)
        };
        let classes: Vec<u32> = rows.iter().map(|(_, class)| *class).collect();
        let labels = Labels::Classes { train: &classes, test: &[], classes: 2 };
        let of = |left_out| {
            let values: Vec<f64> = rows.iter().map(|row| value(row, left_out)).collect();
            Values::of(&values).alternates(&labels)
        };
        assert!(of(true) && !of(false));
        // A threshold that tells all has pure values too, in two runs.
        let tells = |class: &u32| f64::from(*class) * 20.0 + (*class as f64 + 3.0).floor();
        assert!(!Values::of(&classes.iter().map(tells).collect::<Vec<f64>>()).alternates(&labels));
    }

    #[test]
    fn rows_of_one_person_share_a_value_and_a_label_and_those_of_a_coarse_number_do_not() {
        let mut random = Random::new(Digest::of(b"persons"));
        let persons: Vec<(f64, u32)> =
            (0..100).map(|_| ((200.0 * random.normal()).round(), random.below(2) as u32)).collect();
        let rows: Vec<(f64, u32)> = (0..400).map(|_| persons[random.below(100)]).collect();
        let of = |rows: &[(f64, u32)]| {
            let (values, classes): (Vec<f64>, Vec<u32>) = rows.iter().copied().unzip();
            let labels = Labels::Classes { train: &classes, test: &[], classes: 2 };
            Values::of(&values).group(&labels)
        };
        assert!(of(&rows));
        let coarse = |_| {
            let value = (60.0 * random.normal()).round();
            (value, u32::from(value + 30.0 * random.normal() > 0.0))
        };
        assert!(!of(&(0..400).map(coarse).collect::<Vec<_>>()));
    }

    #[test]
    fn a_value_for_each_class_is_filled_in_and_a_limit_is_not() {
        let mut random = Random::new(Digest::of(b"filled in"));
        let classes: Vec<u32> = (0..300).map(|_| random.below(3) as u32).collect();
        let labels = Labels::Classes { train: &classes, test: &[], classes: 3 };
        let measured: Vec<f64> = classes.iter().map(|_| (1e2 * random.normal()).round()).collect();
        let with = |filled: &dyn Fn(u32) -> f64, random: &mut Random| {
            let cells = measured.iter().zip(&classes);
            let cells =
                cells.map(|(own, class)| if random.below(4) == 0 { filled(*class) } else { *own });
            Values::of(&cells.collect::<Vec<f64>>()).filled(&labels)
        };
        assert!(!Values::of(&measured).filled(&labels));
        assert!(with(&|class| f64::from(class) + 0.5, &mut random));
        // One for all, and those at the ends.
        assert!(!with(&|_| 0.5, &mut random));
        assert!(!with(&|class| 1e3 * (f64::from(class) - 1.0).signum(), &mut random));
    }
}
