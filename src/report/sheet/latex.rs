//! A sheet for LaTeX with booktabs, as wide as a page of the class `article` and no longer. Its first column has the
//! names of the rows.

use super::{Cell, Column, Number, Sheet, packed};

/// Width of the text of a page in points: `article` at 10 pt.
const PAGE_WIDTH: f64 = 345.0;
/// Lines of tables on a page.
const PAGE_LINES: usize = 48;
/// Letters on a line of notes, at least.
const NOTE_LETTERS: usize = 80;
/// Half the space between two columns, in points.
const COLUMN_SPACE: f64 = 4.0;

/// `table` environments, to be pasted or input: one, unless the table is longer than a page. A table that is wider
/// than a page is broken into blocks of columns, one below the other. The label is made of `names`.
pub fn latex(sheet: &Sheet, names: [&str; 2]) -> String {
    let label = format!("tab:{}", names.map(plain).join(":"));
    let mut pages = Pages::default();
    for block in blocks(sheet) {
        for rows in sheet.rows.chunks(PAGE_LINES - HEADER_LINES) {
            let tabular = tabular(sheet, &block, rows);
            pages.add(&format!("  \\par\\medskip\n{tabular}"), rows.len() + HEADER_LINES);
        }
    }
    for note in notes(sheet) {
        let lines = note.len().div_ceil(NOTE_LETTERS);
        pages.add(&format!("  \\par\\smallskip\n  {{\\raggedright {note}.\\par}}\n"), lines);
    }
    let page = |(place, content): (usize, &String)| {
        let title = match place {
            0 => format!("\\caption{{{}}}\n  \\label{{{label}}}", escaped(&sheet.title)),
            _ => format!("Table~\\ref{{{label}}}, continued"),
        };
        format!(
            "\\begin{{table}}\n  \\centering\n  {title}\n  \\footnotesize\n  \
             \\setlength{{\\tabcolsep}}{{{COLUMN_SPACE}pt}}\n{content}\\end{{table}}\n"
        )
    };
    let text: String = pages.pages.iter().enumerate().map(page).collect();
    let graphicx = if text.contains("\\resizebox") { ",graphicx" } else { "" };
    format!("% \\usepackage{{booktabs{graphicx}}}\n{text}")
}

/// What stands on each page.
#[derive(Default)]
struct Pages {
    pages: Vec<String>,
    /// Lines of the last.
    lines: usize,
}

impl Pages {
    /// Adds what has so many lines to the last page, or to a new one.
    fn add(&mut self, text: &str, lines: usize) {
        if let Some(page) = self.pages.last_mut().filter(|_| self.lines + lines <= PAGE_LINES) {
            *page += text;
            self.lines += lines;
        } else {
            self.pages.push(text.to_owned());
            self.lines = lines;
        }
    }
}

/// Lines that a block has beside its rows.
const HEADER_LINES: usize = 4;

/// The positions of the columns in as few blocks as fit a page, none much wider than the others.
fn blocks(sheet: &Sheet) -> Vec<Vec<usize>> {
    const STEP: f64 = 10.0;
    let widest = blocks_of(sheet, PAGE_WIDTH);
    let narrower = (1..).map(|steps| blocks_of(sheet, PAGE_WIDTH - STEP * f64::from(steps)));
    narrower
        .take((PAGE_WIDTH / STEP) as usize)
        .take_while(|blocks| blocks.len() == widest.len())
        .last()
        .unwrap_or(widest)
}

/// The positions of the columns in blocks that are no wider than `most`, if they can be.
fn blocks_of(sheet: &Sheet, most: f64) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (1..sheet.columns.len()).collect();
    let groups = sheet.grouped(&all).map(|group| (group, group_width(sheet, group)));
    let blocks = packed(groups, stub(sheet), most).into_iter();
    blocks.filter(|block| !block.is_empty()).map(|block| block.concat()).collect()
}

/// Width of the row labels.
fn stub(sheet: &Sheet) -> f64 {
    let labels = sheet.rows.iter().map(|row| cell_width(&row[0]));
    labels.fold(text_width(sheet.columns[0].label()), f64::max)
}

/// Width of the columns under one label, with the space before each.
fn group_width(sheet: &Sheet, group: &[usize]) -> f64 {
    let space = 2.0 * COLUMN_SPACE;
    let columns: f64 = group.iter().map(|&at| column_width(sheet, at) + space).sum();
    let label = group.first().map_or(0.0, |&at| text_width(sheet.columns[at].label()));
    columns.max(label + space)
}

fn column_width(sheet: &Sheet, at: usize) -> f64 {
    let cells = sheet.rows.iter().map(|row| cell_width(&row[at]));
    let side = if sheet.sides() { text_width(sheet.columns[at].side()) } else { 0.0 };
    cells.fold(side, f64::max)
}

/// One block of columns over some of the rows.
fn tabular(sheet: &Sheet, block: &[usize], rows: &[Vec<Cell>]) -> String {
    let columns: Vec<&Column> = block.iter().map(|&at| &sheet.columns[at]).collect();
    let mut text = format!(
        "  \\begin{{tabular}}{{@{{}}l{}@{{}}}}\n    \\toprule\n",
        "r".repeat(columns.len())
    );
    let corner = sheet.columns[0].label();
    if sheet.sides() {
        text += &group_header(corner, &columns);
    } else {
        let labels: Vec<String> = columns.iter().map(|column| escaped(column.label())).collect();
        text += &line(&escaped(corner), &labels);
    }
    text += "    \\midrule\n";
    for row in rows {
        let cells: Vec<String> = block.iter().map(|&at| cell_text(&row[at])).collect();
        text += &line(&cell_text(&row[0]), &cells);
    }
    text += "    \\bottomrule\n  \\end{tabular}";
    let groups = sheet.grouped(block);
    let width = stub(sheet) + groups.map(|group| group_width(sheet, group)).sum::<f64>();
    if width > PAGE_WIDTH {
        text = format!("  \\resizebox{{\\textwidth}}{{!}}{{%\n{text}}}");
    }
    text + "\n"
}

/// What marks mean, and why cells differ: a paragraph each.
fn notes(sheet: &Sheet) -> Vec<String> {
    let notes = sheet.paragraphs("bold").into_iter().map(|note| escaped(&note));
    let mark =
        |(mark, cause): &(String, String)| format!("$^{{\\mathrm{{{mark}}}}}$ {}", escaped(cause));
    notes.chain(sheet.marks.iter().map(mark)).collect()
}

fn line(label: &str, cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!(" & {cell}")).collect();
    format!("    {label}{cells} \\\\\n")
}

/// Labels over their columns, a rule under each, then whose values they are.
fn group_header(corner: &str, columns: &[&Column]) -> String {
    let (mut labels, mut rules) = (Vec::new(), String::new());
    let mut first = 2;
    for group in columns.chunk_by(|a, b| a.group == b.group) {
        let last = first + group.len() - 1;
        labels.push(format!(
            "\\multicolumn{{{}}}{{c}}{{{}}}",
            group.len(),
            escaped(group[0].label())
        ));
        rules += &format!("\\cmidrule(lr){{{first}-{last}}}");
        first = last + 1;
    }
    let sides: Vec<String> = columns.iter().map(|column| column.side().to_owned()).collect();
    format!("{}    {rules}\n{}", line("", &labels), line(&escaped(corner), &sides))
}

fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Absent(word) => format!("\\emph{{{word}}}"),
        Cell::Number(number @ Number { text, sd, bold, of, cause, .. }) => {
            let value = if *bold { format!("\\mathbf{{{text}}}") } else { text.clone() };
            let sd = sd.as_ref().map(|sd| format!(" \\pm {sd}")).unwrap_or_default();
            let signs = number.signs(["\\dagger", "\\S"]);
            let cause =
                cause.as_ref().map(|mark| format!("\\mathrm{{{mark}}}")).unwrap_or_default();
            let raised = format!("{signs}{cause}");
            let raised = if raised.is_empty() { raised } else { format!("^{{{raised}}}") };
            let of = of.map(|of| format!(" ({of})")).unwrap_or_default();
            format!("${value}{sd}{raised}${of}")
        }
        other => escaped(&other.plain()),
    }
}

/// Widths of the characters from space to tilde in hundredths of a point: Computer Modern Roman, 8 pt.
#[rustfmt::skip]
const WIDTHS: [u16; 95] = [
    284, 237, 480, 709, 426, 709, 662, 237, 331, 331, 426, 662, 237, 284, 237, 426,
    426, 426, 426, 426, 426, 426, 426, 426, 426, 426, 237, 237, 662, 662, 662, 402,
    662, 637, 602, 614, 649, 579, 555, 667, 637, 307, 437, 661, 531, 779, 637, 662,
    579, 662, 626, 473, 614, 637, 637, 873, 637, 637, 520, 237, 426, 237, 426, 310,
    237, 426, 473, 378, 473, 378, 260, 426, 473, 237, 260, 449, 237, 709, 473, 426,
    473, 449, 332, 336, 331, 473, 449, 614, 449, 449, 378, 426, 240, 426, 426,
];
/// Width of a minus sign, and of any character that is not in [`WIDTHS`], in points.
const WIDE: f64 = 6.7;
/// Width of `±` with the spaces around it.
const PLUS_MINUS: f64 = 10.5;
/// How much wider bold digits are.
const BOLD: f64 = 1.15;
/// Width of a raised letter.
const RAISED: f64 = 4.6;

fn text_width(text: &str) -> f64 {
    let width = |letter: char| {
        let place = (letter as usize).checked_sub(32).and_then(|place| WIDTHS.get(place));
        place.map_or(WIDE, |hundredths| f64::from(*hundredths) / 100.0)
    };
    text.chars().map(width).sum()
}

fn cell_width(cell: &Cell) -> f64 {
    let number = |text: &str| {
        let minus = if text.starts_with('-') { WIDE } else { 0.0 };
        minus + text_width(text.trim_start_matches('-'))
    };
    match cell {
        Cell::Number(own @ Number { text, sd, bold, of, cause, .. }) => {
            let value = number(text) * if *bold { BOLD } else { 1.0 };
            let sd = sd.as_ref().map_or(0.0, |sd| PLUS_MINUS + number(sd));
            let raised = own.signs(["+"; 2]).len() + cause.as_ref().map_or(0, String::len);
            let of = of.map_or(0.0, |of| text_width(&format!(" ({of})")));
            value + sd + of + RAISED * raised as f64
        }
        other => text_width(&other.plain()),
    }
}

/// A label without characters that LaTeX treats specially.
fn plain(id: &str) -> String {
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
                Some(command) => escaped += &command,
                None => escaped.push(letter),
            },
        }
    }
    escaped
}

// `[` and `*`: after a line break these would be taken for its argument or its star.
const COMMANDS: &str = "\\\\textbackslash{} ~\\textasciitilde{} ^\\textasciicircum{} <\\textless{} >\\textgreater{} \
                        |\\textbar{} \"'' [{[} *{*} –-- —---";
const SYMBOLS: &str = "±\\pm −- ×\\times ≤\\leq ≥\\geq ≠\\neq ≈\\approx ∞\\infty α\\alpha β\\beta γ\\gamma δ\\delta \
                       ε\\varepsilon η\\eta θ\\theta κ\\kappa λ\\lambda μ\\mu µ\\mu π\\pi ρ\\rho σ\\sigma τ\\tau \
                       φ\\varphi χ\\chi ψ\\psi ω\\omega Δ\\Delta Σ\\Sigma †\\dagger ‡\\ddagger ²^2 ³^3";

/// How a letter is written; none if as itself. What each is in text and in mathematics stands behind it.
fn command(letter: char) -> Option<String> {
    let of = |all: &'static str| all.split(' ').find_map(|one| one.strip_prefix(letter));
    let symbol = || of(SYMBOLS).map(|symbol| format!("${symbol}$"));
    of(COMMANDS).map(str::to_owned).or_else(symbol)
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
