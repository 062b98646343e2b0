//! Every reader of foreign bytes returns, whatever the bytes are: on the seeds of `fuzz`, on what was found there
//! once, and on damages of both. `REPRISE_FUZZ_CASES` asks for more damages, and for others.

use std::path::Path;

use crate::support::property::damaged;

#[path = "../../fuzz/src/parsers.rs"]
mod readers;

/// How many damages of a seed are tried, from which on.
fn cases() -> std::ops::Range<u64> {
    let asked = std::env::var("REPRISE_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok());
    match asked {
        // There are about a hundred seeds.
        Some(cases) => {
            let first = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() << 20;
            first..first + 1 + u64::div_ceil(cases, 100)
        }
        None => 0..20,
    }
}

#[test]
fn readers_return_on_seeds_findings_and_damages() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    for (name, parse) in readers::PARSERS {
        let folder = seeds.join(name);
        let mut files: Vec<_> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        assert!(!files.is_empty(), "{name} has no seeds");
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            let played = |bytes: &[u8], seed: Option<u64>| {
                std::panic::catch_unwind(|| parse(bytes)).unwrap_or_else(|_| {
                    let kept = std::env::temp_dir().join(format!("reprise-finding-{name}"));
                    std::fs::write(&kept, bytes).unwrap();
                    let kept = kept.display();
                    panic!("{name} on {}, damage {seed:?}: kept as {kept}", file.display());
                });
            };
            played(&bytes, None);
            for seed in cases() {
                played(&damaged(&bytes, seed, 1 + (seed % 5) as usize), Some(seed));
            }
        }
    }
}

/// Each reader has a target, and each target a reader.
#[test]
fn every_reader_is_fuzzed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let stem = |path: std::path::PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    for within in ["fuzz_targets", "seeds"] {
        let entries = std::fs::read_dir(folder.join(within)).unwrap();
        let mut found: Vec<String> = entries.map(|entry| stem(entry.unwrap().path())).collect();
        found.sort();
        let names: Vec<&str> = readers::PARSERS.iter().map(|(name, _)| *name).collect();
        assert_eq!(found, names, "{within}");
    }
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for (name, _) in readers::PARSERS {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}
