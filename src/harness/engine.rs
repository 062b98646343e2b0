//! The array of an engine that a process is one task of, by the environment variables that the engine sets.

use run::chunk::Index;

/// A task of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// What people call the engine.
    pub engine: &'static str,
    /// Its number.
    id: usize,
    /// Which one of how many it is, where the engine says.
    place: Option<Index>,
}

impl Task {
    /// Which chunk is its: that of its place in the array. Where the user says how many tasks there are, that of its
    /// number modulo theirs, which is right for arrays from 0 and from 1. None if nobody says.
    pub fn index(self, count: Option<usize>) -> Option<Index> {
        match count {
            Some(of) => Some(Index { index: self.id % of + 1, of }),
            None => self.place,
        }
    }
}

/// A variable of an engine is no number that it can be.
#[derive(Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("{engine} says {variable}={value}, and a whole number was expected")]
#[diagnostic(help("say which chunk this worker takes: --index I/N"))]
pub struct NoTask {
    engine: &'static str,
    variable: &'static str,
    value: String,
}

/// How engines tell a task what it is: by its number, and by the first and the last number and the step between two. Without
/// a name the first and the step are 1, and how many tasks there are is not told.
const ENGINES: [(&str, &str, [&str; 3]); 7] = [
    (
        "Slurm",
        "SLURM_ARRAY_TASK_ID",
        ["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"],
    ),
    ("Grid Engine", "SGE_TASK_ID", ["SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE"]),
    ("LSF", "LSB_JOBINDEX", ["", "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP"]),
    ("PBS", "PBS_ARRAY_INDEX", [""; 3]),
    (AWS, "AWS_BATCH_JOB_ARRAY_INDEX", ["", "AWS_BATCH_JOB_ARRAY_SIZE", ""]),
    ("HyperQueue", "HQ_TASK_ID", [""; 3]),
    ("Kubernetes", "JOB_COMPLETION_INDEX", [""; 3]),
];

/// Counts from 0, and says how many there are.
const AWS: &str = "AWS Batch";

/// The task that this process is, by its environment; none if it is no task of an array.
///
/// # Errors
/// If a variable of an engine makes no sense.
pub fn task(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Task>, NoTask> {
    for (engine, id, [first, last, step]) in ENGINES {
        let number = |name: &'static str| -> Result<Option<usize>, NoTask> {
            let Some(value) = variable(name).filter(|value| !value.is_empty()) else {
                return Ok(None);
            };
            let wrong = |_| NoTask { engine, variable: name, value: value.clone() };
            value.parse().map(Some).map_err(wrong)
        };
        // So a job that is no array is called by Grid Engine, and by LSF.
        let word = variable(id);
        if word.as_deref() == Some("undefined") || engine == "LSF" && word.as_deref() == Some("0") {
            continue;
        }
        let Some(id) = number(id)? else { continue };
        let (first, step) = (number(first)?.unwrap_or(1), number(step)?.unwrap_or(1));
        let counted = id + usize::from(engine == AWS);
        let place = number(last)?.and_then(|last| place(counted, first, last, step.max(1)));
        let place = place.filter(|place| place.index <= place.of);
        return Ok(Some(Task { engine, id, place }));
    }
    Ok(None)
}

fn place(id: usize, first: usize, last: usize, step: usize) -> Option<Index> {
    let of = last.checked_sub(first)? / step + 1;
    Some(Index { index: id.checked_sub(first)? / step + 1, of })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under(variables: &[(&str, &str)]) -> Result<Option<Task>, NoTask> {
        task(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    fn index(variables: &[(&str, &str)], count: Option<usize>) -> Option<(usize, usize)> {
        let index = under(variables).unwrap()?.index(count)?;
        Some((index.index, index.of))
    }

    #[test]
    fn each_engine_says_which_task_it_is() {
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "6"),
            ("SLURM_ARRAY_TASK_MIN", "2"),
            ("SLURM_ARRAY_TASK_MAX", "10"),
            ("SLURM_ARRAY_TASK_STEP", "2"),
        ];
        assert_eq!(index(&slurm, None), Some((3, 5)));
        let sge = [("SGE_TASK_ID", "1"), ("SGE_TASK_FIRST", "1"), ("SGE_TASK_LAST", "8")];
        assert_eq!(index(&sge, None), Some((1, 8)));
        assert_eq!(index(&[("LSB_JOBINDEX", "4"), ("LSB_JOBINDEX_END", "4")], None), Some((4, 4)));
        let aws = [("AWS_BATCH_JOB_ARRAY_INDEX", "0"), ("AWS_BATCH_JOB_ARRAY_SIZE", "3")];
        assert_eq!(index(&aws, None), Some((1, 3)));
    }

    /// PBS, HyperQueue and Kubernetes do not say how many tasks there are.
    #[test]
    fn a_count_deals_the_chunks_out_once_from_0_and_from_1() {
        for name in ["PBS_ARRAY_INDEX", "HQ_TASK_ID", "JOB_COMPLETION_INDEX"] {
            assert_eq!(index(&[(name, "3")], None), None);
            for first in [0, 1] {
                let ids = (first..first + 5).map(|id: usize| id.to_string());
                let mut taken: Vec<_> = ids.map(|id| index(&[(name, &id)], Some(5))).collect();
                taken.sort_unstable();
                assert_eq!(taken, (1..=5).map(|at| Some((at, 5))).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn what_is_no_array_is_none() {
        assert_eq!(under(&[]), Ok(None));
        assert_eq!(under(&[("SGE_TASK_ID", "undefined"), ("LSB_JOBINDEX", "0")]), Ok(None));
        let wrong = under(&[("PBS_ARRAY_INDEX", "two")]).unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "PBS says PBS_ARRAY_INDEX=two, and a whole number was expected"
        );
    }
}
