//! The `generator` of a generated dataset: each kind is one declaration and one line in [`GENERATORS`].

use base::words;
use contract::parameter::Domain;
use document::{
    Form, Key, Named as _, Node, ReadTable, Section, Table, Variant, Whole, Word, holds, reads,
    section,
};

use super::reading::{Needed, Reading, Seed, Size};
use crate::generate::boolean::{Draws, Function, FunctionSample, SAMPLINGS, Sampling};
use crate::generate::density::{self, DensitySample, Model, Sizes};
use crate::generate::factors::{Factor, FactorSample, Family};
use crate::generate::mixture::MixtureSample;
use crate::generate::{Generator, OutOfRange};
use crate::limits;

/// A number of variables.
type Variables = Whole<0, { limits::VARIABLES as i64 }>;

/// A kind of generator.
struct Kind {
    word: &'static str,
    meaning: &'static str,
    keys: fn() -> Vec<Key>,
    read: fn(&Table, &mut Reading<'_>) -> Option<Generator>,
}

macro_rules! kind {
    ($keys:ident of $model:ident) => {
        Kind {
            word: density::$keys::WORD,
            meaning: density::$keys::MEANING,
            keys: || [Sizes::keys(), density::$keys::keys()].concat(),
            read: |table, reading| {
                let sizes = Sizes::read_table(table, reading);
                let model = density::$keys::read_table(table, reading).map(Model::$model)?;
                let sample = DensitySample::new(sizes?, model);
                sample.map_err(|errors| out_of_range(errors, table, reading)).ok().map(Into::into)
            },
        }
    };
    ($keys:ident) => {
        Kind {
            word: $keys::WORD,
            meaning: $keys::MEANING,
            keys: $keys::keys,
            read: |table, reading| {
                let sample = $keys::read_table(table, reading)?.sample()?;
                sample.map_err(|errors| out_of_range(errors, table, reading)).ok()
            },
        }
    };
}

/// Every kind of generator.
static GENERATORS: &[Kind] = &[
    kind!(BlocksKeys of MixtureOfBlocks),
    kind!(TreeKeys of Tree),
    kind!(IndependentKeys of Independent),
    kind!(TiedKeys of TiedNetwork),
    kind!(LatentKeys of LatentTree),
    kind!(BooleanFunction),
    kind!(Factors),
    kind!(FactorsExample),
    kind!(MixtureSample),
];

reads! {
    in Reading;
    /// A generator by its kind.
    pub(super) OfKind: Generator = Form::ByKind(GENERATORS.iter().map(Kind::variant).collect()), |node, reading| {
        let table = node.table()?;
        let word = table.text("kind")?;
        let kind = GENERATORS.iter().find(|kind| kind.word == word)?;
        (kind.read)(table, reading)
    };
}

impl Kind {
    fn variant(&self) -> Variant {
        Variant { word: self.word, meaning: self.meaning, keys: (self.keys)() }
    }
}

/// Reports which parameters are out of range.
fn out_of_range(errors: Vec<OutOfRange>, table: &Table, reading: &mut Reading<'_>) {
    for error in errors {
        let node = table.get(error.parameter);
        let span = node.map_or(&table.span, |node| &node.span);
        reading.faults.at(span, error.to_string(), "out of range");
    }
}

/// A sample, or what is out of range; none where something else is wrong, which has been reported.
type Sample = Option<Result<Generator, Vec<OutOfRange>>>;

holds! {
    /// Whole numbers, which may be the same.
    Wholes: Vec<usize> = Form::Row(Box::new(Size::form())),
        |node: &Node| node.items().iter().map(Node::count).collect();
    /// How examples are drawn; none where all states are listed.
    Drawn: Option<Sampling> = Form::One(Domain::Word(&SAMPLINGS)),
        |node: &Node| SAMPLINGS.value(node.text()?);
}

words! {
    /// Boolean functions of c, the number of ones among the relevant variables.
    enum FunctionWord {
        Parity = "parity", "c is odd";
        Counting = "counting", "c mod `modulus` = `remainder`";
        Threshold = "threshold", "c ≥ `least`";
        Exact = "exact", "c is one of `values`";
        Conjunction = "conjunction", "all are one";
        Disjunction = "disjunction", "any is one";
    }
}

section! {
    in Reading;
    struct BooleanFunction: "boolean-function" => "classes that a Boolean function of the variables tells" {
        function: Word<FunctionWord> => "where it is 1";
        variables: Variables => "the number of variables";
        relevant: Option<Size>, else "all" => "on how many variables, the first ones, the function depends";
        sampling: Drawn => "how examples are drawn";
        modulus: Option<Size>, else "of `counting`" => "what the number of ones is divided by";
        remainder: Option<Size>, else "of `counting`" => "its remainder";
        least: Option<Size>, else "of `threshold`" => "the least number of ones";
        values: Option<Wholes>, else "of `exact`" => "the numbers of ones";
        seed: Option<Seed>, else "none where all states are listed" => "where the random numbers start";
        train: Option<Size>, else "all states" => "the number of training examples";
        test: Option<Size>, else "all states" => "the number of test examples";
    }
    check(reading, table) {
        let own = |word: FunctionWord| match function {
            Some(function) => Needed::when(function == word),
            None => Needed::May,
        };
        let random = sampling.map_or(Needed::May, |sampling| Needed::when(sampling.is_some()));
        reading.belong::<Self>(table, "`generator`", &[
            ("modulus", own(FunctionWord::Counting)),
            ("remainder", own(FunctionWord::Counting)),
            ("least", own(FunctionWord::Threshold)),
            ("values", own(FunctionWord::Exact)),
            ("seed", random),
            ("train", random),
            ("test", random),
        ]);
    }
}

impl BooleanFunction {
    fn sample(self) -> Sample {
        let function = match self.function {
            FunctionWord::Parity => Function::Parity,
            FunctionWord::Conjunction => Function::Conjunction,
            FunctionWord::Disjunction => Function::Disjunction,
            FunctionWord::Threshold => Function::Threshold { least: self.least? },
            FunctionWord::Exact => Function::Exact { values: self.values? },
            FunctionWord::Counting => {
                Function::Counting { modulus: self.modulus?, remainder: self.remainder? }
            }
        };
        let draws = match self.sampling {
            None => None,
            Some(sampling) => {
                let (seed, train, test) = (self.seed? as u64, self.train?, self.test?);
                Some(Draws { sampling, seed, train, test })
            }
        };
        let relevant = self.relevant.unwrap_or(self.variables);
        let sample = FunctionSample::new(self.variables, relevant, function, draws);
        Some(sample.map(Into::into))
    }
}

section! {
    in Reading;
    struct Factors: "factors" => "variables in known groups that are independent of each other" {
        factor: Word<Factor> => "what a group of variables is";
        seed: Seed => "where the random numbers start";
        variables: Variables => "the number of variables";
        size: Size => "the number of variables of a factor; the last may have fewer";
        examples: Size => "the number of examples";
    }
}

impl Factors {
    fn sample(self) -> Sample {
        let Self { factor, seed, variables, size, examples } = self;
        let family = Family::Random { factor, variables, size };
        Some(FactorSample::new(seed as u64, examples, family).map(Into::into))
    }
}

section! {
    in Reading;
    struct FactorsExample: "factors-example" => "the distribution of an example of Gasse and Aussem 2016" {
        example: Size => "the number of the paper's example, 1 to 3";
        seed: Seed => "where the random numbers start";
        examples: Size => "the number of examples";
    }
}

impl FactorsExample {
    fn sample(self) -> Sample {
        let family = Family::Example(self.example);
        let sample = FactorSample::new(self.seed as u64, self.examples, family);
        Some(sample.map(Into::into))
    }
}

impl MixtureSample {
    fn sample(self) -> Sample {
        Some(self.checked().map(Into::into))
    }
}
