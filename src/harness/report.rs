//! Reporting on stored trials; never trains.

use std::collections::BTreeSet;

use ::run::Trial;
use ::run::executor::Working;
use ::run::outcome::Outcomes;
use ::run::plan::WithChoices;
use ::run::store::Folder;
use contract::DatasetId;
use report::figure::Export;
use report::sheet::Sheet;
use report::{Findings, Report, claims};
use seal::{Manifest, write};

use super::outputs::{Outputs, Records, Renderings};
use super::planned::Planned;
use super::sealed::Sealed;
use super::{Error, Session, run};

/// Makes tables, figures and claims anew from the sealed or journaled trials, and seals them. PNG and PDF that are sealed are
/// made anew too: a paper may include them.
///
/// # Errors
/// If nothing is stored, the stored results are not as sealed, or outputs can't be written.
pub fn report(session: &Session, mut exports: BTreeSet<Export>) -> Result<Report, Error> {
    let sealed = Manifest::read(&session.dir).ok().flatten();
    exports.extend(sealed.iter().flat_map(|manifest| Renderings::sealed(manifest).exports));
    exports.iter().try_for_each(|export| export.can_be_drawn())?;
    let (mut folder, records, choices, sealed) = stored(session)?;
    folder.adopt(sealed)?;
    let _working = Working::begin();
    let outputs = Outputs::new(session, &records, choices, Renderings::with(exports), None)?;
    folder.still_ours()?;
    write::unseal(&session.dir)?;
    let (report, _) = outputs.publish(&mut folder)?;
    Ok(report)
}

/// What sealed results amount to, computed again from their trials; none where nothing is sealed. Writes nothing.
///
/// # Errors
/// If they are not as they were sealed.
pub fn sealed(session: &Session) -> Result<Option<Report>, Error> {
    let Some(sealed) = Sealed::read(session)? else { return Ok(None) };
    let records = sealed.records()?;
    let (titles, cited) = (|id: &DatasetId| session.title(id), session.cited());
    let findings = records.findings((session, &session.experiment), &titles, &cited)?;
    Ok(Some(findings.report()))
}

/// What the tests of claims could have shown, by the sealed or journaled trials.
///
/// # Errors
/// As [`report()`].
pub fn power(session: &Session) -> Result<Sheet, Error> {
    let (_folder, records, ..) = stored(session)?;
    let (titles, cited) = (|id: &DatasetId| session.title(id), session.cited());
    let findings = Findings::new(&session.experiment, &records.own, &titles, &cited)?;
    Ok(claims::power(&findings.claims))
}

/// The sealed or journaled trials, with the outcomes of those that are sealed.
fn stored(session: &Session) -> Result<(Folder, Records, WithChoices, Outcomes), Error> {
    if !session.dir.exists() {
        return Err(Error::Nothing { dir: session.dir.clone() });
    }
    let folder = run::open(session)?;
    Ok(match Sealed::read(session) {
        Ok(Some(sealed)) => {
            let records = sealed.records()?;
            (folder, records, WithChoices::from(sealed.manifest.choices), sealed.outcomes())
        }
        // What is journaled counts whatever became of the seal.
        broken if folder.known.outcomes.is_empty() => {
            broken?;
            return Err(Error::Nothing { dir: session.dir.clone() });
        }
        _ => {
            let (records, choices) = journaled(session, &folder)?;
            (folder, records, choices, Outcomes::default())
        }
    })
}

/// The records of what is journaled, with the options of choices if any of them has run; and whether they are
/// among the records.
fn journaled(session: &Session, folder: &Folder) -> Result<(Records, WithChoices), Error> {
    let all = Planned::new(session, WithChoices::Yes, None)?;
    let ran =
        |trial: &Trial| !trial.choice.is_empty() && folder.known.outcomes.contains_key(&trial.key);
    let choices = WithChoices::from(all.plan.trials[..all.plan.own].iter().any(ran));
    let planned = match choices {
        WithChoices::Yes => all,
        WithChoices::No => Planned::new(session, choices, None)?,
    };
    let records = planned.records(&folder.known.outcomes);
    Ok((Records::of_plan(&planned, records), choices))
}
