//! A table for LaTeX with booktabs.

use super::Table;
use super::shown::{Column, Text, shown};

/// A `table` environment, to be pasted or input.
pub fn latex(table: &Table) -> String {
    let shown = shown(table);
    let mut text = "% \\usepackage{booktabs}\n\\begin{table}\n  \\centering\n".to_owned();
    text += &format!("  \\caption{{{}}}\n", escaped(&table.spec.title));
    text += &format!("  \\label{{tab:{}}}\n", label(&table.spec.id));
    text +=
        &format!("  \\begin{{tabular}}{{l{}}}\n    \\toprule\n", "r".repeat(shown.columns.len()));
    if shown.sides {
        text += &group_header(&shown.corner, &shown.columns);
    } else {
        let labels: Vec<String> =
            shown.columns.iter().map(|column| escaped(&column.label)).collect();
        text += &line(&escaped(&shown.corner), &labels);
    }
    text += "    \\midrule\n";
    for (label, cells) in &shown.rows {
        let cells: Vec<String> = cells.iter().map(cell_text).collect();
        text += &line(&escaped(label), &cells);
    }
    text += "    \\bottomrule\n  \\end{tabular}\n";
    let bold = shown.bold.map(|meaning| format!("bold: {meaning}"));
    let notes: Vec<String> = shown.notes.iter().chain(&bold).map(|note| escaped(note)).collect();
    if !notes.is_empty() {
        text += &format!("  \\par\\smallskip\\footnotesize {}.\n", notes.join("; "));
    }
    text + "\\end{table}\n"
}

fn line(label: &str, cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!(" & {cell}")).collect();
    format!("    {label}{cells} \\\\\n")
}

/// Labels over their columns, a rule under each, then whose values they are.
fn group_header(corner: &str, columns: &[Column]) -> String {
    let (mut labels, mut rules) = (Vec::new(), String::new());
    let mut first = 2;
    for group in columns.chunk_by(|a, b| a.group == b.group) {
        let last = first + group.len() - 1;
        labels.push(format!(
            "\\multicolumn{{{}}}{{c}}{{{}}}",
            group.len(),
            escaped(&group[0].label)
        ));
        rules += &format!("\\cmidrule(lr){{{first}-{last}}}");
        first = last + 1;
    }
    let sides: Vec<String> = columns.iter().map(|column| column.side.word().to_owned()).collect();
    format!("{}    {rules}\n{}", line("", &labels), line(&escaped(corner), &sides))
}

fn cell_text(cell: &Text) -> String {
    match cell {
        Text::Empty => String::new(),
        Text::Word(word) => format!("\\emph{{{word}}}"),
        Text::Number { value, sd, bold, of, worse } => {
            let value = if *bold { format!("\\mathbf{{{value}}}") } else { value.clone() };
            let sd = sd.as_ref().map(|sd| format!(" \\pm {sd}")).unwrap_or_default();
            let dagger = if *worse { "^{\\dagger}" } else { "" };
            let of = of.map(|of| format!(" ({of})")).unwrap_or_default();
            format!("${value}{sd}{dagger}${of}")
        }
    }
}

/// A label without characters that LaTeX treats specially.
fn label(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' }).collect()
}

/// Text on one line that LaTeX prints as it is, with the default font encoding too.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '\n' | '\r' | '\t' => escaped.push(' '),
            letter => match command(letter) {
                Some(command) => escaped += command,
                None => escaped.push(letter),
            },
        }
    }
    escaped
}

fn command(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\\' => "\\textbackslash{}",
        '~' => "\\textasciitilde{}",
        '^' => "\\textasciicircum{}",
        '<' => "\\textless{}",
        '>' => "\\textgreater{}",
        '|' => "\\textbar{}",
        '"' => "''",
        // After a line break these would be taken for its argument or its star.
        '[' => "{[}",
        '*' => "{*}",
        '±' => "$\\pm$",
        '−' => "$-$",
        '×' => "$\\times$",
        '≤' => "$\\leq$",
        '≥' => "$\\geq$",
        '≠' => "$\\neq$",
        '≈' => "$\\approx$",
        '∞' => "$\\infty$",
        '–' => "--",
        '—' => "---",
        'α' => "$\\alpha$",
        'β' => "$\\beta$",
        'γ' => "$\\gamma$",
        'δ' => "$\\delta$",
        'ε' => "$\\varepsilon$",
        'η' => "$\\eta$",
        'θ' => "$\\theta$",
        'κ' => "$\\kappa$",
        'λ' => "$\\lambda$",
        'μ' | 'µ' => "$\\mu$",
        'π' => "$\\pi$",
        'ρ' => "$\\rho$",
        'σ' => "$\\sigma$",
        'τ' => "$\\tau$",
        'φ' => "$\\varphi$",
        'χ' => "$\\chi$",
        'ψ' => "$\\psi$",
        'ω' => "$\\omega$",
        'Δ' => "$\\Delta$",
        'Σ' => "$\\Sigma$",
        '†' => "$\\dagger$",
        '²' => "$^2$",
        '³' => "$^3$",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn special_characters_are_printed_as_they_are() {
        assert_eq!(escaped("pumsb_star & 100% of $5 #1"), "pumsb\\_star \\& 100\\% of \\$5 \\#1");
        assert_eq!(
            escaped("{a}\\b~c^d"),
            "\\{a\\}\\textbackslash{}b\\textasciitilde{}c\\textasciicircum{}d"
        );
        assert_eq!(escaped("[a] *b"), "{[}a] {*}b");
        assert_eq!(escaped("|V| < λ²\nk"), "\\textbar{}V\\textbar{} \\textless{} $\\lambda$$^2$ k");
    }
}
