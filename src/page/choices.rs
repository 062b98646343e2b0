//! What the paper leaves open, as one picture: does an option bring cells nearer to the paper?

use contract::Assignment;
use maud::{Markup, html};
use report::Findings;
use report::sheet::{Cell, Sheet};

use super::sheet::sheet;

/// One option that is not the chosen one.
struct Moved<'a> {
    option: &'a Assignment,
    /// Of cells with a published value: how many come nearer to it, stay where they are to the printed digit, and go
    /// further away.
    nearer: usize,
    same: usize,
    further: usize,
    /// Of cells without: how many move.
    moves: usize,
    stays: usize,
}

/// Every option of every choice.
pub fn choices(findings: &Findings<'_>) -> Markup {
    let options = options(findings);
    let of_paper = options.iter().any(|moved| moved.nearer + moved.same + moved.further > 0);
    html! {
        @if !findings.experiment.choices.is_empty() {
            p { "What is left open, and what happens under the other answers, each against the option that the results use, over the same repeats." }
            @if of_paper { p {
                "A bar counts cells that have a published value: "
                span class="key good" {} "nearer to the paper, "
                span class="key same" {} "the same to the printed digit, "
                span class="key bad" {} "further away."
            } }
            @for choice in &findings.experiment.choices {
                article class="choice" {
                    h3 { code { (choice.id) } " " (choice.question) }
                    p { "The results use " code { (choice.chosen) } ": " (choice.why) }
                    (pictured(options.iter().filter(|moved| moved.option.sets(&choice.id)), of_paper))
                }
            }
        }
    }
}

fn pictured<'m>(options: impl Iterator<Item = &'m Moved<'m>>, of_paper: bool) -> Markup {
    let options = Sheet::of("Options", options)
        .shown("Option", |option: &Moved<'_>| Cell::code(option.option.options()));
    let (options, others) = match of_paper {
        true => (options.shown("Cells against the paper", Moved::against), "Other cells"),
        false => (options, "Cells"),
    };
    let options = options.shown(others, |option| match option.moves + option.stays {
        0 => "none".to_owned(),
        all => format!("{} of {all} move", option.moves),
    });
    let options = options.sheet();
    html! {
        @if options.rows.is_empty() { p class="note" { "Its options have not been run." } }
        @else { (sheet(&options)) }
    }
}

impl Moved<'_> {
    fn against(&self) -> Cell {
        let shares = [
            ("good", self.nearer, "nearer"),
            ("same", self.same, "the same"),
            ("bad", self.further, "further"),
        ];
        if shares.iter().all(|(_, n, _)| *n == 0) {
            "none".into()
        } else {
            Cell::Shares(shares.to_vec())
        }
    }
}

/// The cells of options beside those of the chosen ones, on the metrics that tables show.
fn options<'f>(findings: &'f Findings<'_>) -> Vec<Moved<'f>> {
    let experiment = findings.experiment;
    let mut options: Vec<Moved<'f>> = Vec::new();
    let effects = findings.effects.iter().filter(|effect| effect.is_shown(experiment));
    for effect in effects.filter(|effect| !effect.chosen) {
        let (Some(before), Some(now)) = (effect.base, effect.cell.value) else { continue };
        let option = &effect.assignment;
        let at = options.iter().position(|one| one.option == option);
        let at = at.unwrap_or_else(|| {
            options.push(Moved { option, nearer: 0, same: 0, further: 0, moves: 0, stays: 0 });
            options.len() - 1
        });
        let one = &mut options[at];
        let same = experiment.rounding(effect.metric).tied(before, now);
        match effect.published {
            None if same => one.stays += 1,
            None => one.moves += 1,
            Some(_) if same => one.same += 1,
            Some(paper) if (now - paper).abs() < (before - paper).abs() => one.nearer += 1,
            Some(_) => one.further += 1,
        }
    }
    options
}
