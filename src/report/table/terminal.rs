//! A table as aligned text for a terminal.

use base::text::wrapped;

use super::causes::raised;
use super::shown::{Shown, Text};

/// Spaces between the columns of a group.
const GAP: usize = 2;
/// Spaces before a group.
const GROUP_GAP: usize = 3;

/// How wide a paragraph is at most.
pub const PROSE: usize = 100;

/// The table under its title, broken into blocks of columns where it is wider than `most`; `*` marks what
/// other formats set in bold.
pub fn terminal(title: &str, shown: &Shown, most: usize) -> String {
    let prose = |text: &str, indent| wrapped(text, indent, most.min(PROSE));
    let mut text = prose(title, 0);
    let labels = shown.rows.iter().map(|(label, _)| label.chars().count());
    let stub = labels.chain([shown.corner.chars().count()]).max().unwrap_or(0);
    let groups = groups(shown);
    let mut block: Vec<&Group> = Vec::new();
    let mut width = stub;
    for group in &groups {
        if !block.is_empty() && width + GROUP_GAP + group.width() > most {
            text += &block_text(shown, &block, stub);
            text.push('\n');
            block.clear();
            width = stub;
        }
        width += GROUP_GAP + group.width();
        block.push(group);
    }
    text += &block_text(shown, &block, stub);
    let bold = shown.bold.as_ref().map(|meaning| format!("*: {meaning}"));
    let notes: Vec<&str> = shown.notes.iter().chain(&bold).map(String::as_str).collect();
    if !notes.is_empty() {
        text += &prose(&notes.join("; "), 0);
    }
    for (mark, cause) in &shown.causes {
        text += &prose(&format!("{} {cause}", raised(mark)), mark.len() + 1);
    }
    text
}

/// The columns under one label.
struct Group {
    label: String,
    columns: Vec<Printed>,
}

/// A column as it is printed.
struct Printed {
    /// Its position.
    at: usize,
    /// Width of its numbers.
    width: usize,
    /// Width of the marks behind them, one at least.
    marks: usize,
}

impl Group {
    fn width(&self) -> usize {
        let columns = self.columns.iter().map(|column| column.width + column.marks);
        columns.sum::<usize>() + GAP * (self.columns.len() - 1)
    }

    /// One line of the group: a text for each column against its right edge, and the marks behind it.
    fn line(&self, text: impl Fn(usize) -> (String, String)) -> String {
        let cells = self.columns.iter().map(|Printed { at, width, marks }| {
            let (text, behind) = text(*at);
            format!("{text:>width$}{behind:marks$}")
        });
        format!("{:GROUP_GAP$}{}", "", cells.collect::<Vec<String>>().join(&" ".repeat(GAP)))
    }
}

fn groups(shown: &Shown) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut last = None;
    for (at, column) in shown.columns.iter().enumerate() {
        let cells = || shown.rows.iter().filter_map(|(_, cells)| cells.get(at)).map(cell_text);
        let widest = |width: fn(&(String, String)) -> usize| {
            cells().map(|cell| width(&cell)).max().unwrap_or(0)
        };
        let width = widest(|(text, _)| text.chars().count());
        let side = if shown.sides { column.side.word().len() } else { 0 };
        let printed = Printed {
            at,
            width: width.max(side),
            marks: widest(|(_, marks)| marks.chars().count()).max(1),
        };
        if let Some(group) = groups.last_mut().filter(|_| last == Some(column.group)) {
            group.columns.push(printed);
        } else {
            groups.push(Group { label: column.label.clone(), columns: vec![printed] });
        }
        last = Some(column.group);
    }
    for group in &mut groups {
        // The label stands above the numbers, not above the places of the marks behind them.
        let marks = group.columns.last().map_or(1, |column| column.marks);
        let short = (group.label.chars().count() + marks).saturating_sub(group.width());
        if let Some(column) = group.columns.first_mut() {
            column.width += short;
        }
    }
    groups
}

fn block_text(shown: &Shown, block: &[&Group], stub: usize) -> String {
    let mut lines = Vec::new();
    let label = |group: &&Group| {
        let marks = group.columns.last().map_or(1, |column| column.marks);
        let width = group.width() - marks;
        if group.columns.len() > 1 {
            format!("{:GROUP_GAP$}{:^width$}{:marks$}", "", group.label, "")
        } else {
            format!("{:GROUP_GAP$}{:>width$}{:marks$}", "", group.label, "")
        }
    };
    let labels: String = block.iter().map(label).collect();
    if shown.sides {
        lines.push(format!("{:stub$}{labels}", ""));
        let side = |at: usize| (shown.columns[at].side.word().to_owned(), String::new());
        let sides = block.iter().map(|group| group.line(side));
        lines.push(format!("{:stub$}{}", shown.corner, sides.collect::<String>()));
    } else {
        lines.push(format!("{:stub$}{labels}", shown.corner));
    }
    for (label, cells) in &shown.rows {
        let groups = block.iter().map(|group| group.line(|at| cell_text(&cells[at])));
        lines.push(format!("{label:stub$}{}", groups.collect::<String>()));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// What stands in a cell, and the marks behind it.
fn cell_text(cell: &Text) -> (String, String) {
    match cell {
        Text::Empty => (String::new(), String::new()),
        Text::Word(word) => ((*word).to_owned(), String::new()),
        Text::Number { value, sd, bold, of, worse, cause } => {
            let sd = sd.as_ref().map(|sd| format!(" ± {sd}")).unwrap_or_default();
            let of = of.map(|of| format!(" ({of})")).unwrap_or_default();
            let bold = if *bold { "*" } else { "" };
            let worse = if *worse { "†" } else { "" };
            let cause = cause.as_deref().map(raised).unwrap_or_default();
            (format!("{value}{sd}{of}"), format!("{cause}{bold}{worse}"))
        }
    }
}
