//! Trees over observed and hidden variables, a panel each.

use std::collections::BTreeMap;

use plotters::style::RGBColor;

use contract::{LatentTree, breadth_first};
use document::section;
use spec::{Drawn, Evidence, FigureDesign, Panel, Pictured, Plot, Plotted, TestSpec};
use task::density::DENSITY;
use task::picture::Picture;

use super::area::Page;
use super::canvas::{Align, Canvas, LINE_HEIGHT, Pen, TEXT, text_width, widest};
use super::legend::Legend;
use super::panels::{PicturePlot, arranged, only_of};
use super::{FigureError, Look};

section! {
    in Plotted;
    pub struct Tree: "tree" => "trees over observed and hidden variables of a density task, a panel for each method, dataset, part and sweep point: of the first repeat, with the trial's `y` above; observed variables are numbered from 1" {}
    check(scope, _table) {
        only_of(&DENSITY, "trees", scope);
    }
}

impl Plot for Tree {
    fn draw(&self, figure: &FigureDesign, evidence: &dyn Evidence, _: &[TestSpec]) -> Drawn {
        Ok(tree(&PicturePlot::new(figure, evidence, self.pictured()))?)
    }

    fn pictured(&self) -> Pictured {
        Pictured::First
    }
}

/// From a node to its children.
const STEP: f64 = 34.0;
/// From one row to the next; a label stands in each.
const ROW: f64 = 16.0;
/// Radii of observed and of hidden nodes.
const OBSERVED: f64 = 3.5;
const HIDDEN: f64 = 4.5;
/// Around a panel.
const MARGIN: f64 = 16.0;
/// The least width of a panel.
const LEAST: f64 = 150.0;

/// A node's place in a panel: column and row.
type Place = (usize, f64);

/// Where the nodes of a forest stand. Every leaf and every observed node has a row of its own.
struct Layout {
    places: Vec<Place>,
    /// The parent of each node, but for roots.
    parents: Vec<Option<usize>>,
    columns: usize,
    rows: usize,
}

impl Layout {
    /// Trees hang at their middle, one below another; subtrees stand in the order of their lowest variables.
    fn new(tree: &LatentTree) -> Self {
        let neighbours = tree.neighbours();
        let mut layout = Self {
            places: vec![(0, 0.0); tree.nodes()],
            parents: vec![None; tree.nodes()],
            columns: 0,
            rows: 0,
        };
        let mut seen = vec![false; tree.nodes()];
        for start in 0..tree.nodes() {
            if seen[start] {
                continue;
            }
            let root = middle(&neighbours, start);
            let order = breadth_first(&neighbours, root);
            let mut lowest: Vec<usize> = (0..tree.nodes()).collect();
            let mut children = vec![Vec::new(); tree.nodes()];
            for &(node, parent) in order.iter().rev() {
                seen[node] = true;
                if let Some(parent) = parent {
                    lowest[parent] = lowest[parent].min(lowest[node]);
                    children[parent].push(node);
                }
            }
            for &(node, parent) in &order {
                children[node].sort_by_key(|&child| lowest[child]);
                let column = parent.map_or(0, |parent| layout.places[parent].0 + 1);
                layout.places[node].0 = column;
                layout.columns = layout.columns.max(column);
                layout.parents[node] = parent;
            }
            layout.rows(tree, root, &children);
        }
        layout
    }

    /// Rows from above: an observed node stands in the middle of its children, a hidden one half-way between the first
    /// and the last.
    fn rows(&mut self, tree: &LatentTree, root: usize, children: &[Vec<usize>]) {
        // Nodes with the number of children that are placed already.
        let mut stack = vec![(root, 0)];
        while let Some((node, done)) = stack.pop() {
            let own = &children[node];
            let observed = node < tree.observed();
            if done == own.len() / 2 && (observed || own.is_empty()) {
                self.places[node].1 = self.rows as f64;
                self.rows += 1;
            }
            if let Some(&child) = own.get(done) {
                stack.push((node, done + 1));
                stack.push((child, 0));
            } else if let (false, Some(&first), Some(&last)) = (observed, own.first(), own.last()) {
                self.places[node].1 = 0.5 * (self.places[first].1 + self.places[last].1);
            }
        }
    }
}

/// The node in the middle of the longest path of a component.
fn middle(neighbours: &[Vec<usize>], start: usize) -> usize {
    let last = |order: &[(usize, Option<usize>)]| order.last().map_or(start, |(node, _)| *node);
    let order = breadth_first(neighbours, last(&breadth_first(neighbours, start)));
    let other = last(&order);
    let parents: BTreeMap<usize, Option<usize>> = order.into_iter().collect();
    let path: Vec<usize> = std::iter::successors(Some(other), |node| parents[node]).collect();
    path[path.len() / 2]
}

/// Draws panels of trees as SVG.
///
/// # Errors
/// No tree to draw.
pub fn tree(plot: &PicturePlot) -> Result<String, FigureError> {
    let trees = plot.pictures(Picture::tree, "no tree")?.into_iter();
    let trees: Vec<Result<(&LatentTree, Layout), &str>> =
        trees.map(|tree| tree.map(|tree| (tree, Layout::new(tree)))).collect();
    let size = |(panel, tree): (&Panel, &Result<(&LatentTree, Layout), &str>)| {
        let (drawn, rows) = match tree {
            Ok((_, layout)) => {
                let last = name(layout.places.len());
                (layout.columns as f64 * STEP + 12.0 + text_width(&last, TEXT), layout.rows)
            }
            Err(why) => (text_width(why, TEXT), 0),
        };
        let width = widest([&*panel.label, &*panel.note]).max(drawn).max(LEAST);
        (width + 2.0 * MARGIN, rows as f64 * ROW)
    };
    let sizes: Vec<(f64, f64)> = plot.panels.iter().zip(&trees).map(size).collect();
    let width = sizes.iter().map(|size| size.0).sum::<f64>().max(330.0);
    let page = Page::new(&plot.title, width, Legend::default());
    let top = page.top + 2.0 * LINE_HEIGHT;
    let (corners, bottom) = arranged(&sizes, sizes.len(), (MARGIN, top));
    page.draw(bottom + 6.0 + LINE_HEIGHT + 12.0, |canvas| {
        for ((panel, tree), (left, _)) in plot.panels.iter().zip(&trees).zip(corners) {
            canvas.text(&panel.label, (left, top - 1.7 * LINE_HEIGHT), TEXT, Align::Start);
            canvas.text(&panel.note, (left, top - 0.8 * LINE_HEIGHT), TEXT, Align::Start);
            match tree {
                Ok((tree, layout)) => draw(canvas, tree, layout, (left + HIDDEN, top)),
                Err(why) => canvas.text(why, (left, top + ROW), TEXT, Align::Start),
            }
        }
        legend(canvas, bottom + 6.0 + 0.5 * LINE_HEIGHT);
    })
}

/// What people read beside an observed node: its number from 1.
fn name(node: usize) -> String {
    (node + 1).to_string()
}

/// The colour of edges.
const LINES: RGBColor = RGBColor(150, 150, 150);
const PAPER: RGBColor = RGBColor(255, 255, 255);
const OF_OBSERVED: Look = Look { color: 0, hollow: false };
const OF_HIDDEN: Look = Look { color: 1, hollow: true };

fn draw(canvas: &Canvas<'_>, tree: &LatentTree, layout: &Layout, (left, top): (f64, f64)) {
    let at = |node: usize| {
        let (column, row) = layout.places[node];
        (left + column as f64 * STEP, top + (row + 0.5) * ROW)
    };
    for (node, parent) in layout.parents.iter().enumerate() {
        if let Some(parent) = *parent {
            let (x, y) = at(node);
            let (from, height) = at(parent);
            // Down or up beside the parent, then across.
            let turn = from + 0.35 * STEP;
            canvas.line(&[(from, height), (turn, height), (turn, y), (x, y)], Pen::new(LINES, 1));
        }
    }
    let mut leaf = vec![true; tree.nodes()];
    layout.parents.iter().flatten().for_each(|&parent| leaf[parent] = false);
    for (node, leaf) in leaf.into_iter().enumerate() {
        let (x, y) = at(node);
        if node < tree.observed() {
            canvas.circle((x, y), OBSERVED, OF_OBSERVED.color(), true);
            // Beside a leaf there is nothing; above an inner node there is its own row.
            let place = if leaf { (x + 7.0, y) } else { (x + 1.0, y - 8.5) };
            canvas.text(&name(node), place, TEXT, Align::Start);
        } else {
            canvas.circle((x, y), HIDDEN, PAPER, true);
            canvas.circle((x, y), HIDDEN, OF_HIDDEN.color(), false);
        }
    }
}

fn legend(canvas: &Canvas<'_>, y: f64) {
    let mut x = MARGIN + HIDDEN;
    canvas.circle((x, y), OBSERVED, OF_OBSERVED.color(), true);
    canvas.text("observed", (x + 9.0, y), TEXT, Align::Start);
    x += 9.0 + text_width("observed", TEXT) + 20.0;
    canvas.circle((x, y), HIDDEN, OF_HIDDEN.color(), false);
    canvas.text("hidden", (x + 9.0, y), TEXT, Align::Start);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leaf_and_observed_node_has_a_row_of_its_own() {
        // A chain of two hidden nodes, one observed node within it, and a tree of one node.
        let edges = [[0, 6], [1, 6], [6, 2], [2, 7], [7, 3], [7, 4]];
        let tree = LatentTree::new(6, 2, edges).unwrap();
        let layout = Layout::new(&tree);
        let mut rows: Vec<f64> = layout.places[..6].iter().map(|place| place.1).collect();
        rows.sort_by(f64::total_cmp);
        assert_eq!(rows, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!((layout.places[2], layout.parents[2]), ((0, 2.0), None), "the middle");
        assert_eq!((layout.columns, layout.rows), (2, 6));
        assert_eq!(layout.places[6], (1, 0.5));
    }

    #[test]
    fn a_tree_is_text_and_circles() {
        let star = LatentTree::new(3, 1, [[0, 3], [1, 3], [2, 3]]).unwrap();
        let panel = |picture| Panel { label: "CLRG".into(), note: "distance 0".into(), picture };
        let plot = PicturePlot {
            title: "A tree".into(),
            panels: vec![panel(Ok(Picture::Tree(star))), panel(Err("out of time"))],
        };
        let svg = tree(&plot).unwrap();
        for text in ["CLRG", "distance 0", "out of time", "observed", "hidden", "\n3\n"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        let none = PicturePlot { panels: vec![panel(Err("out of time"))], ..plot };
        assert!(tree(&none).is_err());
    }
}
