//! A sheet as a table of GitHub-flavoured Markdown.

use super::{Cell, Number, SIGNS, Sheet, Side};

impl Sheet {
    /// The table, and paragraphs under it.
    pub fn markdown(&self) -> String {
        let seen = self.seen(false);
        let columns = || seen.iter().map(|at| &self.columns[*at]);
        let labels = columns().map(|column| {
            let side = if column.side == Some(Side::Paper) { " (paper)" } else { "" };
            format!("{}{side}", escaped(column.label()))
        });
        let rule: String = columns().map(|one| if one.number { "--:|" } else { ":--|" }).collect();
        let head = format!("{}|{rule}\n", line(labels));
        let mut text = if seen.is_empty() { String::new() } else { head };
        for row in &self.rows {
            text += &line(seen.iter().map(|at| cell(&row[*at])));
        }
        if let Some((more, file)) = self.more {
            let place = file.map_or(String::new(), |file| format!(" in `{file}`"));
            text += &format!("\nAnd {more} more{place}.\n");
        }
        for note in self.paragraphs("bold") {
            text += &format!("\n{}.\n", escaped(&note));
        }
        for (mark, meaning) in &self.marks {
            text += &format!("\n<sup>{mark}</sup> {}.\n", escaped(meaning));
        }
        text
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Absent(word) => format!("*{word}*"),
        Cell::Code(text) => format!("`{text}`"),
        Cell::Number(number) => self::number(number),
        Cell::Link { to, text, .. } => format!("[{}]({to})", escaped(text)),
        Cell::Finding(finding) => {
            let mark = if finding.verdict == spec::Verdict::Fails { "**" } else { "" };
            format!(
                "{mark}{}{mark}, {}: {}",
                finding.verdict.text(),
                finding.by(),
                escaped(&finding.sentence)
            )
        }
        other => escaped(&other.plain()),
    }
}

fn number(number: &Number) -> String {
    let Number { text, sd, bold, of, cause, .. } = number;
    let mark = if *bold { "**" } else { "" };
    let sd = sd.as_ref().map(|sd| format!(" ± {sd}")).unwrap_or_default();
    let of = of.map(|of| format!(" ({of})")).unwrap_or_default();
    let cause = cause.as_ref().map(|mark| format!("<sup>{mark}</sup>")).unwrap_or_default();
    let signs = number.signs(SIGNS);
    format!("{mark}{text}{mark}{sd}{signs}{cause}{of}")
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
