//! What a trial measures.

pub mod boundary;
pub mod classification;
pub mod density;
pub mod measured;
pub mod partition;
pub mod pseudo_likelihood;

use contract::FitError;

/// Refuses a division that leaves a part without examples which the task cannot do without.
fn needs(part: &str, examples: usize) -> Result<(), FitError> {
    if examples == 0 {
        return Err(FitError::Failed(format!("the split has no {part} examples")));
    }
    Ok(())
}
