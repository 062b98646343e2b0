//! A table as GitHub-flavoured Markdown.

use super::Table;
use super::shown::{Side, Text, shown};

/// The table, and a line of notes under it.
pub fn markdown(table: &Table) -> String {
    let shown = shown(table);
    let mut header = format!("| {} |", escaped(&shown.corner));
    let mut rule = "|:--|".to_owned();
    for column in &shown.columns {
        let side = if column.side == Side::Paper { " (paper)" } else { "" };
        header += &format!(" {}{side} |", escaped(&column.label));
        rule += "--:|";
    }
    let mut text = format!("{header}\n{rule}\n");
    for (label, cells) in &shown.rows {
        text += &format!("| {} |", escaped(label));
        for cell in cells {
            text += &format!(" {} |", cell_text(cell));
        }
        text.push('\n');
    }
    let bold = shown.bold.map(|meaning| format!("bold: {meaning}"));
    let notes: Vec<String> = shown.notes.iter().chain(&bold).map(|note| escaped(note)).collect();
    if !notes.is_empty() {
        text += &format!("\n{}.\n", notes.join("; "));
    }
    for (mark, cause) in &shown.causes {
        text += &format!("\n<sup>{mark}</sup> {}.\n", escaped(cause));
    }
    text
}

fn cell_text(cell: &Text) -> String {
    match cell {
        Text::Empty => String::new(),
        Text::Word(word) => format!("*{word}*"),
        Text::Number { value, sd, bold, of, worse, cause } => {
            let mark = if *bold { "**" } else { "" };
            let sd = sd.as_ref().map(|sd| format!(" ± {sd}")).unwrap_or_default();
            let dagger = if *worse { "†" } else { "" };
            let of = of.map(|of| format!(" ({of})")).unwrap_or_default();
            let cause = cause.as_ref().map(|mark| format!("<sup>{mark}</sup>")).unwrap_or_default();
            format!("{mark}{value}{mark}{sd}{dagger}{cause}{of}")
        }
    }
}

/// Text on one line that Markdown shows as it is.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\\' | '|' | '*' | '`' | '[' | ']' | '<' | '>' | '_' | '&' | '~' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '\n' | '\r' => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}
