//! An explanation of a number: step by step for people, as a value for programs.

use std::fmt::Write as _;

use base::text::wrapped;
use report::sheet::{Form, Sheet};
use serde_json::{Map, Value, json};

/// Where a number comes from.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The experiment.
    pub experiment: String,
    /// Its title.
    pub title: String,
    /// What is asked about, in a word for programs.
    pub about: &'static str,
    /// What the results say of that, then the trials behind it, their methods and data, what options of choices give
    /// instead, and the code: each with what programs call it.
    pub steps: Vec<Step>,
    /// What makes it again: what a command does, and its line.
    pub commands: Vec<(&'static str, String)>,
}

/// A step of an explanation.
#[derive(Debug, Clone)]
pub struct Step {
    /// What programs call it.
    pub id: &'static str,
    /// Whether it is said of what is asked about itself.
    pub about: bool,
    /// What is said, under its heading.
    pub sheet: Sheet,
}

/// How many rows a person is shown.
const SHOWN: usize = 20;

/// So many blanks stand before each line of a step.
const INDENT: usize = 3;

impl Explanation {
    /// Step by step, for people, in lines of at most so many characters.
    pub fn text(&self, width: usize) -> String {
        let mut text = wrapped(&format!("{}: {}", self.experiment, self.title), 0, width);
        let steps = self.steps.iter().filter(|step| !step.sheet.rows.is_empty());
        let steps = steps.map(|step| {
            let sheet = step.sheet.clone().without_empty().first(SHOWN, Some("--format json"));
            (sheet.title.clone(), Sheet { title: String::new(), ..sheet }.terminal(width - INDENT))
        });
        let lines = self.commands.iter().map(|(does, line)| format!("{does}:\n  {line}\n"));
        let again = ("Make it again".to_owned(), lines.collect());
        for (place, (heading, lines)) in steps.chain([again]).enumerate() {
            let _ = writeln!(text, "\n{}. {heading}", place + 1);
            lines.lines().for_each(|line| text += &format!("{:INDENT$}{line}\n", ""));
        }
        text
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let value = |step: &Step| match (step.sheet.form, step.sheet.json()) {
            (Form::Record, Value::Array(mut rows)) => rows.pop().unwrap_or_default(),
            (_, rows) => rows,
        };
        let (mut about, mut all) = (Map::new(), Map::new());
        for step in &self.steps {
            match value(step) {
                Value::Object(facts) if step.about => about.extend(facts),
                rows if step.about => drop(about.insert(step.id.to_owned(), rows)),
                rows => drop(all.insert(step.id.to_owned(), rows)),
            }
        }
        let commands =
            self.commands.iter().map(|(does, line)| json!({ "does": does, "line": line }));
        let mut whole = json!({
            "experiment": self.experiment,
            "title": self.title,
            "about": { self.about: about },
        });
        if let Value::Object(whole) = &mut whole {
            whole.extend(all);
            whole.insert("commands".to_owned(), commands.collect());
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use report::sheet::Cell;

    use super::*;

    #[test]
    fn programs_read_what_is_asked_about_apart_from_the_other_steps() {
        let step = |id, about, form| {
            let sheet = Sheet::of("Heading", &[id]).value("name", |id: &&str| *id).sheet();
            Step { id, about, sheet: Sheet { form, ..sheet } }
        };
        let steps = vec![
            step("facts", true, Form::Record),
            step("found", true, Form::List),
            step("code", false, Form::Record),
            step("trials", false, Form::List),
        ];
        let (experiment, title) = ("own".to_owned(), "Title".to_owned());
        let commands = Vec::new();
        let json = Explanation { experiment, title, about: "cell", steps, commands }.json();
        let rows = |id: &str| json!([{ "name": id }]);
        assert_eq!(json["about"], json!({ "cell": { "name": "facts", "found": rows("found") } }));
        assert_eq!(json["code"], json!({ "name": "code" }));
        assert_eq!(json["trials"], rows("trials"));
    }

    #[test]
    fn lines_are_no_longer_than_a_terminal_is_wide() {
        let long = ["a sentence of the paper that goes on ".repeat(9)];
        let sheet =
            Sheet::of("What it is", &long).shown("Text", |text: &String| Cell::prose(&**text));
        let steps = vec![Step { id: "what", about: false, sheet: sheet.sheet() }];
        let (experiment, title, commands) =
            ("own".to_owned(), "A title of its own ".repeat(9), Vec::new());
        let text = Explanation { experiment, title, about: "claim", steps, commands }.text(80);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.lines().any(|line| line.chars().count() > 70), "{text}");
    }
}
