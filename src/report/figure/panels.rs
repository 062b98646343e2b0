//! Pictures of trials, a panel each.

use spec::{Evidence, FigureDesign, Panel, Pictured, Plotted};
use task::Task;
use task::picture::Picture;

use super::FigureError;

/// Pictures of trials, a panel each.
#[derive(Debug, Clone)]
pub struct PicturePlot {
    /// Title above.
    pub title: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

impl PicturePlot {
    /// Those that a figure shows.
    pub(super) fn new(figure: &FigureDesign, evidence: &dyn Evidence, pictured: Pictured) -> Self {
        Self { title: figure.title.clone(), panels: evidence.panels(figure, pictured) }
    }

    /// The pictures of one kind, or why a panel has none; `other` is said of other kinds.
    ///
    /// # Errors
    /// No panel has one.
    pub(super) fn pictures<'p, T>(
        &'p self,
        of_kind: impl Fn(&'p Picture) -> Option<&'p T>,
        other: &'static str,
    ) -> Result<Vec<Result<&'p T, &'p str>>, FigureError> {
        let picture = |panel: &'p Panel| match &panel.picture {
            Ok(picture) => of_kind(picture).ok_or(other),
            Err(why) => Err(*why),
        };
        let pictures: Vec<_> = self.panels.iter().map(picture).collect();
        if pictures.iter().all(Result::is_err) {
            return Err(FigureError::Empty { title: self.title.clone() });
        }
        Ok(pictures)
    }
}

/// The upper left corners of panels of these sizes, so many beside each other from this point on, each row as high as
/// its highest; and where the last row ends.
pub(super) fn arranged(
    sizes: &[(f64, f64)],
    abreast: usize,
    (left, top): (f64, f64),
) -> (Vec<(f64, f64)>, f64) {
    let mut corners = Vec::new();
    let mut y = top;
    for row in sizes.chunks(abreast.max(1)) {
        let mut x = left;
        for (width, _) in row {
            corners.push((x, y));
            x += width;
        }
        y += row.iter().map(|size| size.1).fold(0.0, f64::max);
    }
    (corners, y)
}

/// Refuses parts of other tasks than the one that has such pictures.
pub(super) fn only_of(task: &Task, pictures: &str, scope: &mut Plotted<'_>) {
    let shown = scope.shown;
    let mut parts = scope.parts.iter().filter(|part| shown.parts.contains(&part.id));
    if parts.any(|part| part.task.word != task.word) {
        let word = task.word;
        let message = format!("only {word} tasks have {pictures} to draw");
        let help = format!("name parts of kind \"{word}\"");
        scope.fault(&shown.place, message, "other tasks are shown too").help(help);
    }
}
