//! Points drawn from normal distributions around the means of two classes, with outliers that stand in the
//! wrong class: the toy data of Futami, Sato and Sugiyama 2017 (figures 1 and 2).

use super::{Drawn, Generator, MOST_ROWS, OutOfRange, Ranges, Sample, hashed, start};
use crate::registry::reading::{Reading, Reals, Seed, Size};
use crate::vocabulary::{Kind, Parts, Rows, Shape, Target};
use crate::{Labels, Targets, Truth};
use base::digest::{Digest, FieldHasher};
use base::words;
use contract::Examples;
use contract::numeric::NumericRows;
use contract::parameter::{Count, Parameter, Real, Value, settings};
use document::{Word, section};
use math::random::Random;

/// Raised by every change that can change a generated example; it enters the dataset's digest.
const REVISION: u64 = 1;

/// Most columns of a point.
const MOST_COLUMNS: usize = 1000;

/// The classes, y = -1 and y = 1.
pub const CLASSES: [&str; 2] = ["negative", "positive"];

words! {
    /// The classes of points.
    pub enum Class {
        Negative = "negative", "the first class";
        Positive = "positive", "the second class";
    }
}

section! {
    in Reading;
    /// A component of the mixture.
    #[derive(PartialEq)]
    pub struct Component {
        class: Word<Class> => "the class of its points";
        weight: document::Real => "its probability; all sum to 1";
        mean: Reals => "the mean, a number for each column";
    }
}

section! {
    in Reading;
    /// Points that are not of the mixture.
    #[derive(PartialEq)]
    pub struct Outliers {
        class: Word<Class> => "their class";
        count: Size => "their number";
        mean: Reals => "the mean, a number for each column";
        variance: document::Real => "the variance of each column";
    }
}

section! {
    in Reading;
    #[derive(PartialEq)]
    pub struct MixtureSample: "normal-mixture" => "points around the means of components, of two classes" {
        seed: Seed => "where the random numbers start";
        train: Size => "the number of training examples";
        test: Size => "the number of test examples";
        variance: document::Real => "the variance of each column";
        components: Vec<Component> => "the normal distributions that points are drawn from";
        outliers: Option<Outliers>, else "none"
            => "no examples: a boundary task with `change = \"outliers\"` adds them to the training examples";
    }
}

/// Points of a mixture with their classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// Where they lie.
    pub rows: NumericRows,
    /// Their classes, indices into [`CLASSES`].
    pub labels: Vec<u32>,
}

settings! {
    VARIANCE variance: Real::between(0.0, 1e12, 1.0), "variance of each variable around the mean of its component";
    OUTLIERS outliers: Count::within(1..=1_000_000, 3), "number of outliers";
}

impl MixtureSample {
    /// It, with its parameters checked.
    ///
    /// # Errors
    /// All parameters that are out of their ranges.
    pub fn checked(self) -> Result<Self, Vec<OutOfRange>> {
        /// Larger numbers would overflow where they are squared.
        const LARGEST: f64 = 1e12;
        let Self { train, test, variance, components, outliers, .. } = &self;
        let mut ranges = Ranges::default();
        ranges.whole("train", *train, 1, MOST_ROWS);
        ranges.whole("test", *test, 1, MOST_ROWS);
        let columns = components.first().map_or(0, |component| component.mean.len());
        let beside = outliers.as_ref().map_or(0, |outliers| outliers.count);
        ranges.cells("train", train.saturating_add(*test).saturating_add(beside), columns, 64);
        let fine = |variance: f64| variance > 0.0 && variance <= LARGEST;
        let expected = "above 0 and at most 1e12";
        ranges.check("variance", fine(*variance), expected);
        let fits = |mean: &[f64]| {
            let finite = mean.iter().all(|value| value.abs() <= LARGEST);
            mean.len() == columns && finite && (1..=MOST_COLUMNS).contains(&columns)
        };
        let total: f64 = components.iter().map(|component| component.weight).sum();
        let weights = components.iter().all(|component| component.weight > 0.0);
        let whole = weights && (total - 1.0).abs() < 1e-9;
        ranges.check("components", whole, "of positive weights that sum to 1");
        let fitting = components.iter().all(|component| fits(&component.mean));
        let expected =
            format!("of means with one number of columns, 1 to {MOST_COLUMNS}, up to 1e12");
        ranges.check("components", fitting, expected);
        let of_class = |class| components.iter().any(|component| component.class == class);
        let both = of_class(Class::Negative) && of_class(Class::Positive);
        ranges.check("components", both, "of both classes");
        if let Some(outliers) = outliers {
            let known = (1..=1_000_000).contains(&outliers.count)
                && fits(&outliers.mean)
                && fine(outliers.variance);
            let expected = "at least one, with a mean of as many columns as the components', up to \
                            1e12, and a variance above 0";
            ranges.check("outliers", known, expected);
        }
        ranges.into_result(self)
    }

    fn columns(&self) -> usize {
        self.components[0].mean.len()
    }

    /// Training examples that a seed draws. Time O(rows · (columns + components)).
    pub fn train(&self, seed: Digest) -> Points {
        self.part(self.train, "train", seed)
    }

    /// Test examples that a seed draws.
    pub fn test(&self, seed: Digest) -> Points {
        self.part(self.test, "test", seed)
    }

    /// Outliers that a seed draws; none if the mixture has none.
    pub fn outliers(&self, seed: Digest) -> Option<Points> {
        let Outliers { class, count, mean, variance } = self.outliers.as_ref()?;
        let mut random = stream("outliers", seed);
        let mut values = Vec::with_capacity(count * self.columns());
        (0..*count).for_each(|_| normal(mean, *variance, &mut random, &mut values));
        let rows = NumericRows::new(self.columns(), values);
        Some(Points { rows, labels: vec![*class as u32; *count] })
    }

    fn part(&self, rows: usize, part: &str, seed: Digest) -> Points {
        let mut random = stream(part, seed);
        let mut values = Vec::with_capacity(rows * self.columns());
        let mut labels = Vec::with_capacity(rows);
        for _ in 0..rows {
            let Component { class, mean, .. } = self.component(random.uniform());
            labels.push(*class as u32);
            normal(mean, self.variance, &mut random, &mut values);
        }
        Points { rows: NumericRows::new(self.columns(), values), labels }
    }

    /// The component of a uniform number.
    fn component(&self, mut uniform: f64) -> &Component {
        for component in &self.components {
            if uniform < component.weight {
                return component;
            }
            uniform -= component.weight;
        }
        &self.components[self.components.len() - 1]
    }
}

impl Sample for MixtureSample {
    fn shape(&self) -> Shape {
        let rows = Rows::Split(Parts { train: self.train, valid: 0, test: self.test });
        Shape::without_folds(self.columns(), rows, Target::Classes(CLASSES.len()))
    }

    fn kind(&self) -> Kind {
        Kind::Numeric
    }

    fn classes(&self) -> &'static [&'static str] {
        &CLASSES
    }

    fn mixture(&self) -> Option<&Self> {
        Some(self)
    }

    fn digest(&self) -> Digest {
        let numbers = |hasher: FieldHasher, values: &[f64]| {
            let hasher = hasher.number(values.len() as u64);
            values.iter().fold(hasher, |hasher, value| hasher.number(value.to_bits()))
        };
        let Self { seed, train, test, components, .. } = self;
        let own = [*seed, *train, *test, components.len()];
        let mut hasher = hashed("normal-mixture", REVISION, own);
        for component in components {
            hasher = hasher.number(component.class as u64);
            hasher = numbers(hasher, &[component.weight, self.variance]);
            hasher = numbers(hasher, &component.mean);
        }
        if let Some(Outliers { class, count, mean, variance }) = &self.outliers {
            hasher = hasher.field("outliers").number(*class as u64).number(*count as u64);
            hasher = numbers(numbers(hasher, &[*variance]), mean);
        }
        hasher.finish()
    }

    fn parameters(&self) -> Vec<(&'static Parameter, Value)> {
        let mut parameters = vec![(&VARIANCE.parameter, Value::Real(self.variance))];
        if let Some(outliers) = &self.outliers {
            parameters.push((&OUTLIERS.parameter, Value::Integer(outliers.count as i64)));
        }
        parameters
    }

    fn with(&self, name: &str, value: &Value) -> Option<Generator> {
        let mut other = self.clone();
        if name == VARIANCE.parameter.name {
            other.variance = VARIANCE.read(value)?;
        } else if name == OUTLIERS.parameter.name {
            other.outliers.as_mut()?.count = OUTLIERS.read(value)?;
        } else {
            return None;
        }
        other.checked().ok().map(Into::into)
    }

    fn reseeded(&self, seed: &dyn Fn(u64) -> u64) -> Option<Generator> {
        Some(Self { seed: seed(self.seed as u64) as usize, ..self.clone() }.into())
    }

    /// Those of its own seed, without the outliers.
    fn draw(&self) -> Drawn {
        let seed = start("normal-mixture", self.seed as u64);
        let (train, test) = (self.train(seed), self.test(seed));
        let values = [train.rows.values(), test.rows.values()].concat();
        let classes = CLASSES.map(str::to_owned).to_vec();
        Drawn {
            examples: Examples::Numeric(NumericRows::new(self.columns(), values)),
            targets: Targets::Classes(Labels {
                classes,
                of_example: [train.labels, test.labels].concat(),
            }),
            truth: Truth::Mixture(self.clone()),
        }
    }
}

/// A point of a normal distribution with this mean, its variables independent and of one variance.
fn normal(mean: &[f64], variance: f64, random: &mut Random, values: &mut Vec<f64>) {
    let sd = variance.sqrt();
    values.extend(mean.iter().map(|mean| mean + sd * random.normal()));
}

/// Random numbers of one part of the data, so that its size changes no other part.
fn stream(part: &str, seed: Digest) -> Random {
    Random::new(FieldHasher::new("normal-mixture").field(part).field(seed.0).finish())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn component(class: u32, weight: f64, mean: [f64; 2]) -> Component {
        Component { class: of(class), weight, mean: mean.to_vec() }
    }

    fn of(class: u32) -> Class {
        if class == 0 { Class::Negative } else { Class::Positive }
    }

    fn mixture(
        seed: usize,
        (train, test): (usize, usize),
        variance: f64,
        components: Vec<Component>,
        outliers: Option<Outliers>,
    ) -> MixtureSample {
        let sample = MixtureSample { seed, train, test, variance, components, outliers };
        sample.checked().unwrap()
    }

    fn outliers(count: usize) -> Option<Outliers> {
        Some(Outliers { class: of(1), count, mean: vec![-3.0, -4.0], variance: 0.25 })
    }

    fn sample(seed: usize, sizes: (usize, usize), variance: f64) -> MixtureSample {
        let components = vec![
            component(1, 0.25, [1.0, 2.0]),
            component(0, 0.7, [-1.0, 0.0]),
            component(0, 0.05, [9.0, 9.0]),
        ];
        mixture(seed, sizes, variance, components, outliers(3))
    }

    #[test]
    fn points_have_the_weights_means_and_variances_of_their_components() {
        let points = sample(1, (40_000, 1), 0.04).train(Digest::of(b"draw"));
        let mut sums = [[0.0; 5]; 3];
        for (row, &label) in points.rows.iter().zip(&points.labels) {
            let at = if label == 1 { 0 } else { 1 + usize::from(row[0] > 5.0) };
            let mean = [[1.0, 2.0], [-1.0, 0.0], [9.0, 9.0]][at];
            let [x, y] = [row[0] - mean[0], row[1] - mean[1]];
            [1.0, x, y, x * x, y * y].iter().zip(&mut sums[at]).for_each(|(v, sum)| *sum += v);
        }
        for (sum, weight) in sums.iter().zip([0.25, 0.7, 0.05_f64]) {
            let n = 40_000.0 * weight;
            assert!((sum[0] - n).abs() < 6.0 * (n * (1.0 - weight)).sqrt(), "{sum:?}");
            for moment in &sum[1..3] {
                assert!((moment / sum[0]).abs() < 6.0 * 0.2 / sum[0].sqrt(), "{sum:?}");
            }
            for moment in &sum[3..] {
                let bound = 6.0 * 0.04 * (2.0 / sum[0]).sqrt();
                assert!((moment / sum[0] - 0.04).abs() < bound, "{sum:?}");
            }
        }
    }

    #[test]
    fn each_part_has_numbers_of_its_own_and_every_seed_others() {
        let seed = Digest::of(b"seed");
        let (small, large) = (sample(1, (5, 4), 1.0), sample(1, (9, 4), 1.0));
        assert_eq!(small.train(seed).rows.values(), &large.train(seed).rows.values()[..10]);
        assert_eq!(small.test(seed), large.test(seed));
        let firsts: Vec<f64> = [small.train(seed), small.test(seed), small.outliers(seed).unwrap()]
            .iter()
            .map(|points| points.rows.row(0)[0])
            .collect();
        assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2], "{firsts:?}");
        assert_ne!(small.train(seed), small.train(Digest::of(b"other")));
        let found = small.outliers(seed).unwrap();
        assert_eq!((found.rows.len(), found.labels), (3, vec![1, 1, 1]));
        let drawn = small.draw();
        assert_eq!((drawn.examples.len(), drawn.examples.variables()), (9, 2));
    }

    #[test]
    fn the_digest_depends_on_every_parameter() {
        let with = |weight: f64, mean: f64, outliers| {
            let components =
                vec![component(1, weight, [1.0, mean]), component(0, 1.0 - weight, [0.0, 0.0])];
            mixture(1, (5, 4), 1.0, components, outliers).digest()
        };
        let mut digests = vec![
            sample(1, (5, 4), 1.0).digest(),
            sample(2, (5, 4), 1.0).digest(),
            sample(1, (6, 4), 1.0).digest(),
            sample(1, (5, 5), 1.0).digest(),
            sample(1, (5, 4), 2.0).digest(),
            with(0.5, 1.0, None),
            with(0.25, 1.0, None),
            with(0.5, 2.0, None),
            with(0.5, 1.0, outliers(3)),
            with(0.5, 1.0, outliers(4)),
        ];
        for class in [of(1), of(0)] {
            let other = Outliers { class, variance: 0.5, ..outliers(3).unwrap() };
            digests.push(with(0.5, 1.0, Some(other)));
        }
        let count = digests.len();
        assert_eq!(digests.into_iter().collect::<BTreeSet<_>>().len(), count);
    }

    #[test]
    fn variance_and_number_of_outliers_can_be_varied() {
        let sample = sample(1, (5, 4), 1.0);
        let names: Vec<&str> = sample.parameters().iter().map(|(p, _)| p.name).collect();
        assert_eq!(names, ["variance", "outliers"]);
        let wider = sample.with("variance", &Value::Real(2.0)).unwrap();
        assert_eq!(wider.parameters()[0].1, Value::Real(2.0));
        let more = sample.with("outliers", &Value::Integer(8)).unwrap();
        assert_eq!(more.mixture().unwrap().outliers(Digest::of(b"")).unwrap().rows.len(), 8);
        assert_eq!(sample.with("seed", &Value::Integer(8)), None);
        let without = MixtureSample { outliers: None, ..sample };
        assert_eq!(without.with("outliers", &Value::Integer(8)), None);
        assert_eq!(without.parameters().len(), 1);
    }
}
