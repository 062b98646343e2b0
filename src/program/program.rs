//! What an experiment file says of a program, resolved.

use std::path::PathBuf;

use base::digest::{Digest, FieldHasher};
pub use contract::Gives;
use contract::MethodId;

use crate::code::CodeFile;

/// The version of the dialogue and of the hand-over.
pub const PROTOCOL: u64 = 1;
/// Raised when the rows change that a density is asked beside its test rows.
const PROBES: u64 = 2;

/// The largest tolerance that a method may promise: more would confirm whatever is sealed.
pub const MOST_TOLERANCE: f64 = 1e-3;

base::words! {
    /// In what form a program gets its examples.
    #[derive(Hash)]
    pub enum Form {
        Npy = "npy", "NumPy arrays";
        Csv = "csv", "comma-separated text, for languages without NumPy arrays";
    }
}

base::words! {
    /// How many trials a process answers.
    #[derive(Hash)]
    pub enum Mode {
        Worker = "worker", "many trials of one hand-over, one after another";
        Once = "once", "one trial";
    }
}

/// What a program promises of the same trial asked again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Determinism {
    /// The same bits, with the same lock and the same CPU features.
    Bitwise,
    /// The same values but for so much: of a value beyond 1 in size, so much of it.
    Tolerance(f64),
    /// Other values of the same distribution.
    Stochastic,
}

/// A program that is a method: what an experiment file says of it, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Id of the method.
    pub id: MethodId,
    /// The experiment's folder: the program's working folder; the paths of its code are relative to it. Absolute.
    pub folder: PathBuf,
    /// The program and its arguments; `{env}` stands for the folder of its environment.
    pub command: Vec<String>,
    /// The commands that build its environment, in order; `{env}` as above. None: it has no environment.
    pub prepare: Vec<Vec<String>>,
    /// Its code, sorted by path.
    pub code: Vec<CodeFile>,
    /// The file that fixes the versions of what it stands on.
    pub lock: Option<CodeFile>,
    /// Files that reprise brings along, of an estimator: they lie in its environment. Empty of any other program.
    pub brought: Vec<CodeFile>,
    /// What it answers with.
    pub gives: Gives,
    /// In what form it gets its examples.
    pub form: Form,
    /// How many trials a process answers.
    pub mode: Mode,
    /// Whether it sees the labels of validation rows.
    pub sees_valid: bool,
    /// Whether it gets the columns of a table as the dataset has them, with names and missing values.
    pub frame: bool,
    /// How many threads it may use, at least 1.
    pub threads: usize,
    /// How many bytes of memory it may use, with all its processes; none: no limit.
    pub memory: Option<u64>,
    /// Files and folders beside its code that it may read, such as weights.
    pub readable: Vec<PathBuf>,
    /// Devices that it may use, such as a GPU's. Absolute.
    pub devices: Vec<PathBuf>,
    /// What it promises of the same trial asked again.
    pub determinism: Determinism,
}

impl Program {
    /// Whether it is an estimator of scikit-learn, which tells what is wrong with its parameters before it is fitted.
    pub fn is_estimator(&self) -> bool {
        !self.brought.is_empty()
    }

    /// Digest of all that its answers may depend on: another one means other trials. Its id, its folder and its limits
    /// are not in it.
    pub fn digest(&self) -> Digest {
        let words = |hasher: FieldHasher, words: &[String]| {
            let counted = hasher.number(words.len() as u64);
            words.iter().fold(counted, |hasher, word| hasher.field(word))
        };
        let file = |hasher: FieldHasher, file: &CodeFile| {
            hasher.field(&file.path).field(file.digest.0).number(file.bytes)
        };
        let mut hasher = words(FieldHasher::new("program"), &self.command);
        hasher = hasher.number(self.prepare.len() as u64);
        hasher = self.prepare.iter().fold(hasher, |hasher, command| words(hasher, command));
        hasher = self.code.iter().fold(hasher.number(self.code.len() as u64), file);
        hasher = self.lock.iter().fold(hasher.number(self.lock.iter().len() as u64), file);
        if self.is_estimator() {
            hasher = self.brought.iter().fold(hasher.number(self.brought.len() as u64), file);
        }
        if self.gives == Gives::LogLikelihoods {
            hasher = hasher.number(PROBES);
        }
        if self.frame {
            hasher = hasher.field("frame");
        }
        hasher
            .field(self.gives.word())
            .field(self.form.word())
            .field(self.mode.word())
            .number(u64::from(self.sees_valid))
            .number(self.threads as u64)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        let file = |path: &str| CodeFile {
            path: path.to_owned(),
            digest: Digest::of(path.as_bytes()),
            bytes: 7,
        };
        Program {
            id: "forest".into(),
            folder: PathBuf::from("/experiment"),
            command: vec!["{env}/bin/python".to_owned(), "forest/method.py".to_owned()],
            prepare: vec![vec!["python3".to_owned(), "-m".to_owned(), "venv".to_owned()]],
            code: vec![file("forest/method.py")],
            lock: Some(file("forest/requirements.txt")),
            brought: Vec::new(),
            gives: Gives::Labels,
            form: Form::Npy,
            mode: Mode::Worker,
            sees_valid: false,
            frame: false,
            threads: 1,
            memory: None,
            readable: Vec::new(),
            devices: Vec::new(),
            determinism: Determinism::Bitwise,
        }
    }

    #[test]
    fn the_digest_knows_what_answers_depend_on_and_nothing_else() {
        let changes: [fn(&mut Program); 11] = [
            |program| program.command.push("--fast".to_owned()),
            |program| program.prepare.push(vec!["true".to_owned()]),
            |program| program.code[0].digest = Digest::of(b"other"),
            |program| program.code[0].path.push('c'),
            |program| program.lock = None,
            |program| program.brought = program.code.clone(),
            |program| program.gives = Gives::Probabilities,
            |program| program.form = Form::Csv,
            |program| program.sees_valid = true,
            |program| program.frame = true,
            |program| program.threads = 2,
        ];
        for change in changes {
            let mut other = program();
            change(&mut other);
            assert_ne!(other.digest(), program().digest(), "{other:?}");
        }
        // What is sealed stays what it is: by hashlib, over each field behind its length.
        let sealed = |change: fn(&mut Program)| {
            let mut program = program();
            change(&mut program);
            program.digest().to_string()
        };
        assert_eq!(
            [
                sealed(|_| ()),
                sealed(|program| program.brought = program.code.clone()),
                sealed(|program| program.gives = Gives::LogLikelihoods),
            ],
            [
                "3a05a9d78162429a284b3a2821c55ab9dc4288fa14e74cf8508367a532dda599",
                "944af9a3a35d4fe9eae430f5b054be43e0263fc0377e1d15d3ce0fa66a730cdb",
                "037810e6a3ebdb78220c423ccb05bdd5d15d9fd92da4504f4f292ea668b69c9b",
            ]
        );
        let mut moved = program();
        moved.folder = PathBuf::from("/elsewhere");
        moved.memory = Some(1 << 30);
        assert_eq!(moved.digest(), program().digest());
    }
}
