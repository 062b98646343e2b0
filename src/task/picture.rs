//! What a figure shows of one trial.

use contract::LatentTree;

pub use crate::boundary::picture::Line;
use crate::boundary::picture::Plane;
use crate::columns::Columns;
use crate::confusion::Confusion;

/// What a figure shows of one trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Picture {
    /// Points and decision boundaries.
    Plane(Plane),
    /// A tree over observed and hidden variables.
    Tree(LatentTree),
    /// How often each class is taken for each.
    Confusion(Confusion),
    /// What each column alone tells.
    Columns(Columns),
}

const CONFUSION: &str = "confusion";
const TREE: &str = "tree";
const EDGES: &str = "edges";

impl Picture {
    /// One picture of several trials: of classes how often each is taken for each in all of them; of one trial its own. None if
    /// they can't be joined.
    pub fn joined<'p>(pictures: impl IntoIterator<Item = &'p Self>) -> Option<Self> {
        let mut pictures = pictures.into_iter();
        let mut joined = pictures.next()?.clone();
        for picture in pictures {
            match (&mut joined, picture) {
                (Self::Confusion(sum), Self::Confusion(more)) => sum.add(more),
                _ => return None,
            }
        }
        Some(joined)
    }

    /// Its points and boundaries, if it is of these.
    pub fn plane(&self) -> Option<&Plane> {
        if let Self::Plane(plane) = self { Some(plane) } else { None }
    }

    /// Its tree, if it is one.
    pub fn tree(&self) -> Option<&LatentTree> {
        if let Self::Tree(tree) = self { Some(tree) } else { None }
    }

    /// How often each class is taken for each, if it says that.
    pub fn confusion(&self) -> Option<&Confusion> {
        if let Self::Confusion(confusion) = self { Some(confusion) } else { None }
    }

    /// What each column alone tells, if it says that.
    pub fn columns(&self) -> Option<&Columns> {
        if let Self::Columns(columns) = self { Some(columns) } else { None }
    }

    /// Its lines: of a tree its numbers of observed and hidden variables, then the ends of its edges; of classes one each,
    /// with how many of its examples are taken for each.
    pub fn to_lines(&self) -> Vec<Line> {
        match self {
            Self::Plane(plane) => plane.to_lines(),
            Self::Columns(columns) => columns.to_lines(),
            Self::Tree(tree) => {
                let sizes = vec![tree.observed() as f64, tree.hidden() as f64];
                let ends = tree.edges().iter().flatten().map(|&end| f64::from(end)).collect();
                vec![(TREE, String::new(), sizes), (EDGES, String::new(), ends)]
            }
            Self::Confusion(confusion) => {
                let row = |counts: &[u64]| counts.iter().map(|&count| count as f64).collect();
                let rows = confusion.rows();
                rows.map(|(name, counts)| (CONFUSION, name.to_owned(), row(counts))).collect()
            }
        }
    }

    /// The picture of these lines; none if they are not those of one.
    pub fn from_lines<'l>(
        lines: impl IntoIterator<Item = (&'l str, &'l str, Vec<f64>)>,
    ) -> Option<Self> {
        let lines: Vec<(&str, &str, Vec<f64>)> = lines.into_iter().collect();
        match &lines[..] {
            [(TREE, _, sizes), (EDGES, _, ends)] => {
                let [observed, hidden] = sizes[..] else { return None };
                let (observed, hidden) = (whole(observed)?, whole(hidden)?);
                let ends = ends.iter().map(|&end| whole(end)).collect::<Option<Vec<u32>>>()?;
                let (edges, rest) = ends.as_chunks::<2>();
                // A tree has fewer edges than nodes; what is not one is not made.
                let nodes = observed.checked_add(hidden)?;
                if !rest.is_empty() || nodes > MOST_NODES || edges.len() >= nodes.max(1) as usize {
                    return None;
                }
                let edges = edges.iter().copied();
                LatentTree::new(observed as usize, hidden as usize, edges).map(Self::Tree)
            }
            [(CONFUSION, ..), ..] => {
                let count = |&number: &f64| whole(number).map(u64::from);
                let row = |(what, name, counts): &(&str, &str, Vec<f64>)| {
                    let counts = counts.iter().map(count).collect::<Option<Vec<u64>>>()?;
                    (*what == CONFUSION).then(|| ((*name).to_owned(), counts))
                };
                let rows = lines.iter().map(row).collect::<Option<Vec<_>>>()?;
                Confusion::from_rows(rows).map(Self::Confusion)
            }
            _ => Columns::from_lines(&lines)
                .map(Self::Columns)
                .or_else(|| Plane::from_lines(lines).map(Self::Plane)),
        }
    }
}

/// The most nodes of a tree that is read back.
const MOST_NODES: u32 = 1_000_000;

fn whole(number: f64) -> Option<u32> {
    let whole = number as u32;
    (f64::from(whole) == number).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_comes_back_from_its_lines() {
        let tree = LatentTree::new(3, 1, [[0, 3], [1, 3], [2, 3]]).unwrap();
        let lines = Picture::Tree(tree.clone()).to_lines();
        let read = |lines: &[Line]| {
            Picture::from_lines(lines.iter().map(|(what, name, v)| (*what, &**name, v.clone())))
        };
        assert_eq!(read(&lines), Some(Picture::Tree(tree)));
        assert_eq!(read(&lines[..1]), None);
        let with = |sizes: [f64; 2], ends: &[f64]| {
            let sizes = (TREE, String::new(), sizes.to_vec());
            read(&[sizes, (EDGES, String::new(), ends.to_vec())])
        };
        assert!(with([2.0, 0.0], &[0.0, 1.0]).is_some());
        assert_eq!(with([2.0, 0.0], &[0.0]), None);
        assert_eq!(with([2.0, 0.0], &[0.0, 2.0]), None);
        assert_eq!(with([2.0, 0.5], &[0.0, 1.0]), None);
        assert_eq!(with([4e9, 4e9], &[]), None);
        assert_eq!(with([f64::NAN, 0.0], &[]), None);
    }

    #[test]
    fn a_confusion_comes_back_from_its_lines() {
        let names = ["a", "b"].map(str::to_owned);
        let confusion = Picture::Confusion(Confusion::of(&[0, 0, 1], &[0, 1, 1], &names));
        let lines = confusion.to_lines();
        let read = |lines: &[Line]| {
            Picture::from_lines(lines.iter().map(|(what, name, v)| (*what, &**name, v.clone())))
        };
        assert_eq!(read(&lines), Some(confusion));
        assert_eq!(read(&lines[..1]), None);
        let with = |row: &[f64]| {
            read(&[lines[0].clone(), (CONFUSION, "b".to_owned(), row.to_vec())]).is_some()
        };
        assert!(with(&[0.0, 7.0]));
        assert!(!with(&[0.0, 7.5]) && !with(&[-1.0, 7.0]) && !with(&[f64::NAN, 0.0]));
    }
}
