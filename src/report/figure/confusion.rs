//! Confusion matrices, a panel each.

use document::section;
use plotters::style::RGBColor;
use spec::number::fixed;
use spec::{Evidence, FigureDesign, Kind, Mark, Numbers, Panel, Pictured, Plot, Scope, TestSpec};
use task::classification::CLASSIFICATION;
use task::confusion::{Confusion, OfClass};
use task::picture::Picture;

use super::canvas::{
    About, Align, Canvas, GRID, LINE_HEIGHT, TEXT, TITLE, page, text_width, widest, wrapped,
};
use super::line::draw_title;
use super::shared::{FigureError, PicturePlot, only_of};

pub(super) const KIND: Kind<dyn Plot> = Kind::<dyn Plot>::of::<ConfusionMatrix>(
    "confusion",
    "confusion matrices, a panel for each method, dataset, part and sweep point, with `y` above: of the examples of each \
     class the percentage that is taken for each, over all folds and repeats; the numbers, and each class's precision, \
     recall and F1, are in `figures/ID.csv` and in the report",
);

section! {
    in Scope;
    /// How often each class is taken for each, a panel for each method and dataset.
    pub struct ConfusionMatrix {}
    check(scope, _table) {
        only_of(&CLASSIFICATION, "confusion matrices", scope);
    }
}

impl Plot for ConfusionMatrix {
    fn draw(
        &self,
        figure: &FigureDesign,
        evidence: &dyn Evidence,
        _: &[TestSpec],
    ) -> Result<String, String> {
        let plot = PicturePlot::new(figure, evidence, self.pictured());
        confusion_matrix(&plot).map_err(|error| error.to_string())
    }

    fn pictured(&self) -> Pictured {
        Pictured::All
    }

    fn numbers(&self, figure: &FigureDesign, evidence: &dyn Evidence) -> Vec<Numbers> {
        let panels = evidence.panels(figure, self.pictured());
        let of = |panel: &Panel| Some(numbers(&panel.label, confusion(panel).ok()?));
        panels.iter().filter_map(of).collect()
    }
}

/// Widest name of a class.
const NAME: f64 = 150.0;
/// The column of a measure beside a matrix.
const MEASURE: f64 = 62.0;
/// Side of a cell that has room for its percentage, and for a name beside it.
const WITH_TEXT: f64 = 24.0;
const WITH_NAME: f64 = 13.0;
/// The heading of a panel.
const ABOVE: f64 = 3.0 * LINE_HEIGHT;
/// Widest row of panels.
const ABREAST: f64 = 900.0;
/// What is all of a class, pale enough for text on it.
const FULL: RGBColor = RGBColor(86, 180, 233);

/// The counts of a panel, or why there are none.
fn confusion(panel: &Panel) -> Result<&Confusion, &str> {
    match &panel.picture {
        Ok(Picture::Confusion(confusion)) => Ok(confusion),
        Ok(Picture::Plane(_) | Picture::Tree(_)) => Err("no confusion matrix"),
        Err(why) => Err(why),
    }
}

fn numbers(title: &str, confusion: &Confusion) -> Numbers {
    let taken = confusion.classes().iter().map(|class| (format!("as {class}"), 0));
    let measures = measures().map(|name| (name.to_owned(), 3));
    let row = |((name, counts), class): ((&str, &[u64]), OfClass)| {
        let counts = counts.iter().map(|&count| Some(count as f64));
        let measures = class.measures().into_iter().map(|(_, value)| value);
        (name.to_owned(), counts.chain(measures).collect())
    };
    Numbers {
        title: title.to_owned(),
        corner: "Class".to_owned(),
        columns: taken.chain(measures).collect(),
        rows: confusion.rows().zip(confusion.each()).map(row).collect(),
    }
}

/// Names of the measures of a class.
fn measures() -> impl Iterator<Item = &'static str> {
    OfClass::default().measures().into_iter().map(|(name, _)| name)
}

/// How large the parts of a panel are.
struct Layout {
    /// Names of the classes, as far as there is room.
    names: Vec<String>,
    /// Side of a cell.
    side: f64,
    /// Left of the matrix.
    margin: f64,
    /// Whether the names of columns have room beside each other.
    across: bool,
    /// Of the matrix.
    extent: f64,
}

impl Layout {
    fn of(confusion: &Confusion) -> Self {
        let classes = confusion.classes().len() as f64;
        let side = match classes {
            ..=8.0 => 40.0,
            ..=14.0 => 30.0,
            ..=24.0 => WITH_TEXT,
            _ => (576.0 / classes).max(2.0),
        };
        let names: Vec<String> = match side >= WITH_NAME {
            true => confusion.classes().iter().map(|name| shortened(name)).collect(),
            false => Vec::new(),
        };
        let margin = LINE_HEIGHT + widest(names.iter().map(String::as_str)) + 10.0;
        let across = names.iter().all(|name| text_width(name, TEXT) < side - 4.0);
        Self { names, side, margin, across, extent: side * classes }
    }

    fn width(&self) -> f64 {
        let measures = if self.names.is_empty() { 0.0 } else { 3.0 * MEASURE };
        self.margin + self.extent + measures + 16.0
    }

    /// From the matrix to what its columns are.
    fn below(&self) -> f64 {
        if self.across { LINE_HEIGHT + 10.0 } else { self.margin - 2.0 }
    }

    fn height(&self) -> f64 {
        ABOVE + self.extent + self.below() + 2.0 * LINE_HEIGHT
    }
}

/// A name that is not too wide.
fn shortened(name: &str) -> String {
    if text_width(name, TEXT) <= NAME {
        return name.to_owned();
    }
    let mut short = String::new();
    for letter in name.chars() {
        short.push(letter);
        if text_width(&short, TEXT) > NAME - 14.0 {
            break;
        }
    }
    short + "…"
}

/// Draws confusion matrices as SVG.
///
/// # Errors
/// No matrix to draw.
pub fn confusion_matrix(plot: &PicturePlot) -> Result<String, FigureError> {
    let layouts: Vec<Option<Layout>> =
        plot.panels.iter().map(|panel| confusion(panel).ok().map(Layout::of)).collect();
    let sizes = || layouts.iter().flatten().map(|layout| (layout.width(), layout.height()));
    if sizes().next().is_none() {
        return Err(FigureError::Empty { title: plot.title.clone() });
    }
    let titles = plot.panels.iter().flat_map(|panel| [panel.label.as_str(), panel.note.as_str()]);
    let cell_width = sizes().map(|size| size.0).fold(widest(titles) + 24.0, f64::max);
    let columns = ((ABREAST / cell_width) as usize).clamp(1, plot.panels.len());
    let width = (columns as f64 * cell_width).max(440.0) + 8.0;
    let title = wrapped(&plot.title, TITLE, width - 24.0);
    let top = 16.0 + title.len() as f64 * 20.0;
    let mut rows = vec![top];
    for row in layouts.chunks(columns) {
        let heights = row.iter().map(|layout| layout.as_ref().map_or(ABOVE, Layout::height));
        rows.push(rows[rows.len() - 1] + heights.fold(0.0, f64::max));
    }
    let note = wrapped(
        "percent of the examples of each class that are taken for each, over all folds and repeats",
        TEXT,
        width - 24.0,
    );
    let bottom = rows[rows.len() - 1];
    page(width, bottom + note.len() as f64 * LINE_HEIGHT + 10.0, |canvas| {
        draw_title(canvas, &title, width)?;
        for (place, (panel, layout)) in plot.panels.iter().zip(&layouts).enumerate() {
            let left = 8.0 + (place % columns) as f64 * cell_width;
            draw_panel(canvas, panel, layout.as_ref(), (left, rows[place / columns]))?;
        }
        for (place, line) in note.iter().enumerate() {
            let y = bottom + 4.0 + place as f64 * LINE_HEIGHT;
            canvas.text(line, (16.0, y), TEXT, Align::Start)?;
        }
        Ok(())
    })
}

fn draw_panel(
    canvas: &Canvas<'_>,
    panel: &Panel,
    layout: Option<&Layout>,
    (left, top): (f64, f64),
) -> Result<(), FigureError> {
    let heading = left + layout.map_or(16.0, |layout| layout.margin);
    canvas.text(&panel.label, (heading, top + 8.0), TEXT, Align::Start)?;
    let (confusion, layout) = match (confusion(panel), layout) {
        (Ok(confusion), Some(layout)) => (confusion, layout),
        (Err(why), _) => {
            return canvas.text(why, (heading, top + 8.0 + LINE_HEIGHT), TEXT, Align::Start);
        }
        (Ok(_), None) => return Ok(()),
    };
    canvas.text(&panel.note, (heading, top + 8.0 + 0.95 * LINE_HEIGHT), TEXT, Align::Start)?;
    let corner = (left + layout.margin, top + ABOVE);
    draw_names(canvas, layout, corner)?;
    let each: Vec<OfClass> = confusion.each().collect();
    let names = confusion.classes();
    for (row, ((name, counts), class)) in confusion.rows().zip(&each).enumerate() {
        let y = corner.1 + row as f64 * layout.side;
        for (column, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let x = corner.0 + column as f64 * layout.side;
            let share = count as f64 / class.examples as f64;
            let at = format!("as {}", names[column]);
            let mark = Mark { value: share, bar: None };
            canvas.mark(About { series: name, at: &at, mark: &mark }, |canvas| {
                canvas.filled((x, y), (x + layout.side, y + layout.side), tint(share))?;
                if layout.side < WITH_TEXT {
                    return Ok(());
                }
                let middle = (x + layout.side / 2.0, y + layout.side / 2.0);
                canvas.text(&percent(share), middle, TEXT, Align::Middle)
            })?;
        }
        if layout.names.is_empty() {
            continue;
        }
        for (place, (_, value)) in class.measures().into_iter().enumerate() {
            let text = value.map_or("–".to_owned(), |value| fixed(value, 3));
            let x = corner.0 + layout.extent + (place as f64 + 1.0) * MEASURE;
            canvas.text(&text, (x, y + layout.side / 2.0), TEXT, Align::End)?;
        }
    }
    // Around the cells, which are drawn above it.
    let [left, top] = [corner.0 - 1.0, corner.1 - 1.0];
    let [right, bottom] = [left + layout.extent + 2.0, top + layout.extent + 2.0];
    canvas.line(&[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], GRID, 1)
}

/// The names of rows, columns and measures.
fn draw_names(
    canvas: &Canvas<'_>,
    layout: &Layout,
    (left, top): (f64, f64),
) -> Result<(), FigureError> {
    let Layout { names, side, margin, extent, across } = layout;
    let bottom = top + extent;
    for (place, name) in names.iter().enumerate() {
        let middle = (place as f64 + 0.5) * side;
        canvas.text(name, (left - 6.0, top + middle), TEXT, Align::End)?;
        if *across {
            canvas.text(name, (left + middle, bottom + 11.0), TEXT, Align::Middle)?;
        } else {
            let y = bottom + 6.0 + text_width(name, TEXT) / 2.0;
            canvas.text_upwards(name, (left + middle, y))?;
        }
    }
    if !names.is_empty() {
        for (place, name) in measures().enumerate() {
            let x = left + extent + (place as f64 + 1.0) * MEASURE;
            canvas.text(name, (x, top - 9.0), TEXT, Align::End)?;
        }
    }
    canvas.text_upwards("class", (left - margin + 10.0, top + extent / 2.0))?;
    let below = bottom + layout.below();
    canvas.text("taken for", (left + extent / 2.0, below), TEXT, Align::Middle)
}

/// White for none, a blue for all.
fn tint(share: f64) -> RGBColor {
    let blend = |full: u8| (255.0 - share * (255.0 - f64::from(full))).round() as u8;
    RGBColor(blend(FULL.0), blend(FULL.1), blend(FULL.2))
}

/// A share above zero as a percentage.
fn percent(share: f64) -> String {
    match share * 100.0 {
        ..0.5 => "<1".to_owned(),
        percent => format!("{percent:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_and_never_to_nothing() {
        assert_eq!(percent(0.001), "<1");
        assert_eq!(percent(0.014), "1");
        assert_eq!(percent(1.0), "100");
        assert_eq!(tint(0.0), RGBColor(255, 255, 255));
        assert_eq!(tint(1.0), FULL);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(shortened("acq"), "acq");
        let short = shortened("talk.politics.mideast.and.much.more.of.it");
        assert!(short.ends_with('…') && text_width(&short, TEXT) <= NAME + 14.0, "{short}");
    }
}
