//! A sheet as aligned text for a terminal.

use base::text::{columns, wrapped};

use super::letters::raised;
use super::{Cell, Form, SIGNS, Sheet, packed};

/// Spaces between the columns of a group.
const GAP: usize = 2;
/// Spaces before a group.
const GROUP_GAP: usize = 3;

/// How wide a paragraph is at most.
pub const PROSE: usize = 100;

impl Sheet {
    /// The sheet under its title, in lines of at most `width` characters; `*` marks what other formats set in bold.
    pub fn terminal(&self, width: usize) -> String {
        let prose = |text: &str, indent| wrapped(text, indent, width.min(PROSE));
        let mut text = if self.title.is_empty() { String::new() } else { prose(&self.title, 0) };
        text += &match self.form {
            Form::List => list(self, width),
            Form::Record => self.rows.iter().map(|row| record(self, row, width)).collect(),
            Form::Grid => grid(self, width),
        };
        if let Some((more, file)) = self.more {
            let place = file.map_or(String::new(), |file| format!(" in {file}"));
            text += &prose(&format!("and {more} more{place}"), 0);
        }
        self.paragraphs("*").iter().for_each(|note| text += &prose(note, 0));
        for (mark, meaning) in &self.marks {
            text += &prose(&format!("{} {meaning}", raised(mark)), mark.len() + 1);
        }
        text
    }
}

/// A line a row; long cells are broken between words.
fn list(sheet: &Sheet, width: usize) -> String {
    let seen = sheet.seen(false);
    let labels = seen.iter().map(|at| sheet.columns[*at].label().to_owned()).collect();
    let cell = |cell: &Cell| match cell {
        Cell::Empty => sheet.empty.to_owned(),
        other => cell_text(other).concat(),
    };
    let rows = sheet.rows.iter().map(|row| seen.iter().map(|at| cell(&row[*at])).collect());
    let rows: Vec<Vec<String>> = std::iter::once(labels).chain(rows).collect();
    let right = |at: &usize| sheet.columns[seen[*at]].number;
    let right: Vec<usize> = (0..seen.len()).filter(right).collect();
    columns(&rows, &right, width)
}

/// A line a cell behind its label; nothing of empty ones.
fn record(sheet: &Sheet, row: &[Cell], width: usize) -> String {
    let there = sheet.seen(false).into_iter().filter(|at| row[*at] != Cell::Empty);
    let line =
        |at: usize| format!("{}: {}", sheet.columns[at].label(), cell_text(&row[at]).concat());
    there.map(|at| wrapped(&line(at), 0, width)).collect()
}

/// Rows of numbers behind their names, broken into blocks of columns where they are wider than `most`.
fn grid(sheet: &Sheet, most: usize) -> String {
    let labels = sheet.rows.iter().map(|row| row[0].plain().chars().count());
    let stub = labels.chain([sheet.columns[0].label().chars().count()]).max().unwrap_or(0);
    let groups = groups(sheet);
    let groups = groups.iter().map(|group| (group, (GROUP_GAP + group.width()) as f64));
    let blocks = packed(groups, stub as f64, most as f64);
    let blocks = blocks.iter().map(|block| block_text(sheet, block, stub));
    blocks.collect::<Vec<String>>().join("\n")
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

    /// Width of the marks behind the last column.
    fn marks(&self) -> usize {
        self.columns.last().map_or(1, |column| column.marks)
    }

    /// One line of the group: a text for each column against its right edge, and the marks behind it.
    fn line(&self, text: impl Fn(usize) -> [String; 2]) -> String {
        let cells = self.columns.iter().map(|Printed { at, width, marks }| {
            let [text, behind] = text(*at);
            format!("{text:>width$}{behind:marks$}")
        });
        format!("{:GROUP_GAP$}{}", "", cells.collect::<Vec<String>>().join(&" ".repeat(GAP)))
    }
}

fn groups(sheet: &Sheet) -> Vec<Group> {
    let printed = |&at: &usize| {
        let cells = || sheet.rows.iter().map(|row| cell_text(&row[at]));
        let widest =
            |part: usize| cells().map(|cell| cell[part].chars().count()).max().unwrap_or(0);
        let side = if sheet.sides() { sheet.columns[at].side().len() } else { 0 };
        Printed { at, width: widest(0).max(side), marks: widest(1).max(1) }
    };
    let group = |columns: &[usize]| {
        let label = sheet.columns[columns[0]].label().to_owned();
        let mut group = Group { label, columns: columns.iter().map(printed).collect() };
        // The label stands above the numbers, not above the places of the marks behind them.
        let label = group.label.chars().count() + group.marks();
        group.columns[0].width += label.saturating_sub(group.width());
        group
    };
    let labelled = |at: &usize| sheet.columns[*at].label.is_some();
    let columns: Vec<usize> = (1..sheet.columns.len()).filter(labelled).collect();
    sheet.grouped(&columns).map(group).collect()
}

fn block_text(sheet: &Sheet, block: &[&Group], stub: usize) -> String {
    let mut lines = Vec::new();
    let label = |group: &&Group| {
        let marks = group.marks();
        let width = group.width() - marks;
        if group.columns.len() > 1 {
            format!("{:GROUP_GAP$}{:^width$}{:marks$}", "", group.label, "")
        } else {
            format!("{:GROUP_GAP$}{:>width$}{:marks$}", "", group.label, "")
        }
    };
    let labels: String = block.iter().map(label).collect();
    let corner = sheet.columns[0].label();
    if sheet.sides() {
        lines.push(format!("{:stub$}{labels}", ""));
        let side = |at: usize| [sheet.columns[at].side().to_owned(), String::new()];
        let sides = block.iter().map(|group| group.line(side));
        lines.push(format!("{corner:stub$}{}", sides.collect::<String>()));
    } else {
        lines.push(format!("{corner:stub$}{labels}"));
    }
    for row in &sheet.rows {
        let groups = block.iter().map(|group| group.line(|at| cell_text(&row[at])));
        lines.push(format!("{:stub$}{}", row[0].plain(), groups.collect::<String>()));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// What stands in a cell, and the marks behind it.
fn cell_text(cell: &Cell) -> [String; 2] {
    let marks = match cell {
        Cell::Number(number) => {
            let bold = if number.bold { "*" } else { "" };
            let cause = number.cause.as_deref().map(raised).unwrap_or_default();
            format!("{cause}{bold}{}", number.signs(SIGNS))
        }
        _ => String::new(),
    };
    [cell.plain(), marks]
}
