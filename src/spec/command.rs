//! `kind = "command"` and `estimator`: a program as a method, with the parameters that it declares, or is given.

use std::path::PathBuf;
use std::sync::Arc;

use base::layout::{TRIAL_IDENTITY, TRIAL_OUTCOME, TRIAL_PROVENANCE, TRIAL_SETTING};
use base::words::{self, Words};
use contract::parameter::{Domain, Parameter, Preset};
use contract::{Fit, Gives, MethodEntry, MethodId, Metrics, Value};
use document::{
    Absent, Count, Faults, Flag, Form, Holds as _, Key, Node, Pattern, Positive, ReadTable as _,
    Section as _, Single, Span, Spanned, Table, Text, Word, holds, section,
};
use method::command::COMMAND;
use miette::Diagnostic as _;
use program::{CodeFile, Determinism, MOST_TOLERANCE, Mode, PROTOCOL, Program};

use super::scope::Parted;
use estimator::EstimatorKeys;
pub use estimator::estimator_keys;

mod estimator;

/// Sizes such as `4GiB`.
static SIZE: Pattern = Pattern::new(
    "size, such as `\"512MiB\"` or `\"4GiB\"`",
    "a size such as \"512MiB\" or \"4GiB\"",
    r"^[1-9][0-9]*(KiB|MiB|GiB)$",
)
.by(|text| bytes(text).is_some());

/// The bytes of a size such as `4GiB`; none if it is none.
pub fn bytes(text: &str) -> Option<u64> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let unit = match unit {
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1u64 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok().filter(|count| *count > 0)?.checked_mul(unit)
}

base::words! {
    /// What a program promises of the same trial asked again.
    enum Promise {
        Bitwise = "bitwise", "the same bits, with the same lock and the same CPU features";
        Tolerance = "tolerance", "the same values within `tolerance`; they stand in `external/`, outside the digest";
        Stochastic = "stochastic", "other values of the same distribution; they stand in `external/`, outside the digest";
    }
}

base::words! {
    /// The type of a declared parameter.
    enum Type {
        Integer = "integer", "a whole number";
        Real = "real", "a number";
        Boolean = "boolean", "true or false";
        Word = "word", "one of `words`";
    }
}

fn texts(node: &Node) -> Option<Vec<String>> {
    node.items().iter().map(Node::string).collect()
}

holds! {
    /// A command: the program and its arguments.
    Command: Vec<String> = Form::Row(Box::new(Text::form())), texts;
    /// Commands, one after another.
    Commands: Vec<Vec<String>> = Form::Row(Box::new(Command::form())),
        |node: &Node| node.items().iter().map(texts).collect();
    /// Different texts.
    Texts: Vec<String> = Form::List(Box::new(Text::form())), texts;
    /// A number of bytes.
    Size: u64 = Form::Text(&SIZE), |node: &Node| bytes(node.text()?);
    /// Parameters by their names.
    Declarations: Table = Form::Tables("parameter", declaration()), |node: &Node| node.table().cloned();
}

section! {
    in Parted;
    /// What a `[[method]]` of kind `command` says beside what every program does.
    pub(crate) struct CommandKeys {
        gives: Word<Gives> => "what it answers with";
        command: Spanned<Command>
            => "the program and its arguments; `{env}` is the folder of its environment. It runs in the experiment file's folder";
        prepare: Option<Commands>, else "it needs no environment" => "the commands that build its environment, once for each `lock`; they may use the network";
        code: Spanned<Texts>
            => "its files, as patterns such as `forest/*.py`, relative to the experiment file; their bytes enter the trial key and are sealed";
        lock: Option<Spanned<Text>>, else "none" => "the file that fixes the versions of what it stands on; hashed and sealed as code is";
        mode: Word<Mode> = "worker" => "how many trials a process answers";
        data: Word<program::Form> = "npy" => "in what form it gets its examples";
        parameters: Option<Spanned<Declarations>>, else "none"
            => "the parameters that it has; a method sets, sweeps or selects them as those of any kind";
    }
    check(scope, _table) {
        if let Some(command) = command.as_ref().filter(|command| command.value.is_empty()) {
            scope.faults.at(&command.span, "`command` is empty", "expected a program and its arguments");
        }
    }
}

section! {
    in Parted;
    pub(crate) struct ProgramKeys: "program" => "What the methods that are programs, of kind `command` and with an `estimator`, have in common: each takes the keys here that it can have and does not give itself." {
        sees_valid: Flag = false => "it sees the labels of validation examples; tables say so";
        determinism: Word<Promise> = "bitwise" => "what it promises of the same trial asked again";
        tolerance: Option<Spanned<Positive>>, else "an error with `determinism = \"tolerance\"`"
            => "how far its values may move, at most 0.001: of the range of a metric, or of the size of a value where the range has no end";
        threads: Count = 1 => "how many threads it may use";
        memory: Option<Size>, else "no limit" => "how much memory it may use, with all its processes";
        readable: Option<Spanned<Texts>>, else "none"
            => "files and folders beside its code that it may read, such as weights; they are not sealed";
        devices: Option<Spanned<Texts>>, else "none" => "devices that it may use, such as `/dev/nvidia0`";
    }
    check(scope, table) {
        let below = |path: &String| path.starts_with("/dev/") && !path.contains("/..");
        if let Some(Some(devices)) = devices.as_ref()
            && !devices.value.iter().all(below)
        {
            scope.fault(&devices.span, "a device does not lie below /dev", "such as \"/dev/nvidia0\" was expected");
        }
        match (determinism.as_ref(), tolerance.as_ref()) {
            (Some(Promise::Tolerance), Some(None)) => {
                scope.fault(&table.span, "there is no `tolerance`", "promises its values within a tolerance")
                    .help("say `tolerance = 1e-6`; `reprise methods check` shows how far its answers move");
            }
            (Some(Promise::Bitwise | Promise::Stochastic), Some(Some(tolerance))) => {
                scope.fault(&tolerance.span, "`tolerance` without `determinism = \"tolerance\"`", "holds for nothing");
            }
            _ => {}
        }
    }
}

section! {
    in Parted;
    /// A parameter that a program declares, its type aside.
    pub(crate) struct DeclaredKeys {
        default: Single => "its value where the method does not set it";
        from: Option<Single>, else "no limit" => "of numbers: the least";
        to: Option<Single>, else "no limit" => "of numbers: the largest";
        words: Option<Texts>, else "none" => "of `word`: the words that it may be";
        meaning: Text = "a parameter of the program" => "what it means";
    }
}

/// The keys that the kind of a method brings: its parameters, or what says how a program is run.
pub fn keys_of(entry: &'static MethodEntry) -> Vec<Key> {
    if entry.kind == COMMAND.kind {
        [CommandKeys::keys(), ProgramKeys::keys()].concat()
    } else {
        entry.parameters.iter().map(Key::from).collect()
    }
}

/// The keys of `[program]`.
pub(crate) fn shared_keys() -> Vec<Key> {
    let mut keys = keys_of(&COMMAND);
    keys.extend(EstimatorKeys::keys().into_iter().filter(|key| key.name == "environment"));
    keys
}

/// The keys of a method that is a program, those of all methods and its parameters aside; none of other methods.
pub(crate) fn program_keys(method: &Table) -> Option<Vec<Key>> {
    match method.text("kind") {
        _ if method.get("estimator").is_some() => Some(estimator_keys()),
        Some(kind) if kind == COMMAND.kind => Some(keys_of(&COMMAND)),
        _ => None,
    }
}

/// Gives each method that is a program the keys of `[program]` that it lacks.
pub(crate) fn share(root: &mut Table, faults: &mut Faults) {
    let Some(shared) = root.entry("program").cloned() else { return };
    let Some(common) = shared.node.table() else { return };
    let mut taken = false;
    for method in root.tables_mut("method") {
        let Some(keys) = program_keys(method) else { continue };
        taken = true;
        for entry in &common.entries {
            let has = keys.iter().any(|key| key.name == entry.key);
            if has && method.get(&entry.key).is_none() {
                method.entries.push(entry.clone());
            }
        }
    }
    if !taken {
        let message = format!("no method of kind `{}` takes what `[program]` says", COMMAND.kind);
        faults.at(&shared.key_span, message, "holds for nothing");
    }
}

/// The keys of a declared parameter.
fn declaration() -> Vec<Key> {
    let form = Word::<Type>::form();
    let of_type = Key { name: "type", form, absent: Absent::Required, meaning: "its type" };
    [vec![of_type], DeclaredKeys::keys()].concat()
}

/// The keys of such a method beside those of all methods, and those of the parameters that its table declares. What is
/// wrong with these is reported.
pub(crate) fn keys(
    table: &Table,
    (of_all, metrics): (&[Key], &Metrics),
    faults: &mut Faults,
) -> Vec<Key> {
    let mut keys = program_keys(table).unwrap_or_default();
    let taken: Vec<&str> = of_all.iter().chain(&keys).map(|key| key.name).collect();
    let named = match table.get("estimator") {
        Some(_) => estimator::given(table, of_all),
        None => table.table("parameters").iter().flat_map(|table| &table.entries).collect(),
    };
    for entry in named {
        let name = entry.key.as_str();
        let message = || format!("a parameter can't be called `{name}`");
        if taken.contains(&name) {
            faults.at(&entry.key_span, message(), "a key of every such method");
        } else if is_column(name, metrics) {
            faults.at(&entry.key_span, message(), "a column of trials.csv");
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(plain) {
            let message = format!("`{name}` is no name of a parameter");
            let label = "expected letters, digits and `_`, beginning with a letter";
            faults.at(&entry.key_span, message, label);
        }
    }
    keys.extend(declared(table, of_all, faults).iter().map(Key::from));
    keys
}

/// Whether `trials.csv` has a column of this name that is no parameter's.
fn is_column(name: &str, metrics: &Metrics) -> bool {
    let further = [TRIAL_SETTING, TRIAL_OUTCOME];
    let mut own = TRIAL_IDENTITY.iter().chain(&TRIAL_PROVENANCE).chain(&further);
    own.any(|column| *column == name) || metrics.get(name).is_some()
}

/// The parameters that a method's table declares. What is wrong with them is reported.
fn declared(table: &Table, of_all: &[Key], faults: &mut Faults) -> &'static [Parameter] {
    if table.get("estimator").is_some() {
        let parameters = estimator::given(table, of_all).into_iter();
        return parameters.filter_map(estimator::parameter).collect::<Vec<_>>().leak();
    }
    let declarations = table.table("parameters");
    let entries = declarations.iter().flat_map(|table| &table.entries);
    let parameters = entries.filter_map(|entry| {
        let parameter = parameter(&entry.key, entry.node.table()?)?;
        let default = entry.node.table()?.get("default")?;
        let value = default.scalar()?.clone();
        match parameter.check(value) {
            Ok(value) => Some(Parameter { default: preset(value), ..parameter }),
            Err(expected) => {
                faults.wrong("default", default, &expected);
                None
            }
        }
    });
    parameters.collect::<Vec<_>>().leak()
}

/// A parameter without its default; none where its keys are wrong, which is reported elsewhere.
fn parameter(name: &str, keys: &Table) -> Option<Parameter> {
    let number = |key: &str| keys.get(key).and_then(Node::scalar).and_then(Value::number);
    let domain = match <Type as words::Worded>::WORDS.value(keys.text("type")?)? {
        Type::Integer => Domain::Integer {
            least: number("from").map_or(i64::MIN, |least| least.ceil() as i64),
            most: number("to").map_or(i64::MAX, |most| most.floor() as i64),
        },
        Type::Real => Domain::Real {
            least: number("from").unwrap_or(f64::NEG_INFINITY),
            most: number("to").unwrap_or(f64::INFINITY),
            open: false,
        },
        Type::Boolean => Domain::Bool,
        Type::Word => {
            let words = texts(keys.get("words")?)?;
            let words = words.iter().map(|word| (text(word), (), "a word of the program"));
            let words = Box::leak(Box::new(words.collect::<Vec<_>>()));
            Domain::Word(Box::leak(Box::new(Words(words))))
        }
    };
    let meaning = text(keys.text("meaning").unwrap_or_default());
    Some(Parameter::new(text(name), domain, Preset::Bool(false), meaning))
}

fn preset(value: Value) -> Preset {
    value.map(|text| &*text.leak())
}

/// A text of a declaration, which lives as long as the process, as those of native methods do.
fn text(text: &str) -> &'static str {
    text.to_owned().leak()
}

/// The entry of a program that declares these parameters and answers so.
fn entry(gives: Gives, parameters: &'static [Parameter]) -> &'static MethodEntry {
    let (revision, fits) = (PROTOCOL as u32, vec![Fit::Program(gives)].leak());
    Box::leak(Box::new(MethodEntry { revision, parameters, fits, ..COMMAND }))
}

/// What a method runs, and how it is built.
struct Runs {
    gives: Gives,
    command: Vec<String>,
    prepare: Vec<Vec<String>>,
    code: Vec<CodeFile>,
    lock: Option<CodeFile>,
    brought: Vec<CodeFile>,
    form: program::Form,
    mode: Mode,
    frame: bool,
}

/// Where the code of programs lies, and what is wrong with it.
struct Files<'f> {
    folder: PathBuf,
    sealed: bool,
    faults: &'f mut Faults,
}

impl<'f> Files<'f> {
    fn of(scope: &'f mut Parted<'_>) -> Self {
        let folder = scope.outline.code.as_path();
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        Self { folder, sealed: scope.outline.sealed, faults: scope.faults }
    }

    /// What a key names; none if it can't be used, which is reported.
    fn usable<T>(&mut self, found: Result<T, program::Error>, span: &Span) -> Option<T> {
        let report = |error: program::Error| {
            let help = error.help().map(|help| help.to_string());
            self.faults.at(span, error.to_string(), "can't be used").maybe_help(help);
        };
        found.map_err(report).ok()
    }

    fn code(&mut self, patterns: &Spanned<Vec<String>>) -> Option<Vec<CodeFile>> {
        self.usable(program::code(&self.folder, &patterns.value), &patterns.span)
    }

    fn lock(&mut self, lock: Option<&Spanned<String>>) -> Option<Option<CodeFile>> {
        let Some(lock) = lock else { return Some(None) };
        self.usable(CodeFile::read(&self.folder, &lock.value), &lock.span).map(Some)
    }

    /// Files that reprise brings along; those of sealed results are sealed too.
    fn brought(&mut self, paths: &[&str], span: &Span) -> Option<Vec<CodeFile>> {
        let file = |&path: &&str| match CodeFile::brought(path).filter(|_| !self.sealed) {
            Some(file) => Ok(file),
            None => CodeFile::read(&self.folder, path),
        };
        let files = paths.iter().map(file).collect();
        self.usable(files, span)
    }
}

impl Runs {
    fn command(keys: CommandKeys, files: &mut Files<'_>) -> Option<Self> {
        let (code, lock) = (files.code(&keys.code), files.lock(keys.lock.as_ref()));
        Some(Self {
            gives: keys.gives,
            command: keys.command.value,
            prepare: keys.prepare.unwrap_or_default(),
            code: code?,
            lock: lock?,
            brought: Vec::new(),
            form: keys.data,
            mode: keys.mode,
            frame: false,
        })
    }
}

/// What a method's table says of its program beside the keys of all methods, and the entry that it is; none if there are
/// errors.
pub(crate) fn command(
    id: &MethodId,
    (table, of_all): (&Table, &[Key]),
    scope: &mut Parted<'_>,
) -> Option<(&'static MethodEntry, Arc<Program>)> {
    let keys = ProgramKeys::read_table(table, scope)?;
    let runs = match table.get("estimator") {
        Some(expression) => {
            let asked = (expression, estimator::asked(id, table, scope));
            let keys = EstimatorKeys::read_table(table, scope)?;
            estimator::runs(asked, keys, &mut Files::of(scope))
        }
        None => {
            let keys = CommandKeys::read_table(table, scope)?;
            Runs::command(keys, &mut Files::of(scope))
        }
    };
    // Of sealed results an audit says that it confirms nothing.
    if let Some(tolerance) = keys.tolerance.as_ref().filter(|_| !scope.outline.sealed)
        && tolerance.value > MOST_TOLERANCE
    {
        let message = format!("`tolerance` is above {MOST_TOLERANCE}");
        scope
            .fault(&tolerance.span, message, "would confirm nearly any value")
            .help("say `determinism = \"stochastic\"`: fresh values are then compared as draws");
    }
    let (paths, span) = keys.readable.map(|keys| (keys.value, keys.span)).unzip();
    let mut files = Files::of(scope);
    let readable = program::readable(&files.folder, &paths.unwrap_or_default());
    let readable = files.usable(readable, &span.unwrap_or_default());
    let Runs { gives, command, prepare, code, lock, brought, form, mode, frame } = runs?;
    let program = Program {
        id: id.clone(),
        folder: files.folder,
        command,
        prepare,
        code,
        lock,
        brought,
        gives,
        form,
        mode,
        sees_valid: keys.sees_valid,
        frame,
        threads: keys.threads,
        memory: keys.memory,
        readable: readable?,
        devices: keys.devices.into_iter().flat_map(|keys| keys.value).map(Into::into).collect(),
        determinism: match (keys.determinism, &keys.tolerance) {
            (Promise::Tolerance, Some(tolerance)) => Determinism::Tolerance(tolerance.value),
            (Promise::Stochastic, _) => Determinism::Stochastic,
            (Promise::Bitwise, _) | (Promise::Tolerance, None) => Determinism::Bitwise,
        },
    };
    // What is wrong with the declarations has been reported when their shape was checked.
    let mut unheard = Faults::new("", "");
    Some((entry(gives, declared(table, of_all, &mut unheard)), Arc::new(program)))
}
