//! The verdicts of a leak check that is sealed.

use contract::DatasetId;
use report::Report;

use super::sealed::Sealed;
use super::{Error, Session};

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
