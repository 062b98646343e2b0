//! Decision boundaries as curves: the zeros of a function that is known at the nodes of a grid, and how far
//! two such curves are apart.

use std::collections::BTreeMap;

use math::special::atan2;

/// A point of the plane.
pub type Point = [f64; 2];

/// A rectangle of the plane, divided into cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The corner with the smallest coordinates.
    pub low: Point,
    /// The opposite corner.
    pub high: Point,
    /// Number of cells along each side.
    pub cells: usize,
}

impl Grid {
    /// Around points: their bounding box, wider by a tenth of its size on each side; by 1 where it has none.
    pub fn around<'p>(points: impl IntoIterator<Item = &'p [f64]>, cells: usize) -> Self {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for point in points {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        for axis in 0..2 {
            let size = high[axis] - low[axis];
            let margin = if size > 0.0 { 0.1 * size } else { 1.0 };
            low[axis] -= margin;
            high[axis] += margin;
        }
        Self { low, high, cells }
    }

    /// Coordinates of all nodes, row by row from the lowest: `(cells + 1)²` points, x fastest.
    pub fn nodes(&self) -> Vec<f64> {
        let side = 0..=self.cells;
        side.clone().flat_map(|y| side.clone().flat_map(move |x| self.node(x, y))).collect()
    }

    fn node(&self, x: usize, y: usize) -> Point {
        let at = |axis: usize, step: usize| {
            let share = step as f64 / self.cells as f64;
            self.low[axis] * (1.0 - share) + self.high[axis] * share
        };
        [at(0, x), at(1, y)]
    }
}

/// The zeros of a function: lines through points, such that the function is positive on the left.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The lines. One whose last point is its first is closed.
    pub lines: Vec<Vec<Point>>,
}

/// An edge of the grid: x and y of its lower node, and whether it goes upwards.
type Edge = (usize, usize, bool);

impl Curve {
    /// The zeros of a function with these values at the nodes of a grid, by marching squares: on the edges of
    /// the cells they are interpolated linearly, in the cells joined by straight lines. Exact for linear
    /// functions, else of an error quadratic in the size of a cell. Where a cell has two lines, they are
    /// joined by the sign of its mean. Time O(cells²).
    pub fn of(grid: &Grid, values: &[f64]) -> Self {
        let side = grid.cells + 1;
        let value = |x: usize, y: usize| values[y * side + x];
        let mut next: BTreeMap<Edge, Edge> = BTreeMap::new();
        for y in 0..grid.cells {
            for x in 0..grid.cells {
                // The cell's edges and corners counter-clockwise, corner i before edge i.
                let corners = [value(x, y), value(x + 1, y), value(x + 1, y + 1), value(x, y + 1)];
                let edges = [(x, y, false), (x + 1, y, true), (x, y + 1, false), (x, y, true)];
                let positive = corners.map(|corner| corner >= 0.0);
                // A line that keeps the positive side on its left enters where, counter-clockwise, positive
                // becomes negative, and leaves where negative becomes positive.
                let turns = |to: bool| {
                    (0..4).filter(move |&i| positive[i] != to && positive[(i + 1) % 4] == to)
                };
                let (enters, leaves): (Vec<usize>, Vec<usize>) =
                    (turns(false).collect(), turns(true).collect());
                match (&enters[..], &leaves[..]) {
                    ([enter], [leave]) => {
                        next.insert(edges[*enter], edges[*leave]);
                    }
                    ([_, _], [_, _]) => {
                        // With a positive centre each line cuts off a negative corner.
                        let centre: f64 = corners.iter().map(|corner| corner / 4.0).sum();
                        let step = if centre >= 0.0 { 1 } else { 3 };
                        for enter in enters {
                            next.insert(edges[enter], edges[(enter + step) % 4]);
                        }
                    }
                    _ => {}
                }
            }
        }
        let zero = |(x, y, upwards): Edge| {
            let (from, to) =
                (grid.node(x, y), grid.node(x + usize::from(!upwards), y + usize::from(upwards)));
            let ends = (value(x, y), value(x + usize::from(!upwards), y + usize::from(upwards)));
            between(from, to, ends)
        };
        Self {
            lines: chains(next)
                .into_iter()
                .map(|line| line.into_iter().map(zero).collect())
                .collect(),
        }
    }

    /// Whether there are no zeros.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn segments(&self) -> impl Iterator<Item = (Point, Point)> {
        self.lines.iter().flat_map(|line| line.windows(2).map(|pair| (pair[0], pair[1])))
    }

    /// Its length.
    pub fn length(&self) -> f64 {
        self.segments().map(|(from, to)| distance(from, to)).sum()
    }

    /// The angle of its normal towards the positive side, counter-clockwise from the x axis in degrees, from
    /// -180 to 180: that of the mean normal over its length. None if the mean has no direction, as that of a
    /// closed curve.
    pub fn angle(&self) -> Option<f64> {
        let [x, y] = self.segments().fold([0.0; 2], |[x, y], (from, to)| {
            // The normal to the left of a segment, as long as that is.
            [x - (to[1] - from[1]), y + (to[0] - from[0])]
        });
        let size = (x * x + y * y).sqrt();
        (size > 1e-9 * self.length()).then(|| atan2(y, x).to_degrees())
    }

    /// The distances between the points of two curves and the nearest ones of the other, both curves'
    /// together. Time O(product of the numbers of segments).
    pub fn displacement(&self, other: &Self) -> Displacement {
        let (mut integral, mut largest) = (0.0, 0.0_f64);
        for (one, other) in [(self, other), (other, self)] {
            for (from, to) in one.segments() {
                let middle = [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0];
                integral += distance(from, to) * other.distance(middle);
            }
            let points = one.lines.iter().flatten();
            largest = points.map(|&point| other.distance(point)).fold(largest, f64::max);
        }
        Displacement { mean: integral / (self.length() + other.length()), largest }
    }

    /// How far a point is from the curve.
    fn distance(&self, point: Point) -> f64 {
        let squares = self.segments().map(|(from, to)| square_to_segment(point, from, to));
        squares.fold(f64::INFINITY, f64::min).sqrt()
    }
}

/// How far two curves are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Displacement {
    /// Mean distance over the length of both, by the middles of their segments.
    pub mean: f64,
    /// Largest distance of a point at which a curve crosses an edge of the grid: the Hausdorff distance.
    pub largest: f64,
}

/// The zero between two points where a linear function has these values, of which one is negative.
fn between(from: Point, to: Point, (start, end): (f64, f64)) -> Point {
    // Divided first: the difference of large values would overflow.
    let scale = start.abs().max(end.abs());
    let share = (start / scale) / (start / scale - end / scale);
    [0, 1].map(|axis| from[axis] * (1.0 - share) + to[axis] * share)
}

/// Edges joined to lines; those that begin at the border first, in the order of their first edges.
fn chains(mut next: BTreeMap<Edge, Edge>) -> Vec<Vec<Edge>> {
    let mut starts = next.clone();
    next.values().for_each(|edge| {
        starts.remove(edge);
    });
    let mut chains = Vec::new();
    let mut starts: Vec<Edge> = starts.into_keys().collect();
    starts.reverse();
    while let Some(start) = starts.pop().or_else(|| next.keys().next().copied()) {
        let mut line = vec![start];
        let mut last = start;
        while let Some(following) = next.remove(&last) {
            line.push(following);
            last = following;
        }
        chains.push(line);
    }
    chains
}

fn distance(a: Point, b: Point) -> f64 {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}

fn square_to_segment(point: Point, from: Point, to: Point) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let reach = [point[0] - from[0], point[1] - from[1]];
    let square = along[0] * along[0] + along[1] * along[1];
    let share = if square > 0.0 {
        ((reach[0] * along[0] + reach[1] * along[1]) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let off = [reach[0] - share * along[0], reach[1] - share * along[1]];
    off[0] * off[0] + off[1] * off[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::special::{cos, sin};

    fn grid(cells: usize) -> Grid {
        Grid { low: [-1.0, -2.0], high: [1.0, 2.0], cells }
    }

    fn curve(cells: usize, function: impl Fn(f64, f64) -> f64) -> Curve {
        let grid = grid(cells);
        let values: Vec<f64> =
            grid.nodes().chunks_exact(2).map(|node| function(node[0], node[1])).collect();
        Curve::of(&grid, &values)
    }

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} instead of {expected}");
    }

    #[test]
    fn a_grid_is_around_its_points() {
        let points = [[0.0, 5.0], [10.0, 5.0]];
        let grid = Grid::around(points.iter().map(|point| &point[..]), 2);
        assert_eq!((grid.low, grid.high), ([-1.0, 4.0], [11.0, 6.0]));
        assert_eq!(grid.nodes()[..8], [-1.0, 4.0, 5.0, 4.0, 11.0, 4.0, -1.0, 5.0]);
        assert_eq!(grid.nodes().len(), 18);
    }

    #[test]
    fn the_zeros_of_a_linear_function_are_its_line() {
        for degrees in [-170.0, -91.5, -30.0, 0.0, 10.0, 45.0, 90.0, 127.0, 179.0_f64] {
            let (sin, cos) = (sin(degrees.to_radians()), cos(degrees.to_radians()));
            let line = curve(7, |x, y| cos * x + sin * y - 0.1);
            assert_eq!(line.lines.len(), 1);
            for &[x, y] in &line.lines[0] {
                near(cos * x + sin * y, 0.1, 1e-14);
            }
            near(line.angle().unwrap(), degrees, 1e-12);
            // The line ends at the border.
            for [x, y] in [line.lines[0][0], *line.lines[0].last().unwrap()] {
                assert!((x.abs() - 1.0).abs() < 1e-14 || (y.abs() - 2.0).abs() < 1e-14, "{x}, {y}");
            }
        }
    }

    #[test]
    fn parallel_lines_are_as_far_apart_as_they_are() {
        let one = curve(10, |_, y| y - 0.05);
        let other = curve(10, |_, y| 3.0 * (y - 0.35));
        let found = one.displacement(&other);
        near(found.mean, 0.3, 1e-14);
        near(found.largest, 0.3, 1e-14);
        let same = one.displacement(&one);
        assert!(same.mean < 1e-16 && same.largest == 0.0, "{same:?}");
        near(one.length(), 2.0, 1e-14);
    }

    #[test]
    fn a_turned_line_is_displaced_as_geometry_says() {
        // y = 0 and y = x tan(a) between x = -1 and 1: a point at s on the first is |s| sin(a) from the
        // second, one at t along the second |t| sin(a) from the first. An even number of cells has the
        // crossing at a node.
        let angle: f64 = 0.3;
        let (sin, cos) = (sin(angle), cos(angle));
        let (flat, turned) = (curve(40, |_, y| y), curve(40, |x, y| cos * y - sin * x));
        let found = flat.displacement(&turned);
        near(found.mean, sin * (1.0 + 1.0 / (cos * cos)) / (2.0 + 2.0 / cos), 1e-12);
        near(found.largest, sin / cos, 1e-12);
        near(turned.displacement(&flat).mean, found.mean, 1e-15);
        near(turned.angle().unwrap() - flat.angle().unwrap(), angle.to_degrees(), 1e-12);
    }

    #[test]
    fn circles_are_closed_and_have_their_length_and_distance() {
        let circle = |radius: f64| curve(400, move |x, y| radius * radius - x * x - y * y);
        let (small, large) = (circle(0.5), circle(0.75));
        assert_eq!(small.lines.len(), 1);
        assert_eq!(small.lines[0].first(), small.lines[0].last());
        // Positive inside: counter-clockwise.
        let area: f64 = small.segments().map(|(a, b)| (a[0] * b[1] - a[1] * b[0]) / 2.0).sum();
        near(area, std::f64::consts::PI * 0.25, 1e-4);
        near(small.length(), std::f64::consts::PI, 1e-4);
        assert_eq!(small.angle(), None);
        let found = small.displacement(&large);
        near(found.mean, 0.25, 1e-4);
        near(found.largest, 0.25, 1e-4);
    }

    #[test]
    fn crossing_lines_keep_the_positive_side_on_their_left() {
        // x y + c has its zeros in two branches, for either sign of c.
        for c in [0.05, -0.05] {
            let branches = curve(9, move |x, y| x * y + c);
            assert_eq!(branches.lines.len(), 2, "{c}");
            for (from, to) in branches.segments() {
                let middle = [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0];
                let [x, y] =
                    [middle[0] - 0.01 * (to[1] - from[1]), middle[1] + 0.01 * (to[0] - from[0])];
                let [u, v] =
                    [middle[0] + 0.01 * (to[1] - from[1]), middle[1] - 0.01 * (to[0] - from[0])];
                assert!(x * y > u * v, "{c}: {from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn zeros_at_nodes_and_large_values_are_no_trouble() {
        let diagonal = curve(4, |x, y| 2.0 * x - y);
        near(diagonal.length(), 20.0_f64.sqrt(), 1e-14);
        let large = curve(5, |x, _| if x > 0.0 { 1e308 } else { -1e308 });
        assert_eq!(large.lines.len(), 1);
        assert!(large.lines[0].iter().all(|[x, _]| x.abs() < 1e-15));
        assert!(curve(5, |_, _| 1.0).is_empty());
        assert!(curve(5, |_, _| -1.0).is_empty());
    }
}
