//! Where a number comes from: from a cell or a claim down to its trials, their seeds, the data, the code, and the
//! commands that make only it again.

mod explanation;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use base::bounded::MOST_WRITTEN;
use base::layout::{ENVIRONMENT, MANIFEST};
use base::own;
use contract::{DatasetId, Metric};
use data::DataConfig;
use document::suggestion;
use itertools::Itertools as _;
use page::{Commands, Local};
use report::claims::Claim;
use report::sheet::{Form, Sheet};
use report::table::{self, Placed, Table};
use report::tested::{self, number};
use report::{Effect, Findings, Header};
use run::Record;
use run::only::Only;
use run::record::point;
use seal::Manifest;
use seal::manifest::BadManifest;
use serde_json::json;
use spec::{About, Comparison, Experiment, Verdict};

use super::checked::{Checked, Means};
use super::sealed::Sealed;
use super::{Error, Session, environment, origin};

pub use explanation::{Explanation, Step};

/// What is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// The whole experiment.
    Experiment,
    /// A cell: the table, or else the first that has it, its row and its column.
    Cell(Option<String>, String, String),
    /// A claim.
    Claim(String),
}

/// Explains a number of the sealed results `root/id`, or of those in the folder `id`.
///
/// # Errors
/// If there are none, they are not as they were sealed, or what is asked about is not in them.
pub fn explain(root: &Path, id: &str, ask: &Ask, means: &Means) -> Result<Explanation, Error> {
    let given = Path::new(id);
    let dir = if given.join(MANIFEST).exists() { given.to_owned() } else { root.join(id) };
    let nothing = || Error::Nothing { dir: dir.clone() };
    if !dir.join(MANIFEST).exists() {
        return Err(nothing());
    }
    let broken = |error: BadManifest| Error::Tampered {
        dir: dir.clone(),
        differences: vec![error.to_string()],
    };
    let manifest = Manifest::read(&dir).map_err(broken)?;
    let manifest = manifest.ok_or_else(nothing)?;
    let root = match dir.ancestors().nth(manifest.experiment.split('/').count()) {
        Some(here) if here == Path::new("") => Path::new("."),
        Some(above) => above,
        None => root,
    };
    // Entries of a stranger may name any source: no socket is opened for them.
    let data = DataConfig { offline: true, ..means.data.clone() };
    let means = Means { data, trust: true, ..means.clone() };
    let session = Session::sealed(&dir, &manifest, &means, &mut Checked::default())?;
    let sealed = Sealed::read(&session)?.ok_or_else(nothing)?;
    let records = sealed.records()?;
    let (titles, cited) = (|id: &DatasetId| session.title(id), session.cited());
    let experiment = report::table::marked(&session.experiment, &records.own);
    let findings = records.findings((&session, &experiment), &titles, &cited)?;
    let mut commands = origin::commands(&session, &sealed.manifest, root)?;
    if let Some(Local { folder, file }) = &mut commands.local {
        let of_registry = means.data.registry.as_deref().and_then(Path::parent);
        let folders = [means.data.files.as_deref(), of_registry, Some(&**folder)].into_iter();
        let has_it = folders.flatten().find(|folder| folder.join(&*file).is_file());
        let unknown = || format!("<folder of {}>", file.display()).into();
        *folder = has_it.map(Path::to_owned).unwrap_or_else(unknown);
    }
    let recorded = own::read_bounded(&dir.join(ENVIRONMENT), MOST_WRITTEN).unwrap_or_default();
    let machine = environment::recorded(&recorded);
    let code = code(&sealed.manifest, &machine);
    let asked = Asked { findings: &findings, commands: &commands, code };
    match ask {
        Ask::Experiment => Ok(asked.experiment()),
        Ask::Cell(table, row, column) => asked.cell(table.as_deref(), row, column),
        Ask::Claim(id) => asked.claim(id),
    }
}

/// The code that made the results.
fn code(manifest: &Manifest, machine: &BTreeMap<String, String>) -> Step {
    let on_record = |key: &str| machine.get(key).map_or("not on record", String::as_str);
    let facts = Sheet::of("Code", [()])
        .text("version", "reprise", |()| &*manifest.reprise)
        .text("commit", "commit", |()| on_record("commit"))
        .text("sources", "sources", |()| on_record("sources"))
        .text("digest", "digest of the results", |()| manifest.digest.to_string())
        .text("spec", "experiment file with its files", |()| manifest.spec.to_string());
    Step { id: "code", about: false, sheet: Sheet { form: Form::Record, ..facts.sheet() } }
}

/// What explanations are made of.
struct Asked<'f> {
    findings: &'f Findings<'f>,
    commands: &'f Commands,
    code: Step,
}

impl Asked<'_> {
    fn experiment(&self) -> Explanation {
        let findings = self.findings;
        let ids = |headers: &[Header<'_>]| {
            headers.iter().map(|header| header.id.clone()).collect::<Vec<_>>()
        };
        let tables = Sheet::of("Tables, whose cells are --cell ROW,COLUMN", &findings.tables)
            .text("id", "table", |table: &Table<'_>| &*table.spec.id)
            .value("rows", |table| json!(ids(&table.rows)))
            .shown("rows", |table| ids(&table.rows).join(", "))
            .value("columns", |table| json!(ids(&table.columns)))
            .shown("columns", |table| ids(&table.columns).join(", "));
        let claims = Sheet::of("Claims, each --claim ID", &findings.claims)
            .text("id", "claim", |claim: &Claim<'_>| &*claim.spec.id)
            .text("verdict", "verdict", |claim| claim.ours.verdict.word())
            .text("sentence", "what was found", |claim| &*claim.ours.sentence);
        let about = vec![("tables", tables.sheet()), ("claims", claims.sheet())];
        let mut explanation = self.over("experiment", about, &[], None, &[]);
        explanation.commands = vec![
            ("runs everything", self.commands.run()),
            ("executes three paths again and makes everything else anew", self.commands.audit()),
        ];
        explanation
    }

    fn cell(&self, table: Option<&str>, row: &str, column: &str) -> Result<Explanation, Error> {
        let findings = self.findings;
        let named = |one: &&Table<'_>| table.is_none_or(|id| one.spec.id == id);
        let tables: Vec<&Table<'_>> = findings.tables.iter().filter(named).collect();
        if let Some(id) = table.filter(|_| tables.is_empty()) {
            let ids = findings.tables.iter().map(|one| one.spec.id.as_str());
            return Err(self.unknown("table", id, &ids.collect::<Vec<_>>()));
        }
        let mut placed = tables.iter().flat_map(|table| table.placed());
        let Some(placed) = placed.find(|at| at.headers().map(|one| &*one.id) == [row, column])
        else {
            let ids = |axis: for<'t> fn(&'t Table<'t>) -> &'t [Header<'t>]| -> Vec<&str> {
                tables.iter().flat_map(|table| axis(table)).map(|one| &*one.id).collect()
            };
            let axes =
                [("row", row, ids(|one| &one.rows)), ("column", column, ids(|one| &one.columns))];
            let unknown = axes.iter().find(|(_, id, known)| !known.contains(id));
            return Err(match unknown {
                Some((what, id, known)) => self.unknown(what, id, known),
                None => self.unknown("cell", &format!("{row},{column}"), &[]),
            });
        };
        let trials = findings.behind(placed.table, placed.row, placed.column);
        let metric = placed.cell().metric;
        let same_place = |effect: &&Effect<'_>| {
            effect.metric.name == metric.name
                && trials.iter().any(|record| {
                    let setup = &record.trial.setup;
                    setup.dataset == *effect.dataset
                        && setup.method == *effect.method
                        && setup.part == *effect.part
                        && point(&setup.sweep) == effect.sweep
                })
        };
        let effects: Vec<_> = findings.effects.iter().filter(same_place).collect();
        let about = vec![("cell", facts(placed))];
        Ok(self.over("cell", about, &trials, Some(metric), &effects))
    }

    fn claim(&self, id: &str) -> Result<Explanation, Error> {
        let findings = self.findings;
        let Some(claim) = findings.claims.iter().find(|claim| claim.spec.id == id) else {
            let ids = findings.claims.iter().map(|claim| claim.spec.id.as_str());
            return Err(self.unknown("claim", id, &ids.collect::<Vec<_>>()));
        };
        let About { metric, test, methods, .. } = claim.spec.check.about();
        // A test may compare others too, or all at once.
        let asked = |row: &&Comparison| {
            let pair = [&row.left, &row.right];
            test.is_some_and(|id| row.is_ours_of(id))
                && pair.into_iter().all(|id| id.is_empty() || methods.contains(&id))
        };
        let rows: Vec<_> = findings.comparisons.rows.iter().filter(asked).collect();
        let (tests, shown) = (tested::sheet(&rows), tested::shown_by(&rows));
        let facts = Sheet::of(format!("Claim {id}"), [claim])
            .value("id", |claim: &Claim<'_>| &*claim.spec.id)
            .text("text", "claimed", |claim| &*claim.spec.text)
            .text("source", "source", |claim| claim.spec.source.text())
            .value("verdict", |claim| claim.ours.verdict.word())
            .text("by", "decided", |claim| claim.ours.by())
            .value("sentence", |claim| &*claim.ours.sentence)
            .shown("our numbers", |claim| &claim.ours)
            .text("evidence", "evidence", |claim| claim.ours.numbers())
            .value("published_verdict", |claim| claim.published.verdict.word())
            .value("published_evidence", |claim| claim.published.numbers());
        let judged = |claim: &Claim<'_>| claim.published.verdict != Verdict::NoEvidence;
        let of_paper = findings.claims.iter().any(judged);
        let facts =
            if of_paper { facts.shown("the paper's", |claim| &claim.published) } else { facts };
        let facts = Sheet { form: Form::Record, ..facts.sheet() };
        let mut about = vec![
            ("claim", facts),
            ("shown", found("What its test shows", &shown)),
            ("tests", Sheet { title: "Its test".to_owned(), ..tests }),
        ];
        about.extend(findings.universes.iter().filter_map(|universes| {
            let claim = universes.claims.iter().find(|claim| claim.spec.id == id)?;
            Some(("universes", found("In universes of choices", &universes.sentences(claim))))
        }));
        let test = test.and_then(|id| findings.experiment.test(id));
        let metric = metric.or(test.map(|test| test.metric));
        Ok(self.over("claim", about, &findings.behind_claim(claim), metric, &[]))
    }

    fn unknown(&self, what: &'static str, name: &str, known: &[&str]) -> Error {
        let experiment = self.findings.experiment.id.clone();
        let help = suggestion(name, known);
        Error::Unknown { experiment, what, name: name.to_owned(), help }
    }

    fn over(
        &self,
        about: &'static str,
        of_it: Vec<(&'static str, Sheet)>,
        records: &[&Record],
        metric: Option<&'static Metric>,
        effects: &[&Effect<'_>],
    ) -> Explanation {
        let findings = self.findings;
        let experiment = findings.experiment;
        let methods = records.iter().copied().unique_by(|record| &record.trial.method).collect();
        let data = records.iter().copied();
        let data =
            data.unique_by(|Record { trial, .. }| (&trial.dataset, trial.data, &trial.split));
        let step = |id, sheet| Step { id, about: false, sheet };
        let of_it = of_it.into_iter().map(|(id, sheet)| Step { id, about: true, sheet });
        let behind = [
            step("trials", trials(experiment, records, metric)),
            step("methods", self.methods(records, methods)),
            step("data", of_data(data.collect())),
            step("choices", choices(effects.iter().copied())),
            self.code.clone(),
        ];
        let only = Only::around(records.iter().map(|record| &record.trial));
        let commands = only.iter().flat_map(|only| {
            [
                ("runs only its trials", self.commands.run_only(only)),
                (
                    "executes only its trials again, and compares all bytes",
                    self.commands.audit_only(only),
                ),
            ]
        });
        Explanation {
            experiment: experiment.id.clone(),
            title: experiment.title.clone(),
            about,
            steps: of_it.chain(behind).collect(),
            commands: commands.collect(),
        }
    }

    /// Methods, a record each, with the parameters that are the same in all trials.
    fn methods(&self, records: &[&Record], methods: Vec<&Record>) -> Sheet {
        let parameters = |record: &Record| -> Vec<(String, String)> {
            let setup = &record.trial.setup;
            let same = |name: &str| {
                let of = |one: &&&Record| one.trial.method == setup.method;
                let value = setup.parameters.value(name);
                records.iter().filter(of).all(|other| other.trial.parameters.value(name) == value)
            };
            let same = setup.parameters.iter().filter(|(name, _)| same(name));
            same.map(|(name, value)| (name.to_owned(), value.to_string())).collect()
        };
        let select = |record: &Record| {
            let spec = self.findings.experiment.method(&record.trial.method);
            spec.filter(|spec| !spec.grid.is_empty()).and_then(|spec| Some(spec.select?.name))
        };
        Sheet::of("Methods", methods)
            .text("id", "method", |record: &Record| &*record.trial.method)
            .text("kind", "kind", |record| &*record.trial.kind)
            .number("revision", "revision", |record| record.trial.revision)
            .value("parameters", |record| json!(parameters(record)))
            .shown("parameters", |record| point(&parameters(record)))
            .text("select", "the best of its grid by", select)
            .sheet()
    }
}

/// What was found, in sentences.
fn found(title: &str, sentences: &[String]) -> Sheet {
    Sheet::of(title, sentences).text("found", "", |said: &String| &**said).sheet()
}

/// What the results say of a cell, and how it is made.
fn facts(placed: Placed<'_>) -> Sheet {
    let (table, [row, column]) = (placed.table, placed.headers().map(|header| &header.id));
    let ours = |at: Placed<'_>| {
        let ours = &at.cell().ours;
        let sd = ours.sd.map(|sd| format!(" ± {}", number(sd, 3))).unwrap_or_default();
        let value = ours.value.map_or_else(|| "none".to_owned(), base::text::real);
        format!("{value}{sd} ({})", ours.status.word())
    };
    let cause = |at: Placed<'_>| at.cell().note.map(|note| table.notes[note].text());
    let sheet = table::cells(table, [placed])
        .value("table", |_| &*table.spec.id)
        .text("meaning", placed.cell().metric.name, |at| at.cell().metric.meaning)
        .shown("ours", ours)
        .text("rule", "its value", |_| rule(table))
        .shown("published", |at| at.cell().published.map(|(value, _)| value))
        .shown("difference", |at| at.cell().difference())
        .shown("half the 95% interval of ours", |at| at.cell().noise.map(|noise| noise.interval))
        .shown("against the paper", |at| at.agreement().map(|word| word.replace('-', " ")))
        .text("cause", "why", cause)
        .sheet();
    let title = format!("Cell {row} / {column} of table {}", table.spec.id);
    Sheet { title, form: Form::Record, ..sheet }
}

/// How a table makes values of trials.
fn rule(table: &Table<'_>) -> String {
    let spec = table.spec;
    let mut rule =
        "the mean over problems, then folds, then repeats of the selected trials".to_owned();
    if spec.scale != 1.0 {
        let _ = write!(rule, ", times {}", base::text::real(spec.scale));
    }
    if let Some(over) = table::deviation(spec.sd) {
        let _ = write!(rule, "; ± is the {over}");
    }
    rule
}

/// The trials, those that were selected first.
fn trials(experiment: &Experiment, records: &[&Record], metric: Option<&'static Metric>) -> Sheet {
    let selecting = |record: &Record| {
        let select = experiment.method(&record.trial.method)?.select?;
        if record.trial.grid.is_empty() { None } else { record.value(select) }
    };
    let at = |record: &Record| point(record.trial.sweep.iter().chain(&record.trial.grid));
    let mut records = records.to_vec();
    records.sort_by_key(|record| !record.selected);
    Sheet::of(format!("Its {} trials", records.len()), records)
        .value("key", |record: &Record| record.trial.key.to_string())
        .shown("trial", |record| record.trial.key.short())
        .text("place", "place", |record| record.trial.place())
        .value("seed", |record| record.trial.seed.to_string())
        .text("point", "point", at)
        .number("value", "value", |record| record.value(metric?))
        .text("status", "status", |record| record.status().word())
        .value("selected", |record| record.selected)
        .number("selecting", "selected by", selecting)
        .shown("", |record| selecting(record).filter(|_| record.selected).map(|_| "selected"))
        .value("seconds", page::spent)
        .shown("seed", |record| record.trial.seed.short())
        .text("message", "message", |record| {
            record.outcome.as_ref().map(|outcome| outcome.remark().into_owned())
        })
        .sheet()
}

/// Datasets, a record each.
fn of_data(data: Vec<&Record>) -> Sheet {
    Sheet::of("Data", data)
        .text("id", "data set", |record: &Record| &*record.trial.dataset)
        .text("split", "split", |record| &*record.trial.split)
        .text("digest", "SHA-256", |record| record.trial.data.to_string())
        .sheet()
}

fn choices<'e>(effects: impl Iterator<Item = &'e Effect<'e>>) -> Sheet {
    Sheet::of("What choices do to it, in the metric's unit", effects)
        .text("choice", "choice", |effect: &Effect<'_>| effect.assignment.choices())
        .text("option", "option", |effect| effect.assignment.options())
        .value("chosen", |effect| effect.chosen)
        .number("value", "value", |effect| effect.cell.value)
        .number("repeats", "repeats", |effect| effect.cell.n)
        .number("moves", "moves it by, over the same repeats", |effect| effect.moves())
        .shown("", |effect| effect.chosen.then_some("chosen"))
        .sheet()
}
