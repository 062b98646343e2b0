//! What a site's engines want, which no experiment says: partitions, accounts, limits.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::slurm::Slurm;

/// What a site file says.
#[derive(Debug, Default, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Site {
    /// What jobs of Slurm ask for.
    pub slurm: Slurm,
    /// How any other engine is handed a chunk.
    pub command: CommandSite,
}

/// How any other engine is handed a chunk.
#[derive(Debug, Default, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CommandSite {
    /// The template.
    pub submit: Option<String>,
}

/// A site file, or a setting on the command line, is wrong.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{what}: {why}")]
#[diagnostic(help("the keys are in docs/guide/cluster.md"))]
pub struct NoSite {
    what: String,
    why: String,
}

impl Site {
    /// Reads a site file.
    ///
    /// # Errors
    /// If it can't be read or is wrong.
    pub fn read(path: &Path) -> Result<Self, NoSite> {
        let failed = |why: String| NoSite { what: path.display().to_string(), why };
        let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        toml::from_str(&text).map_err(|error| failed(error.to_string().trim_end().to_owned()))
    }

    /// Where a user's site file lies, if there is one.
    pub fn of_user() -> Option<PathBuf> {
        let from = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let config =
            from("XDG_CONFIG_HOME").or_else(|| from("HOME").map(|home| home.join(".config")));
        config.map(|config| config.join("reprise/site.toml")).filter(|path| path.is_file())
    }

    /// Sets keys of Slurm, each as `key=value`; `arguments` adds one.
    ///
    /// # Errors
    /// If there is no such key, or its value is wrong.
    pub fn set_slurm(&mut self, settings: &[String]) -> Result<(), NoSite> {
        for setting in settings {
            let failed =
                |why: &str| NoSite { what: format!("--slurm {setting}"), why: why.to_owned() };
            let unsaid = || failed("expected KEY=VALUE, such as partition=short");
            let (key, value) = setting.split_once('=').ok_or_else(unsaid)?;
            // As a file that says both has it.
            let known = toml::Table::try_from(&self.slurm);
            let mut table = known.map_err(|error| failed(&error.to_string()))?;
            match (table.get_mut(key), value.parse::<i64>()) {
                (Some(toml::Value::Array(all)), _) => all.push(value.into()),
                (_, Ok(number)) => drop(table.insert(key.to_owned(), number.into())),
                (_, Err(_)) => drop(table.insert(key.to_owned(), value.into())),
            }
            let wrong = |error: toml::de::Error| failed(error.message());
            self.slurm = table.try_into().map_err(wrong)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_site_file_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.toml");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Site::read(&file)
        };
        let site = read("[slurm]\npartition = \"short\"\ntime = 30\ncpus = 4\n").unwrap();
        assert_eq!(site.slurm.partition.unwrap().0, "short");
        assert_eq!(site.slurm.time.unwrap().0, "30");
        for (text, says) in [
            ("[slurm]\npartion = 1\n", ["line 2", "unknown field `partion`"]),
            ("[slurm]\ncpus = \"four\"\n", ["line 2", "invalid type"]),
            ("[slurm]\ncpus = 0\n", ["line 2", "nonzero"]),
            ("x = ", ["line 1", "value"]),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(says.iter().all(|says| error.contains(says)), "{error}");
        }
        assert!(Site::read(folder.path()).is_err());
    }

    #[test]
    fn the_command_line_says_more_than_the_file() {
        let mut site: Site =
            toml::from_str("[slurm]\npartition = \"a\"\narguments = [\"-x\"]\n").unwrap();
        let settings = ["partition=b", "cpus=2", "arguments=--exclusive"].map(str::to_owned);
        site.set_slurm(&settings).unwrap();
        assert_eq!(site.slurm.partition.as_ref().unwrap().0, "b");
        assert_eq!(site.slurm.arguments, ["-x", "--exclusive"]);
        for (setting, says) in
            [("cpus", "KEY=VALUE"), ("cpu=2", "unknown field"), ("cpus=x", "invalid")]
        {
            let error = site.set_slurm(&[setting.to_owned()]).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
