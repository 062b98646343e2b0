//! Lines for a terminal.

/// Widest line of the report.
pub const WIDTH: usize = 100;

/// The text in lines of at most [`WIDTH`] characters, broken between words. The first `indent`
/// characters stand as they are; later lines are indented by as much.
pub fn wrapped(text: &str, indent: usize) -> String {
    let head: String = text.chars().take(indent).collect();
    let rest: String = text.chars().skip(indent).collect();
    let mut lines = Vec::new();
    let (mut line, mut used) = (head, indent);
    for word in rest.split_whitespace() {
        let size = word.chars().count();
        if used > indent && used + 1 + size > WIDTH {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            used = indent;
        }
        if used > indent {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += size;
    }
    lines.push(line);
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_indented() {
        let text = format!("head: {}", ["word"; 25].join(" "));
        let lines: Vec<String> = wrapped(&text, 6).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], format!("head: {}", ["word"; 19].join(" ")));
        assert_eq!(lines[1], format!("      {}", ["word"; 6].join(" ")));
        assert_eq!(wrapped("", 0), "\n");
    }
}
