//! `manifest.toml`: what a results folder holds, to the byte.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use base::digest::{Digest, FieldHasher};
use base::layout::{EXTERNAL, MANIFEST, PAGE, PROGRAM, TIMING, UNIVERSES};
use base::own;

/// Version of a manifest's keys.
pub const SCHEMA: u32 = 2;
/// Version of what stands in a results folder: which outputs there are, and how they are made from the
/// records. Whatever changes the bytes of an output for the same records raises it.
pub const LAYOUT: u32 = 8;

const SEAL: &str = "\n[seal]\n";
/// The most bytes of a manifest that is read.
const MOST: u64 = 1 << 26;

/// What a file of a results folder is, which its path alone says: whoever writes a manifest can't choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A function of the experiment file, the data and the program: under the folder's digest.
    Deterministic,
    /// Made from files of the folder, by a program whose version may change its bytes: outside the digest,
    /// but made anew and compared by an audit that executes again.
    Derived,
    /// It depends on programs that promise less than their bits.
    External,
    /// It is of options of choices together: under a digest of its own.
    Universe,
    /// It reads a clock.
    Timing,
}

/// What pictures of a figure end with.
const PICTURES: [&str; 2] = [".png", ".pdf"];

impl Class {
    /// The class of the file at a path within a results folder.
    pub fn of(path: &str) -> Self {
        if path.starts_with(TIMING) {
            Self::Timing
        } else if path.starts_with(EXTERNAL) {
            Self::External
        } else if path.starts_with(UNIVERSES) {
            Self::Universe
        } else if path == PAGE || PICTURES.iter().any(|end| path.ends_with(end)) {
            Self::Derived
        } else {
            Self::Deterministic
        }
    }
}

/// The manifest of a results folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this format.
    pub schema: u32,
    /// Version of what stands in the folder.
    pub layout: u32,
    /// Experiment id.
    pub experiment: String,
    /// Profile under which it ran; empty for none.
    pub profile: String,
    /// Version of reprise.
    pub reprise: String,
    /// Commit of the program that ran the trials, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether every trial of the experiment is in it, none out of time.
    pub complete: bool,
    /// Whether the options of choices were run.
    pub choices: bool,
    /// Digest of the experiment file, its published values and the files of its programs.
    pub spec: Digest,
    /// Digest over what this header says, but for version and commit of reprise, and the deterministic files: two
    /// machines compare this line.
    pub digest: Digest,
    /// Digest over the files of universes, where some ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub universes_digest: Option<Digest>,
    /// Digest over the records of native trials alone, where programs stand beside them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native_digest: Option<Digest>,
    /// Digest of every dataset.
    pub datasets: BTreeMap<String, Digest>,
    /// Revision of every method.
    pub methods: BTreeMap<String, u32>,
    /// Every file of the folder but this one, by path.
    #[serde(rename = "file")]
    pub files: Vec<FileEntry>,
}

/// What a manifest says of its own form: its other keys are read only where this program wrote such.
#[derive(Deserialize)]
struct Versions {
    schema: u32,
    layout: Option<u32>,
}

/// One file of a results folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Path within the folder, with `/`.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: Digest,
    /// Its size.
    pub bytes: u64,
}

impl FileEntry {
    /// The entry of a file with these bytes.
    pub fn of(path: &str, bytes: &[u8]) -> Self {
        Self { path: path.to_owned(), sha256: Digest::of(bytes), bytes: bytes.len() as u64 }
    }
}

/// A manifest can't be read or is not what was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadManifest {
    /// It can't be read.
    #[error("can't be read: {0}")]
    Unreadable(String),
    /// Its own checksum is missing.
    #[error("has no [seal] at its end")]
    Unsealed,
    /// Its own checksum does not match.
    #[error("was changed after sealing: its own SHA-256 is {found}, sealed as {sealed}")]
    Changed {
        /// Digest of its bytes.
        found: Digest,
        /// Digest that it names.
        sealed: String,
    },
    /// It is of a layout that was never released.
    #[error("was sealed before 0.1.0: run it again")]
    Older,
    /// Where no method is a program, no results stand apart from native ones.
    #[error("has a `native_digest`, but no method of kind `{PROGRAM}`")]
    NoProgram,
    /// It is not a manifest of this version.
    #[error("is not a manifest that this version of reprise reads: {0}")]
    Malformed(String),
    /// It names a file that is not one of the folder, or not by its plain path.
    #[error("lists `{0}`, which is no path of a file in its folder")]
    Outside(String),
    /// It names a file twice, or its files have another order than that of their paths, and so give another digest.
    #[error("lists {0} twice, or behind a path that comes after it")]
    Order(String),
    /// It names a file that no run writes, and that no digest is over.
    #[error(
        "lists {0}, which no output is: a picture stands beside its drawing, and `external/` beside a `native_digest`"
    )]
    NoOutput(String),
    /// A digest is not that of what it says and lists.
    #[error("names the digest {named}, but what it says and lists gives {computed}")]
    Digest {
        /// As written.
        named: Digest,
        /// As computed.
        computed: Digest,
    },
    /// Something stands in it, or is left out, that no program writes so.
    #[error("is not byte for byte what reprise writes for its values")]
    Rewritten,
}

impl Manifest {
    /// The same with the digests of what it says and lists.
    #[must_use]
    pub fn with_digests(self) -> Self {
        let of = |class: Class, hasher: FieldHasher| {
            let files = self.files.iter().filter(|file| Class::of(&file.path) == class);
            files
                .fold(hasher, |hasher, file| hasher.field(&file.path).field(file.sha256.0))
                .finish()
        };
        let universes = self.files.iter().any(|file| Class::of(&file.path) == Class::Universe);
        let digest = of(Class::Deterministic, self.header());
        let universes_digest =
            universes.then(|| of(Class::Universe, FieldHasher::new("universes").field(digest.0)));
        Self { digest, universes_digest, ..self }
    }

    /// What it says, but for version and commit of reprise: others that make the same keep the digest.
    fn header(&self) -> FieldHasher {
        let flags = [self.complete, self.choices].map(u64::from);
        let numbers = [u64::from(self.schema), u64::from(self.layout)].into_iter().chain(flags);
        let hasher = FieldHasher::new("results").field(&self.experiment).field(&self.profile);
        let hasher = numbers.fold(hasher.field(self.spec.0), FieldHasher::number);
        let hasher = hasher.number(self.datasets.len() as u64).number(self.methods.len() as u64);
        let datasets = self.datasets.iter();
        let hasher = datasets.fold(hasher, |hasher, (id, digest)| hasher.field(id).field(digest.0));
        let methods = self.methods.iter();
        methods.fold(hasher, |hasher, (kind, &revision)| hasher.field(kind).number(revision.into()))
    }

    /// The same with the entries of these outputs, and its digests.
    #[must_use]
    pub fn with_files(self, outputs: &BTreeMap<String, Vec<u8>>) -> Self {
        let files = outputs.iter().map(|(path, bytes)| FileEntry::of(path, bytes)).collect();
        Self { files, ..self }.with_digests()
    }

    /// The text, which ends in the SHA-256 of all that stands before.
    ///
    /// # Errors
    /// If TOML can't say it.
    pub fn to_text(&self) -> Result<String, toml::ser::Error> {
        let mut text = format!(
            "# Sealed by reprise {}. `reprise audit` compares every file with this list.\n",
            self.reprise
        );
        text += &toml::to_string(self)?;
        let digest = Digest::of(text.as_bytes());
        Ok(format!("{text}{SEAL}sha256 = \"{digest}\"\n"))
    }

    /// Parses the text, and checks it against its own checksum.
    ///
    /// # Errors
    /// If the text is not exactly as [`Self::to_text`] wrote it, contradicts itself, or is of another layout.
    pub fn from_text(text: &str) -> Result<Self, BadManifest> {
        let (body, seal) = text.rsplit_once(SEAL).ok_or(BadManifest::Unsealed)?;
        let found = Digest::of(body.as_bytes());
        if seal != format!("sha256 = \"{found}\"\n") {
            let sealed = seal.trim().trim_start_matches("sha256 = ").trim_matches('"').to_owned();
            return Err(BadManifest::Changed { found, sealed });
        }
        let malformed = |error: toml::de::Error| BadManifest::Malformed(error.to_string());
        // Manifests of the first schema had no layout.
        let Versions { schema, layout } = toml::from_str(body).map_err(malformed)?;
        let layout = layout.unwrap_or(0);
        if schema > SCHEMA || layout > LAYOUT {
            return Err(BadManifest::Malformed(format!("schema {schema} with layout {layout}")));
        }
        if schema < SCHEMA || layout < LAYOUT {
            return Err(BadManifest::Older);
        }
        let manifest: Self = toml::from_str(body).map_err(malformed)?;
        manifest.check_names()?;
        manifest.check_files()?;
        manifest.check_outputs()?;
        let sealed = manifest.clone().with_digests();
        let digests = |manifest: &Self| [Some(manifest.digest), manifest.universes_digest];
        let named = digests(&manifest).into_iter().zip(digests(&sealed));
        for (named, computed) in named.filter_map(|(named, computed)| named.zip(computed)) {
            if named != computed {
                return Err(BadManifest::Digest { named, computed });
            }
        }
        match sealed.to_text() {
            Ok(written) if written == text => Ok(manifest),
            _ => Err(BadManifest::Rewritten),
        }
    }

    /// Names are printed, and words or a line of theirs would read as an audit's own.
    fn check_names(&self) -> Result<(), BadManifest> {
        let plain = |text: &str, further: &str| {
            text.len() <= 256
                && text.chars().all(|c| c.is_ascii_alphanumeric() || further.contains(c))
        };
        if !plain(&self.reprise, ".-") {
            return Err(BadManifest::Malformed(format!("{:?} is no version", self.reprise)));
        }
        if !plain(&self.experiment, "/@_-") {
            let message = format!("{:?} is no id of an experiment", self.experiment);
            return Err(BadManifest::Malformed(message));
        }
        let names = self.datasets.keys().chain(self.methods.keys());
        let paths = self.files.iter().map(|file| &file.path);
        let words = [&self.profile].into_iter().chain(&self.commit);
        match words.chain(names).chain(paths).find(|name| name.contains(char::is_control)) {
            Some(name) => {
                Err(BadManifest::Malformed(format!("{name:?} has characters that can't be seen")))
            }
            None => Ok(()),
        }
    }

    fn check_files(&self) -> Result<(), BadManifest> {
        // As the file system sees them: `a//b` and `a/./b` are `a/b`.
        let plain = |path: &str| !path.split('/').any(|name| ["", ".", ".."].contains(&name));
        let outside = |file: &&FileEntry| file.path == MANIFEST || !plain(&file.path);
        if let Some(file) = self.files.iter().find(outside) {
            return Err(BadManifest::Outside(file.path.clone()));
        }
        match self.files.array_windows().find(|[one, next]| one.path >= next.path) {
            Some([_, next]) => Err(BadManifest::Order(next.path.clone())),
            None => Ok(()),
        }
    }

    /// What is outside the digest is at least what an output can be. Files are in the order of their paths.
    fn check_outputs(&self) -> Result<(), BadManifest> {
        if self.native_digest.is_some() && !self.methods.contains_key(PROGRAM) {
            return Err(BadManifest::NoProgram);
        }
        let drawn = |path: &str| {
            let stem = PICTURES.iter().find_map(|end| path.strip_suffix(end));
            let drawing = stem.map(|stem| format!("{stem}.svg"));
            let there =
                |path: &String| self.files.binary_search_by(|file| file.path.cmp(path)).is_ok();
            drawing.as_ref().is_some_and(there)
        };
        let output = |path: &str| match Class::of(path) {
            Class::Derived => path == PAGE || drawn(path),
            Class::External => self.native_digest.is_some(),
            Class::Deterministic | Class::Universe | Class::Timing => true,
        };
        match self.files.iter().find(|file| !output(&file.path)) {
            Some(file) => Err(BadManifest::NoOutput(file.path.clone())),
            None => Ok(()),
        }
    }

    /// Reads the manifest of a folder; none if it has none.
    ///
    /// # Errors
    /// If it has one that can't be read, or that is not as it was written.
    pub fn read(folder: &Path) -> Result<Option<Self>, BadManifest> {
        match own::read_bounded(&folder.join(MANIFEST), MOST) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Self::from_text(&text).map(Some),
                Err(_) => Err(BadManifest::Unreadable("it is not UTF-8 text".to_owned())),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(BadManifest::Unreadable(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn manifest() -> Manifest {
        let files = vec![
            FileEntry::of("figures/f.png", b"png"),
            FileEntry::of("figures/f.svg", b"<svg>"),
            FileEntry::of("report.html", b"<p>"),
            FileEntry::of("tables/t.csv", b"a,b\n"),
            FileEntry::of("timing/timings.csv", b"key\n"),
        ];
        Manifest {
            schema: SCHEMA,
            layout: LAYOUT,
            experiment: "evm/table5".into(),
            profile: String::new(),
            reprise: "0.1.0".into(),
            commit: None,
            complete: true,
            choices: false,
            spec: Digest::of(b"spec"),
            digest: Digest::of(b""),
            universes_digest: None,
            native_digest: None,
            datasets: BTreeMap::from([("nltcs".into(), Digest::of(b"nltcs"))]),
            methods: BTreeMap::from([("mevm".into(), 1)]),
            files,
        }
        .with_digests()
    }

    #[test]
    fn what_no_digest_is_over_is_an_output() {
        for path in ["external/report.md", "figures/a.png", "figures/a.pdf", "tables/t.png"] {
            let mut manifest = manifest();
            manifest.files.insert(0, FileEntry::of(path, b"invented"));
            manifest.files.sort_by(|one, other| one.path.cmp(&other.path));
            let error = Manifest::from_text(&manifest.to_text().unwrap()).unwrap_err().to_string();
            assert!(error.contains(&format!("lists {path}, which no output is")), "{error}");
        }
    }

    #[test]
    fn what_is_native_stands_beside_a_program() {
        let native = Manifest { native_digest: Some(Digest::of(b"native")), ..manifest() };
        assert_eq!(refused(&native), BadManifest::NoProgram.to_string());
        let methods = BTreeMap::from([(PROGRAM.to_owned(), 1)]);
        let beside = Manifest { methods, ..native }.with_digests();
        assert_eq!(Manifest::from_text(&beside.to_text().unwrap()), Ok(beside));
    }

    #[test]
    fn a_name_is_no_line_of_a_report() {
        type Change = fn(&mut Manifest);
        let changes: [Change; 5] = [
            |m| m.experiment += "\n  0 differences",
            |m| m.profile += "\r",
            |m| m.commit = Some("ab\nc".into()),
            |m| m.datasets = BTreeMap::from([("a\u{1b}[2J".to_owned(), Digest::of(b""))]),
            |m| {
                m.files = vec![FileEntry::of("a\nb", b"")];
            },
        ];
        for change in changes {
            let mut manifest = manifest();
            change(&mut manifest);
            let error = Manifest::from_text(&manifest.to_text().unwrap()).unwrap_err().to_string();
            let says = ["has characters that can't be seen", "is no version", "is no id"];
            assert!(says.iter().any(|what| error.contains(what)), "{error}");
        }
        for (reprise, experiment) in [("0.1.0: equal", "evm/table5"), ("0.1.0", "evm ab12")] {
            let (reprise, experiment) = (reprise.to_owned(), experiment.to_owned());
            let manifest = Manifest { reprise, experiment, ..manifest() };
            Manifest::from_text(&manifest.to_text().unwrap()).unwrap_err();
        }
    }

    fn refused(manifest: &Manifest) -> String {
        let sealed = manifest.clone().with_digests().to_text().unwrap();
        Manifest::from_text(&sealed).unwrap_err().to_string()
    }

    #[test]
    fn a_manifest_reads_back() {
        assert_eq!(Manifest::from_text(&manifest().to_text().unwrap()), Ok(manifest()));
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let text = manifest().to_text().unwrap();
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(bytes).unwrap();
            assert!(Manifest::from_text(&changed).is_err(), "byte {at}");
        }
        assert_eq!(Manifest::from_text("schema = 1\n"), Err(BadManifest::Unsealed));
    }

    #[test]
    fn the_digest_is_that_of_header_and_files() {
        let other = Manifest { digest: Digest::of(b"other"), ..manifest() };
        let error = Manifest::from_text(&other.to_text().unwrap()).unwrap_err().to_string();
        let (named, computed) = (Digest::of(b"other"), manifest().digest);
        let gives = "what it says and lists gives";
        assert_eq!(error, format!("names the digest {named}, but {gives} {computed}"));
    }

    #[test]
    fn files_that_may_differ_do_not_enter_the_digest() {
        let mut other = manifest();
        other.files[0] = FileEntry::of("figures/f.png", b"other");
        other.files[2] = FileEntry::of("report.html", b"<p>other");
        other.files[4] = FileEntry::of("timing/timings.csv", b"other\n");
        other.files.push(FileEntry::of("universes/claims.csv", b"claim\n"));
        let other = other.with_digests();
        assert_eq!(other.digest, manifest().digest);
        let mut moved = other.clone();
        moved.files[3] = FileEntry::of("tables/t.csv", b"other\n");
        let moved = moved.with_digests();
        assert_ne!(moved.digest, manifest().digest);
        // Universes have a digest of their own, as universes of these results.
        assert_ne!(moved.universes_digest, other.universes_digest);
        assert_eq!(manifest().universes_digest, None);
    }

    /// `--expect` is given a digest, and believes what it is over.
    #[test]
    fn what_the_header_says_enters_the_digest_but_version_and_commit_do_not() {
        let changes: [fn(&mut Manifest); 12] = [
            |m| m.experiment += "x",
            |m| m.profile += "x",
            |m| m.schema += 1,
            |m| m.layout += 1,
            |m| m.complete = !m.complete,
            |m| m.choices = !m.choices,
            |m| m.spec = Digest::of(b"other"),
            |m| m.datasets.values_mut().for_each(|digest| *digest = Digest([0; 32])),
            |m| m.datasets = BTreeMap::from([("other".into(), Digest::of(b"nltcs"))]),
            |m| m.datasets.clear(),
            |m| m.methods.values_mut().for_each(|revision| *revision += 1),
            |m| m.methods.clear(),
        ];
        let mut seen = BTreeSet::from([manifest().digest]);
        for (at, change) in changes.into_iter().enumerate() {
            let mut other = manifest();
            change(&mut other);
            assert!(seen.insert(other.with_digests().digest), "change {at}");
        }
        let later = Manifest { reprise: "0.1.1".into(), commit: Some("90fa".into()), ..manifest() };
        assert_eq!(later.clone().with_digests().digest, manifest().digest);
        // Manifests from before there was one name none, and are byte for byte what is written for them.
        let text = later.to_text().unwrap();
        assert!(
            text.contains("reprise = \"0.1.1\"\ncommit = \"90fa\"\ncomplete = true\n"),
            "{text}"
        );
        assert_eq!(Manifest::from_text(&text), Ok(later));
        assert!(!manifest().to_text().unwrap().contains("commit"));
    }

    #[test]
    fn what_no_program_writes_so_is_refused() {
        let text = manifest().to_text().unwrap();
        let (body, _) = text.rsplit_once(SEAL).unwrap();
        for (from, to) in [
            ("# Sealed", "# Never sealed"),
            ("complete = true", "complete=true"),
            ("layout = 8\n", "layout = 0x8\n"),
            ("[methods]", "\n[methods]"),
        ] {
            let other = resealed(&body.replacen(from, to, 1));
            assert_ne!(other, text);
            assert_eq!(Manifest::from_text(&other), Err(BadManifest::Rewritten), "{to}");
        }
        let mut universes = manifest();
        universes.files.push(FileEntry::of("universes/claims.csv", b"claim\n"));
        let universes = universes.with_digests();
        assert_eq!(Manifest::from_text(&universes.to_text().unwrap()), Ok(universes.clone()));
        let left_out = Manifest { universes_digest: None, ..universes.clone() };
        let read = Manifest::from_text(&left_out.to_text().unwrap());
        assert_eq!(read, Err(BadManifest::Rewritten));
        let other = Manifest { universes_digest: Some(Digest::of(b"x")), ..universes };
        let read = Manifest::from_text(&other.to_text().unwrap());
        assert!(matches!(read, Err(BadManifest::Digest { .. })), "{read:?}");
    }

    fn resealed(body: &str) -> String {
        format!("{body}{SEAL}sha256 = \"{}\"\n", Digest::of(body.as_bytes()))
    }

    #[test]
    fn a_manifest_does_not_say_which_files_count() {
        let text = manifest().to_text().unwrap();
        let (body, _) = text.rsplit_once(SEAL).unwrap();
        let lying = body.replace("bytes = 4\n", "bytes = 4\ndeterministic = false\n");
        let error = Manifest::from_text(&resealed(&lying)).unwrap_err().to_string();
        assert!(error.contains("unknown field `deterministic`"), "{error}");
    }

    #[test]
    fn files_are_of_the_folder_and_listed_once() {
        for path in [
            "/etc/passwd",
            "../t.csv",
            "tables/../../t.csv",
            "",
            "manifest.toml",
            "tables//t.csv",
            "tables/./t.csv",
            "tables/",
        ] {
            let mut other = manifest();
            other.files[2] = FileEntry::of(path, b"a,b\n");
            let lists = format!("lists `{path}`, which is no path of a file in its folder");
            assert_eq!(refused(&other), lists);
        }
        let mut twice = manifest();
        twice.files.insert(3, FileEntry::of("tables/t.csv", b"a,b\n"));
        assert_eq!(
            refused(&twice),
            "lists tables/t.csv twice, or behind a path that comes after it"
        );
        // The digest is over the files in the order of the list: there is only one.
        let mut other = manifest();
        other.files.swap(0, 1);
        assert_eq!(
            refused(&other),
            "lists figures/f.png twice, or behind a path that comes after it"
        );
    }

    #[test]
    fn versions_that_this_program_does_not_know_are_refused() {
        for (schema, layout) in [(SCHEMA + 1, LAYOUT), (SCHEMA, LAYOUT + 1)] {
            let other = Manifest { schema, layout, ..manifest() };
            let says = format!("schema {schema} with layout {layout}");
            assert!(refused(&other).ends_with(&says), "{}", refused(&other));
        }
        for (schema, layout) in [(0, 1), (1, LAYOUT), (SCHEMA, 1), (SCHEMA, LAYOUT - 1)] {
            let other = Manifest { schema, layout, ..manifest() };
            assert_eq!(refused(&other), "was sealed before 0.1.0: run it again");
        }
        // The first had no layout, and a key for each file that is none any more.
        let text = manifest().to_text().unwrap();
        let (body, _) = text.rsplit_once(SEAL).unwrap();
        let first =
            body.replace(&format!("schema = {SCHEMA}\nlayout = {LAYOUT}\n"), "schema = 1\n");
        let first = first.replace("path = ", "deterministic = true\npath = ");
        assert_eq!(Manifest::from_text(&resealed(&first)), Err(BadManifest::Older));
    }
}
