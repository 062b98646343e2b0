//! What a results folder holds as it was sealed, and what becomes of it when an experiment is run or reported
//! again.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::digest::Digest;
use base::layout::{DATASETS, PAPERS, UNIVERSES, UNIVERSES_LIST};
use contract::parameter::Parameters;
use report::universes;
use run::needs::Needs;
use run::outcome::Outcomes;
use run::plan::{Plan, WithChoices, variant_of};
use run::{Record, Setup, Trial, trials_csv};
use seal::{self, Difference, FileEntry, Manifest};
use spec::{Axis, Experiment};

use super::outputs::{Records, Renderings};
use super::planned::Planned;
use super::{Error, Session};

/// What a folder holds as it was sealed.
pub struct Sealed<'s> {
    session: &'s Session,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its trials.
    pub rows: Vec<Record>,
    /// Those of universes.
    pub universes: Vec<Record>,
}

impl<'s> Sealed<'s> {
    /// Reads a results folder; none if it is not sealed.
    ///
    /// # Errors
    /// If it is not as it was sealed.
    pub fn read(session: &'s Session) -> Result<Option<Self>, Error> {
        let (dir, metrics) = (&session.dir, session.metrics());
        let folder = seal::check(dir);
        match (&folder.manifest, folder.differences.as_slice()) {
            (Some(manifest), []) => {
                let manifest = manifest.clone();
                let rows = trials_csv::read(dir, metrics)?;
                let universes = trials_csv::universes(dir, metrics)?;
                Ok(Some(Self { session, manifest, rows, universes }))
            }
            (None, [] | [Difference::NotSealed]) => Ok(None),
            _ => Err(Error::tampered(&folder)),
        }
    }

    /// The outcomes of its trials, by key.
    pub fn outcomes(&self) -> Outcomes {
        trials_csv::by_key(self.rows.iter().chain(&self.universes))
    }

    /// Whether it is complete and what a run would give: with or without the options of choices, which may be
    /// there beside what is asked for unless they are to be given up, and with what figures are asked for as.
    ///
    /// # Errors
    /// If a dataset whose content the registry does not say can't be read.
    pub fn serves(&self, options: &super::options::Options) -> Result<bool, Error> {
        let (manifest, experiment) = (&self.manifest, &self.session.experiment);
        let mut entries = experiment.methods.iter().filter_map(|method| method.entry);
        let current = entries.all(|entry| {
            manifest.methods.get(entry.kind).is_none_or(|sealed| *sealed == entry.revision)
        });
        let choices = options.choices == WithChoices::Yes && !experiment.choices.is_empty();
        let drawn = options.exports.is_subset(&Renderings::sealed(manifest).exports);
        Ok(manifest.complete
            && current
            && manifest.spec == experiment.spec_digest()
            && manifest.reprise == env!("CARGO_PKG_VERSION")
            && self.same_parameters()
            && self.same_paper()
            && self.has_universes()
            && (manifest.choices == choices || manifest.choices && !options.replace)
            && (drawn || experiment.figures.is_empty())
            && self.same_data()?)
    }

    /// Whether its trials have the parameters that the experiment gives today: a default may be another than when it was sealed.
    fn same_parameters(&self) -> bool {
        let setups = self.rows.iter().chain(&self.universes).map(|row| &row.trial.setup);
        let setups: BTreeMap<*const Setup, &Setup> =
            setups.map(|setup| (Arc::as_ptr(setup), &**setup)).collect();
        setups.values().all(|read| parameters(&self.session.experiment, read).is_some())
    }

    /// Whether its paper is what `papers.toml` describes now.
    fn same_paper(&self) -> bool {
        let paper = self.session.experiment.paper.as_ref();
        let entry = paper.map(|paper| FileEntry::of(PAPERS, paper.to_text().as_bytes()));
        entry.is_none_or(|entry| self.manifest.files.contains(&entry))
    }

    /// Whether it has the universes of a session, each trial with an outcome that counts, and no others.
    fn has_universes(&self) -> bool {
        let (session, files) = (self.session, &self.manifest.files);
        if session.universes.is_empty() {
            return !files.iter().any(|file| file.path.starts_with(UNIVERSES));
        }
        let list = universes::list(&session.experiment, &session.universes);
        let ended = self.universes.iter().all(|record| {
            record.outcome.as_ref().is_some_and(|outcome| !outcome.status().may_pass())
        });
        ended && files.contains(&FileEntry::of(UNIVERSES_LIST, &list))
    }

    /// Whether its datasets are those that the registry describes now.
    fn same_data(&self) -> Result<bool, Error> {
        let session = self.session;
        let ids = session.dataset_ids();
        let entries = FileEntry::of(DATASETS, session.library.entries_text(&ids).as_bytes());
        if !self.manifest.files.contains(&entries) {
            return Ok(false);
        }
        if session.library.pinned(&ids)? {
            return Ok(true);
        }
        let digests = session.datasets()?.digests()?;
        let sealed = |name: &String| self.manifest.datasets.get(name);
        Ok(digests.iter().all(|(name, digest)| sealed(name).is_none_or(|sealed| sealed == digest)))
    }

    /// The keys of its trials that [`Self::refuse_loss`] is about. A trial that measured nothing is no loss.
    pub fn lost(&self, plan: &Plan, anew: Option<&BTreeSet<Digest>>) -> Vec<Digest> {
        // What universes run too would be theirs alone.
        let own: BTreeSet<Digest> = plan.trials[..plan.own].iter().map(|trial| trial.key).collect();
        let planned = plan.keys();
        let lost = |records: &[Record], planned: &BTreeSet<Digest>| -> Vec<Digest> {
            let measured = trials_csv::by_key(records.iter()).into_iter();
            let measured = measured.filter(|(_, outcome)| outcome.measured()).map(|(key, _)| key);
            let stays =
                |key: &Digest| planned.contains(key) && anew.is_none_or(|anew| anew.contains(key));
            measured.filter(|key| !stays(key)).collect()
        };
        [lost(&self.rows, &own), lost(&self.universes, &planned)].concat()
    }

    /// Makes sure that sealing the trials of a plan gives up none that is sealed: where a run forgets them all and
    /// computes these `anew`, none that is not among them.
    ///
    /// # Errors
    /// If it would.
    pub fn refuse_loss(&self, plan: &Plan, anew: Option<&BTreeSet<Digest>>) -> Result<(), Error> {
        let lost = self.lost(plan, anew);
        let Some(&example) = lost.first() else { return Ok(()) };
        let without = plan.trials[..plan.own].iter().all(|trial| trial.choice.is_empty());
        let open = !self.session.experiment.choices.is_empty();
        let help = if anew.is_some() {
            "`run` without --fresh keeps them; `run --replace` gives them up"
        } else if self.manifest.choices && open && without {
            "`run --choices` keeps those of choices; `run --replace` gives them up"
        } else {
            "give this run a --results folder of its own; `run --replace` gives them up"
        };
        let (dir, count) = (self.session.dir.clone(), lost.len());
        Err(Error::Loss { dir, count, example, help })
    }

    /// Its records: by its own rows if the experiment file is the sealed one, else by a new plan.
    ///
    /// # Errors
    /// If the experiment has to be planned anew and its data can't be had, or sealed trials would be lost.
    pub fn records(&self) -> Result<Records, Error> {
        let (session, manifest) = (self.session, &self.manifest);
        let experiment = &session.experiment;
        if manifest.spec == experiment.spec_digest() {
            let of = |rows: &[Record]| of_experiment(experiment, rows);
            if let (Some(mut own), Some(universes)) = (of(&self.rows), of(&self.universes)) {
                let trials = own.iter().map(|record| &record.trial);
                let needs = Needs::of(experiment, trials, std::iter::empty());
                own.iter_mut().for_each(|record| needs.project(record));
                return Ok(Records { own, universes });
            }
        }
        let planned = Planned::new(session, WithChoices::from(manifest.choices), None)?;
        self.refuse_loss(&planned.plan, None)?;
        let mut records = planned.records(&self.outcomes());
        // What is sealed may not be enough for another experiment file: it has to run again.
        for record in records.iter_mut().filter(|record| !planned.needs.met_by(record)) {
            record.outcome.take_if(|outcome| outcome.measured());
        }
        Ok(Records::of_plan(&planned, records))
    }
}

/// Records as their rows in `trials.csv` describe them; none if a row does not fit the experiment.
fn of_experiment(experiment: &Experiment, rows: &[Record]) -> Option<Vec<Record>> {
    let mut setups: BTreeMap<*const Setup, Arc<Setup>> = BTreeMap::new();
    let record = |row: &Record| {
        let read = &row.trial.setup;
        let setup = match setups.entry(Arc::as_ptr(read)) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => new.insert(Arc::new(setup(experiment, read)?)).clone(),
        };
        Some(Record { trial: Trial { setup, ..row.trial.clone() }, ..row.clone() })
    };
    rows.iter().map(record).collect()
}

/// A setup that was read, with what the experiment adds to what its rows say.
fn setup(experiment: &Experiment, read: &Setup) -> Option<Setup> {
    let method = experiment.method(&read.method)?;
    let parameters = parameters(experiment, read)?;
    let point = |axes: &[Axis]| {
        let value = |axis: &Axis| Some((axis.name.clone(), parameters.value(&axis.name)?.clone()));
        axes.iter().map(value).collect::<Option<Vec<_>>>()
    };
    Some(Setup {
        variant: variant_of(experiment, &read.dataset, &read.choice),
        kind: method.entry?.kind.into(),
        sweep: point(&method.sweep)?,
        grid: point(&method.grid)?,
        parameters,
        ..read.clone()
    })
}

/// The parameters of a setup that was read; none if they are not those that the experiment gives its method there: a default
/// may be another.
fn parameters(experiment: &Experiment, read: &Setup) -> Option<Parameters> {
    let method = experiment.method(&read.method)?;
    let known = method.entry?.parameters;
    let choices = experiment.choices.iter().filter(|choice| {
        read.choice.iter().any(|(id, _)| *id == choice.id) && !choice.sets(&read.dataset)
    });
    let axes = method.sweep.iter().chain(&method.grid).map(|axis| &*axis.name);
    let mut parameters = method.parameters.clone();
    for name in axes.chain(choices.map(|choice| &*choice.parameter)) {
        // One that is not read there is not in its row.
        if let Some(value) = read.parameters.value(name) {
            let parameter = known.iter().find(|parameter| parameter.name == name)?;
            parameters.set(name, parameter.parse(&value.to_string())?);
        }
    }
    let parameters = parameters.in_use(known);
    let texts = |of: &Parameters| -> Vec<(String, String)> {
        of.iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect()
    };
    (texts(&parameters) == texts(&read.parameters)).then_some(parameters)
}
