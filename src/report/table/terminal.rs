//! A table as aligned text for a terminal.

use crate::wrap::{WIDTH, wrapped};

use super::Table;
use super::shown::{Column, Shown, Side, Text, shown};

/// Spaces between the columns of a group.
const GAP: usize = 2;
/// Spaces before a group.
const GROUP_GAP: usize = 3;

/// The table under its title, broken into blocks of columns where it is too wide; `*` marks what
/// other formats set in bold.
pub fn terminal(table: &Table) -> String {
    let shown = shown(table);
    let mut text = format!("{}\n", table.spec.title);
    let labels = shown.rows.iter().map(|(label, _)| label.chars().count());
    let stub = labels.chain([shown.corner.chars().count()]).max().unwrap_or(0);
    let groups = groups(&shown);
    let mut block: Vec<&Group> = Vec::new();
    let mut width = stub;
    for group in &groups {
        if !block.is_empty() && width + GROUP_GAP + group.width() > WIDTH {
            text += &block_text(&shown, &block, stub);
            text.push('\n');
            block.clear();
            width = stub;
        }
        width += GROUP_GAP + group.width();
        block.push(group);
    }
    text += &block_text(&shown, &block, stub);
    let bold = shown.bold.map(|meaning| format!("*: {meaning}"));
    let notes: Vec<&str> = shown.notes.iter().chain(&bold).map(String::as_str).collect();
    if !notes.is_empty() {
        text += &wrapped(&notes.join("; "), 0);
    }
    text
}

/// The columns under one label, with the position and width of each.
struct Group {
    label: String,
    columns: Vec<(usize, usize)>,
}

impl Group {
    fn width(&self) -> usize {
        self.columns.iter().map(|(_, width)| width).sum::<usize>() + GAP * (self.columns.len() - 1)
    }

    /// One line of the group: a text for each column, against its right edge.
    fn line(&self, text: impl Fn(usize) -> String) -> String {
        let cells: Vec<String> =
            self.columns.iter().map(|(at, width)| format!("{:>width$}", text(*at))).collect();
        format!("{:GROUP_GAP$}{}", "", cells.join(&" ".repeat(GAP)))
    }
}

fn groups(shown: &Shown) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut last = None;
    for (at, column) in shown.columns.iter().enumerate() {
        let cells = shown.rows.iter().filter_map(|(_, cells)| cells.get(at));
        let widest = cells.map(|cell| cell_text(cell).chars().count()).max().unwrap_or(0);
        let width = widest.max(if shown.sides { side(column).chars().count() } else { 0 });
        match groups.last_mut() {
            Some(group) if last == Some(column.group) => group.columns.push((at, width)),
            _ => groups.push(Group { label: column.label.clone(), columns: vec![(at, width)] }),
        }
        last = Some(column.group);
    }
    for group in &mut groups {
        // The label stands above the numbers, not above the place of the mark behind them.
        let short = (group.label.chars().count() + 1).saturating_sub(group.width());
        if let Some((_, width)) = group.columns.first_mut() {
            *width += short;
        }
    }
    groups
}

fn block_text(shown: &Shown, block: &[&Group], stub: usize) -> String {
    let mut lines = Vec::new();
    let label = |group: &&Group| {
        let width = group.width() - 1;
        if group.columns.len() > 1 {
            format!("{:GROUP_GAP$}{:^width$} ", "", group.label)
        } else {
            format!("{:GROUP_GAP$}{:>width$} ", "", group.label)
        }
    };
    let labels: String = block.iter().map(label).collect();
    if shown.sides {
        lines.push(format!("{:stub$}{labels}", ""));
        let sides = block.iter().map(|group| group.line(|at| side(&shown.columns[at]).to_owned()));
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

/// The word over a column, with the place of the mark behind it.
fn side(column: &Column) -> &'static str {
    match column.side {
        Side::Ours => "ours ",
        Side::Paper => "paper ",
    }
}

fn cell_text(cell: &Text) -> String {
    match cell {
        Text::Empty => String::new(),
        Text::Word(word) => format!("{word} "),
        Text::Number { value, sd, bold, of, worse } => {
            let sd = sd.as_ref().map(|sd| format!(" ± {sd}")).unwrap_or_default();
            let mark = match (bold, worse) {
                (true, true) => "*†",
                (true, false) => "*",
                (false, true) => "†",
                (false, false) => " ",
            };
            let of = of.map(|of| format!(" ({of})")).unwrap_or_default();
            format!("{value}{sd}{of}{mark}")
        }
    }
}
