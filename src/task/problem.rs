//! What a classifier tells apart.

/// Which classes a classifier tells apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Problem {
    /// What `trials.csv` calls it; empty where it is the only one.
    pub name: String,
    /// The classes, indices into those of the dataset, ascending.
    pub classes: Vec<u32>,
}

impl Problem {
    /// All classes at once.
    pub fn whole(classes: usize) -> Self {
        Self { name: String::new(), classes: (0..classes as u32).collect() }
    }

    /// Every pair of classes, `first/second`, the first slowest.
    pub fn pairs(classes: &[String]) -> Vec<Self> {
        let count = classes.len() as u32;
        (0..count)
            .flat_map(|one| (one + 1..count).map(move |other| vec![one, other]))
            .map(|pair| Self {
                name: format!("{}/{}", classes[pair[0] as usize], classes[pair[1] as usize]),
                classes: pair,
            })
            .collect()
    }
}
