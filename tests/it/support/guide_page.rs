//! Pages that a reader follows: their files are written and their commands run in an empty folder.

use std::path::Path;
use std::process::{Command, Output};

/// What to do with a block below a line such as `` `method.py`: ``.
#[derive(Clone, Copy)]
pub enum Files {
    /// The commands above it wrote the file: it reads so.
    AreThere,
    /// The reader writes it.
    AreWritten,
}

/// A block between fences.
struct Block<'a> {
    /// The file that it is, where the line above names one.
    file: Option<&'a str>,
    language: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let (mut above, mut lines) = ("", page.lines());
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let file = above.strip_prefix('`').and_then(|name| name.strip_suffix("`:"));
            let lines = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block { file, language, lines });
            above = "";
        } else if !line.is_empty() {
            above = line;
        }
    }
    blocks
}

/// The part of a page that begins with this heading.
pub fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let from = page.find(&format!("\n## {heading}\n")).expect("the page has this heading") + 1;
    let rest = &page[from..];
    rest[3..].find("\n## ").map_or(rest, |length| &rest[..length + 3])
}

/// A page as a script: its files, and its blocks of `sh` as they are. Blocks of `text` are what is printed.
fn script(page: &str, files: Files) -> String {
    let mut script = "set -e\n".to_owned();
    for Block { file, language, lines } in blocks(page) {
        let block = lines.join("\n");
        script += &match (file, files) {
            (Some(name), Files::AreThere) => {
                format!("diff {name} - <<'END OF FILE'\n{block}\nEND OF FILE\n")
            }
            (Some(name), Files::AreWritten) => {
                format!("cat > {name} <<'END OF FILE'\n{block}\nEND OF FILE\n")
            }
            (None, _) if language == "sh" => format!("{block}\n"),
            (None, _) if language == "text" => continue,
            (None, _) => panic!("a block of `{language}` is neither a file nor commands"),
        };
    }
    script
}

/// The lines that the page says are printed.
pub fn printed(page: &str) -> Vec<&str> {
    let shown = |block: &Block<'_>| block.file.is_none() && block.language == "text";
    let lines = blocks(page).into_iter().filter(shown).flat_map(|block| block.lines);
    lines.filter(|line| !line.is_empty()).collect()
}

/// Follows a page in a folder, without a developer's environment.
pub fn follow(page: &str, files: Files, folder: &Path) -> Output {
    let reprise = Path::new(env!("CARGO_BIN_EXE_reprise"));
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("sh")
        .args(["-c", &script(page, files)])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", reprise.parent().unwrap().display()))
        .env("REPRISE_CACHE", folder.join("cache"))
        .env("NO_COLOR", "1")
        .env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/clients/python"))
        .env_remove("REPRISE_MIRROR")
        .output()
        .unwrap()
}
