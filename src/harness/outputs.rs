//! The files of a results folder, as a function of the experiment file, its data and the records of its
//! trials; and sealing them.

use contract::DatasetId;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use crate::environment::{self, Environment, UNKNOWN};
use base::bounded::MOST_WRITTEN;
use base::digest::{Digest, FieldHasher};
use base::file_error::FileError;
use base::layout::{CODE, DATASETS, ENVIRONMENT, EXTERNAL, OVERLAY, PAGE, PAPERS, SPEC, TIMING};
use base::own;
use method::command::COMMAND;
use page::Provenance;
use report::figure::Export;
use report::universes::Universes;
use report::{Cited, Findings, Report, Titles};
use run::needs::Needs;
use run::plan::WithChoices;
use run::store::Folder;
use run::{Record, select, trials_csv};
use seal::write::{self, Held};
use seal::{LAYOUT, Manifest, SCHEMA};
use spec::{Experiment, MethodSpec};

use super::planned::Planned;
use super::{Error, Session, origin};

/// The folder of results as pages name it.
const RESULTS: &str = "results";

/// What a results folder is to hold.
#[derive(Debug)]
pub struct Outputs {
    /// What the records amount to.
    pub report: Report,
    /// All files but the manifest, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The manifest.
    pub manifest: Manifest,
    /// The keys of the trials.
    keys: BTreeSet<Digest>,
    /// Whether all of them are there, those of universes too.
    whole: bool,
}

/// Which of the derived files are made.
#[derive(Debug, Clone)]
pub struct Renderings {
    /// The page.
    pub page: bool,
    /// What figures are written as beside SVG.
    pub exports: BTreeSet<Export>,
    /// The version that seals them, which the page names.
    pub reprise: String,
}

impl Renderings {
    /// The page, and what figures are asked for as.
    pub fn with(exports: BTreeSet<Export>) -> Self {
        Self { page: true, exports, reprise: env!("CARGO_PKG_VERSION").to_owned() }
    }

    /// Those that are sealed.
    pub fn sealed(manifest: &Manifest) -> Self {
        let any = |is: &dyn Fn(&str) -> bool| manifest.files.iter().any(|file| is(&file.path));
        let mut exports = BTreeSet::from(Export::ALL);
        exports.retain(|export| any(&|path| path.ends_with(export.extension())));
        Self { page: any(&|path| path == PAGE), exports, reprise: manifest.reprise.clone() }
    }
}

/// The records of all planned trials.
#[derive(Debug)]
pub struct Records {
    /// Those that feed tables, tests and claims, and those of choices.
    pub own: Vec<Record>,
    /// Those of universes beside them.
    pub universes: Vec<Record>,
}

impl Records {
    /// Those of a plan, which are all of these.
    pub fn of_plan(planned: &Planned<'_>, all: Vec<Record>) -> Self {
        let (own, universes) = select::apart(&planned.pool(), all);
        Self { own, universes }
    }

    /// What they amount to.
    ///
    /// # Errors
    /// As [`Findings::new`].
    pub fn findings<'a>(
        &'a self,
        (session, experiment): (&'a Session, &'a Experiment),
        titles: Titles<'a>,
        cited: &'a [Cited],
    ) -> Result<Findings<'a>, Error> {
        let findings = Findings::new(experiment, &self.own, titles, cited)?;
        Ok(findings.in_universes(&session.universes, &self.universes))
    }
}

impl Outputs {
    /// The outputs of these records; `choices` says whether the options of choices are among them. `environment` is that of the trials; none if none ran now, and then the one on record
    /// stays.
    ///
    /// # Errors
    /// If a figure can't be made a picture.
    pub fn new(
        session: &Session,
        all: &Records,
        choices: WithChoices,
        renderings: Renderings,
        environment: Option<Environment>,
    ) -> Result<Self, Error> {
        let records = &*all.own;
        let experiment = &*report::table::marked(&session.experiment, records);
        let (titles, cited) = (|id: &DatasetId| session.title(id), session.cited());
        let findings = all.findings((session, experiment), &titles, &cited)?;
        let report = findings.report();
        let exact = |record: &Record| {
            experiment.method(&record.trial.method).is_none_or(MethodSpec::is_exact)
        };
        let mut files = report.files.clone();
        if !records.iter().all(exact) {
            let exact = without_values(records, exact);
            let exact = Findings::new(experiment, &exact, &titles, &cited)?;
            files = apart(&report, exact.report());
        }
        files.extend(findings.universes.iter().flat_map(Universes::files));
        files.extend(exported(&files, &renderings.exports)?);
        let trials = records.iter().map(|record| &record.trial);
        let needs = Needs::of(experiment, trials.clone(), std::iter::empty());
        let known = &experiment.known.metrics;
        files.extend(trials_csv::write(records, &all.universes, known, &|record| !exact(record)));
        files.extend(inputs(session)?);
        let recorded = machine_of(&session.dir, environment)?;
        let machine = environment::recorded(recorded.as_deref().unwrap_or_default());
        files.extend(recorded.map(|text| (ENVIRONMENT.to_owned(), text)));
        let header = header(experiment, records, &needs, choices, renderings.reprise);
        let commit = machine.get("commit").filter(|commit| *commit != UNKNOWN).cloned();
        let mut manifest = Manifest { commit, ..header }.with_files(&files);
        if renderings.page {
            let commands = &origin::commands(session, &manifest, Path::new(RESULTS))?;
            let provenance = Provenance { manifest: &manifest, machine: &machine, commands };
            let page = page::results(&findings, &provenance);
            files.insert(PAGE.to_owned(), page.into_bytes());
            // The page shows the digest, and is outside of it.
            manifest = manifest.with_files(&files);
        }
        let beside = all.universes.iter().map(|record| &record.trial);
        let together = Needs::of(experiment, trials, beside);
        let whole = manifest.complete && all.universes.iter().all(|one| together.met_by(one));
        let keys = records.iter().chain(&all.universes).map(|record| record.trial.key).collect();
        Ok(Self { report, files, manifest, keys, whole })
    }

    /// Writes the files and seals the folder, as long as it is this process's. The journal goes if all that it holds is
    /// sealed now.
    ///
    /// # Errors
    /// If a file can't be written, or the folder is not ours any more.
    pub fn publish(self, folder: &mut Folder) -> Result<(Report, Manifest), Error> {
        let Self { report, files, manifest, keys, whole } = self;
        folder.still_ours()?;
        {
            let held = Held::new(&folder.dir, &folder.opened);
            write::outputs(&held, &files)?;
            folder.still_ours()?;
            write::seal(&held, &manifest)?;
        }
        if whole && folder.known.outcomes.keys().all(|key| keys.contains(key)) {
            folder.forget_sealed()?;
        }
        Ok((report, manifest))
    }
}

/// The record of the machine that the trials ran on: this one, or the one on record.
fn machine_of(dir: &Path, environment: Option<Environment>) -> Result<Option<Vec<u8>>, Error> {
    let path = dir.join(ENVIRONMENT);
    match environment.map(|environment| toml::to_string(&environment)).transpose() {
        Ok(Some(text)) => Ok(Some(text.into_bytes())),
        Ok(None) => Ok(own::read_bounded(&path, MOST_WRITTEN).ok()),
        Err(error) => Err(FileError::on("write", path)(io::Error::other(error)).into()),
    }
}

/// The figures among these files, as each of these.
fn exported(
    files: &BTreeMap<String, Vec<u8>>,
    exports: &BTreeSet<Export>,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let mut exported = BTreeMap::new();
    for (path, svg) in files {
        let Some(stem) = path.strip_suffix(".svg") else { continue };
        for export in exports {
            let drawn = export.of(&String::from_utf8_lossy(svg))?;
            exported.insert(format!("{stem}{}", export.extension()), drawn);
        }
    }
    Ok(exported)
}

/// What a session read, as it is sealed: the experiment file with what stands beside it, the entries of its datasets and
/// of its paper, the code of its programs.
fn inputs(session: &Session) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let experiment = &session.experiment;
    let mut files = code(experiment)?;
    let mut add = |path: &str, text: &str| files.insert(path.to_owned(), text.as_bytes().to_vec());
    add(SPEC, &experiment.source.text);
    add(DATASETS, &session.library.entries_text(&session.dataset_ids()));
    if let Some(overlay) = &experiment.source.overlay {
        add(OVERLAY, overlay.text());
    }
    for file in &experiment.published {
        add(&file.path, &file.text);
    }
    if let Some(paper) = &experiment.paper {
        add(PAPERS, &paper.to_text());
    }
    Ok(files)
}

/// The code of the programs, with their locks, as it is sealed.
fn code(experiment: &Experiment) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let mut files = BTreeMap::new();
    for program in experiment.methods.iter().filter_map(|method| method.program.as_ref()) {
        for file in program.code.iter().chain(&program.lock).chain(&program.brought) {
            let changed = || Error::CodeChanged { path: program.folder.join(&file.path) };
            let bytes = file.contents(&program.folder).ok_or_else(changed)?;
            files.insert(format!("{CODE}/{}", file.path), bytes);
        }
    }
    Ok(files)
}

/// The records, those that may come out otherwise without what came of them.
fn without_values(records: &[Record], exact: impl Fn(&Record) -> bool) -> Vec<Record> {
    let kept = |record: &Record| match exact(record) {
        true => record.clone(),
        false => Record { outcome: None, ..record.clone() },
    };
    records.iter().map(kept).collect()
}

/// The files of two reports: of `exact`, which has the values that come out again bit for bit alone; those of `all`
/// stand in [`EXTERNAL`]. What reads a clock is of all.
fn apart(all: &Report, exact: Report) -> BTreeMap<String, Vec<u8>> {
    let timing = |path: &str| path.starts_with(TIMING);
    let exact = exact.files.into_iter().filter(|(path, _)| !timing(path));
    let all = all.files.iter().map(|(path, bytes)| match timing(path) {
        true => (path.clone(), bytes.clone()),
        false => (format!("{EXTERNAL}{path}"), bytes.clone()),
    });
    exact.chain(all).collect()
}

/// The digest over the records of native trials, if there are others.
fn native_digest(experiment: &Experiment, records: &[Record]) -> Option<Digest> {
    let (native, programs): (Vec<&Record>, Vec<&Record>) =
        records.iter().partition(|record| record.trial.kind != COMMAND.kind);
    programs.first()?;
    let files = trials_csv::without_times(native.into_iter(), &experiment.known.metrics);
    let hashed = files.iter().fold(FieldHasher::new("native results"), |hasher, (path, bytes)| {
        hasher.field(path).field(Digest::of(bytes).0)
    });
    Some(hashed.finish())
}

/// The manifest of these records, without its files.
fn header(
    experiment: &Experiment,
    records: &[Record],
    needs: &Needs,
    choices: WithChoices,
    reprise: String,
) -> Manifest {
    // Of the method as it was when the trials ran, which may be long ago.
    let mut methods: BTreeMap<&str, u32> = BTreeMap::new();
    let mut datasets: BTreeMap<&str, Digest> = BTreeMap::new();
    for Record { trial, .. } in records {
        let revision = methods.entry(&*trial.kind).or_insert(trial.revision);
        *revision = trial.revision.min(*revision);
        datasets.insert(&trial.variant, trial.data);
    }
    Manifest {
        schema: SCHEMA,
        layout: LAYOUT,
        experiment: experiment.id.clone(),
        profile: experiment.profile().unwrap_or_default().to_owned(),
        reprise,
        commit: None,
        complete: records.iter().all(|record| needs.met_by(record)),
        choices: choices == WithChoices::Yes && !experiment.choices.is_empty(),
        spec: experiment.spec_digest(),
        digest: Digest::of(b""),
        universes_digest: None,
        native_digest: native_digest(experiment, records),
        datasets: datasets.into_iter().map(|(id, digest)| (id.to_owned(), digest)).collect(),
        methods: methods.into_iter().map(|(kind, rev)| (kind.to_owned(), rev)).collect(),
        files: Vec::new(),
    }
}
