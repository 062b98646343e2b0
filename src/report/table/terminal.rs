//! A table as aligned text for a terminal.

use super::Table;
use super::shown::{Column, Shown, Text, shown};

/// Widest line; wider tables are broken into blocks of columns.
const WIDTH: usize = 100;
/// Spaces between the columns of a group, and between groups.
const GAP: usize = 2;

/// The table under its title; `*` marks what other formats set in bold.
pub fn terminal(table: &Table) -> String {
    let shown = shown(table);
    let mut text = format!("{}\n", table.spec.title);
    let labels = shown.rows.iter().map(|(label, _)| label.chars().count());
    let stub = labels.chain([shown.corner.chars().count()]).max().unwrap_or(0);
    let groups = groups(&shown);
    let mut block: Vec<&Group> = Vec::new();
    let mut width = stub;
    for group in &groups {
        if !block.is_empty() && width + group.width() > WIDTH {
            text += &block_text(&shown, &block, stub);
            text.push('\n');
            block.clear();
            width = stub;
        }
        width += group.width();
        block.push(group);
    }
    text += &block_text(&shown, &block, stub);
    let bold = shown.bold.map(|meaning| format!("*: {meaning}"));
    let notes: Vec<&str> = shown.notes.iter().chain(&bold).map(String::as_str).collect();
    if !notes.is_empty() {
        text += &format!("{}\n", notes.join("; "));
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
        self.columns.iter().map(|(_, width)| GAP + width).sum()
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
        // The label's right edge stands over the numbers', before the place of the mark.
        let short = (group.label.chars().count() + 1 + GAP).saturating_sub(group.width());
        if let Some((_, width)) = group.columns.first_mut() {
            *width += short;
        }
    }
    groups
}

fn block_text(shown: &Shown, block: &[&Group], stub: usize) -> String {
    let mut lines = Vec::new();
    let corner = pad_right(&shown.corner, stub);
    let labels: String =
        block.iter().map(|group| pad_left(&format!("{} ", group.label), group.width())).collect();
    if shown.sides {
        lines.push(format!("{}{labels}", " ".repeat(stub)));
        let sides = |(at, width): &(usize, usize)| pad_left(side(&shown.columns[*at]), width + GAP);
        let sides: String = block.iter().flat_map(|group| &group.columns).map(sides).collect();
        lines.push(format!("{corner}{sides}"));
    } else {
        lines.push(format!("{corner}{labels}"));
    }
    for (label, cells) in &shown.rows {
        let mut line = pad_right(label, stub);
        for (at, width) in block.iter().flat_map(|group| &group.columns) {
            line += &pad_left(&cell_text(&cells[*at]), width + GAP);
        }
        lines.push(line);
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The word over a column, with the place of the mark behind it.
fn side(column: &Column) -> &'static str {
    match column.side {
        super::shown::Side::Ours => "ours ",
        super::shown::Side::Paper => "paper ",
    }
}

fn cell_text(cell: &Text) -> String {
    match cell {
        Text::Empty => String::new(),
        Text::Word(word) => format!("{word} "),
        Text::Number { value, sd, bold } => {
            let sd = sd.as_ref().map(|sd| format!(" ± {sd}")).unwrap_or_default();
            format!("{value}{sd}{}", if *bold { "*" } else { " " })
        }
    }
}

fn pad_left(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(text.chars().count())))
}

fn pad_right(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.chars().count())))
}
