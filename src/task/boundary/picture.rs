//! What a figure of decision boundaries shows of one trial.

use super::curve::Curve;

/// Training points and decision boundaries in a window of the plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// Left, right, lower and upper end of the window.
    pub window: [f64; 4],
    /// Training points, x and y of each one after another, under the names of their classes; outliers after
    /// the others.
    pub points: Vec<Group>,
    /// Decision boundaries by name.
    pub curves: Vec<(String, Curve)>,
}

/// Points that are drawn alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Name of their class.
    pub class: String,
    /// Whether they are outliers.
    pub outliers: bool,
    /// x and y of each, one after another.
    pub coordinates: Vec<f64>,
}

/// One line of a picture's file: what it is, its name, and numbers.
pub type Line = (&'static str, String, Vec<f64>);

const WINDOW: &str = "window";
const POINTS: &str = "points";
const OUTLIERS: &str = "outliers";
const CURVE: &str = "curve";

impl Plane {
    /// Its lines: the window, the points of each class, the outliers, each line of each curve.
    pub fn to_lines(&self) -> Vec<Line> {
        let mut lines = vec![(WINDOW, String::new(), self.window.to_vec())];
        for group in &self.points {
            let what = if group.outliers { OUTLIERS } else { POINTS };
            lines.push((what, group.class.clone(), group.coordinates.clone()));
        }
        for (name, curve) in &self.curves {
            let numbers = |line: &Vec<[f64; 2]>| line.iter().flatten().copied().collect();
            lines.extend(curve.lines.iter().map(|line| (CURVE, name.clone(), numbers(line))));
        }
        lines
    }

    /// The picture of these lines; none if they are not those of one.
    pub fn from_lines<'l>(
        lines: impl IntoIterator<Item = (&'l str, &'l str, Vec<f64>)>,
    ) -> Option<Self> {
        let mut window = None;
        let (mut points, mut curves) = (Vec::new(), Vec::<(String, Curve)>::new());
        for (what, name, numbers) in lines {
            match what {
                WINDOW => window = Some(<[f64; 4]>::try_from(numbers).ok()?),
                _ if !numbers.len().is_multiple_of(2) => return None,
                POINTS | OUTLIERS => {
                    let outliers = what == OUTLIERS;
                    points.push(Group { class: name.to_owned(), outliers, coordinates: numbers });
                }
                CURVE => {
                    let line = numbers.chunks_exact(2).map(|point| [point[0], point[1]]).collect();
                    match curves.last_mut().filter(|(last, _)| last == name) {
                        Some((_, curve)) => curve.lines.push(line),
                        None => curves.push((name.to_owned(), Curve { lines: vec![line] })),
                    }
                }
                _ => return None,
            }
        }
        Some(Self { window: window?, points, curves })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_comes_back_from_its_lines() {
        let group = |class: &str, outliers, coordinates: &[f64]| Group {
            class: class.to_owned(),
            outliers,
            coordinates: coordinates.to_vec(),
        };
        let lines = vec![vec![[0.0, 0.5], [1.0, 0.1 + 0.2]], vec![[2.0, 2.0], [3.0, 3.0]]];
        let picture = Plane {
            window: [-1.0, 1.0, 0.0, 1e-3],
            points: vec![group("a", false, &[1.0, 2.0]), group("b", true, &[])],
            curves: vec![
                ("one".to_owned(), Curve { lines: lines.clone() }),
                ("other".to_owned(), Curve { lines }),
            ],
        };
        let lines = picture.to_lines();
        assert_eq!(lines.len(), 7);
        let read = |lines: &[Line]| {
            Plane::from_lines(lines.iter().map(|(what, name, v)| (*what, &**name, v.clone())))
        };
        assert_eq!(read(&lines), Some(picture));
        assert_eq!(read(&lines[1..]), None, "without a window");
        assert_eq!(read(&[("window", String::new(), vec![1.0])]), None);
        assert_eq!(read(&[lines[0].clone(), ("curve", String::new(), vec![1.0])]), None);
        assert_eq!(read(&[lines[0].clone(), ("shape", String::new(), vec![1.0, 2.0])]), None);
    }
}
