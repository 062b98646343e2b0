//! Segments of a journal: each a file that one process writes and all read. So nothing of a journal on a network file
//! system is ever locked, and what two hosts wrote is brought together by laying their files side by side.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use base::digest::Digest;

/// The segment of the process that has a folder to itself.
pub const RUN: &str = "run";

/// How segments begin that hold what was sealed: there are values that a seal leaves out.
pub const SEALED: &str = "sealed";

/// A worker by the name of its segment, `<host>-<process>-<random>`: no other process was ever called so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker(String);

impl Worker {
    /// This process, on a host of this name.
    pub fn new(host: &Host) -> Self {
        let random = RandomState::new().build_hasher().finish() as u32;
        Self(format!("{}-{}-{random:08x}", host.0, std::process::id()))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// Whether a segment of this name holds what was sealed.
pub(super) fn is_sealed(name: &str) -> bool {
    name.starts_with(SEALED) && Host::of_segment(name).is_none()
}

/// The name of a machine, of letters, digits, dots, hyphens and underscores.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, derive_more::Display)]
pub struct Host(String);

impl Host {
    /// That on which this process runs.
    pub fn this() -> Self {
        let text = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let text = text.trim_end();
        let plain = |letter: char| if Self::may_have(letter) { letter } else { '_' };
        let text: String = text.chars().map(plain).collect();
        Self(if text.is_empty() { "host".to_owned() } else { text })
    }

    /// The host of the worker whose segment is called so; none if it is no worker's.
    pub fn of_segment(name: &str) -> Option<Self> {
        let mut parts = name.rsplitn(3, '-');
        let random = parts.next()?;
        let process = parts.next()?;
        let host = parts.next()?;
        let named = random.len() == 8 && u32::from_str_radix(random, 16).is_ok();
        (named && process.parse::<u32>().is_ok()).then(|| Self(host.to_owned()))
    }

    fn may_have(letter: char) -> bool {
        letter.is_ascii_alphanumeric() || ['.', '-', '_'].contains(&letter)
    }
}

/// A text that names no host.
#[derive(Debug, thiserror::Error)]
#[error("expected letters, digits, dots, hyphens and underscores, not {0:?}")]
pub struct NotAHost(String);

impl std::str::FromStr for Host {
    type Err = NotAHost;

    fn from_str(text: &str) -> Result<Self, NotAHost> {
        let plain = !text.is_empty()
            && text.len() <= 100
            && !text.starts_with('.')
            && text.chars().all(Self::may_have);
        plain.then(|| Self(text.to_owned())).ok_or_else(|| NotAHost(text.to_owned()))
    }
}

/// Which segments each outcome is from.
#[derive(Debug, Default)]
pub struct Origins {
    /// Their names, with the bytes that were read of each.
    segments: Vec<(String, u64)>,
    /// Trials with a segment that has them; in order, each once, as soon as all are read.
    found: Vec<(Digest, u32)>,
}

impl Origins {
    /// The number of a segment of this name.
    pub(super) fn segment(&mut self, name: &str) -> u32 {
        self.segments.push((name.to_owned(), 0));
        self.segments.len() as u32 - 1
    }

    /// So many bytes more of it were read.
    pub(super) fn read(&mut self, segment: u32, bytes: u64) {
        self.segments[segment as usize].1 += bytes;
    }

    /// A trial was found there.
    pub(super) fn add(&mut self, key: Digest, segment: u32) {
        self.found.push((key, segment));
    }

    /// All segments are read.
    pub(super) fn sort(&mut self) {
        self.found.sort_unstable();
        self.found.dedup();
    }

    /// The segments that have a trial.
    pub(super) fn of(&self, key: &Digest) -> impl Iterator<Item = u32> {
        let first = self.found.partition_point(|(known, _)| known < key);
        let own = self.found[first..].iter().take_while(move |(known, _)| known == key);
        own.map(|&(_, segment)| segment)
    }

    pub(super) fn name(&self, segment: u32) -> &str {
        &self.segments[segment as usize].0
    }

    /// The bytes that were read of a segment.
    pub fn bytes_of(&self, name: &str) -> Option<u64> {
        self.segments.iter().find(|(known, _)| known == name).map(|&(_, bytes)| bytes)
    }

    /// The hosts of workers whose segments there are.
    pub fn hosts(&self) -> BTreeSet<Host> {
        self.segments.iter().filter_map(|(name, _)| Host::of_segment(name)).collect()
    }

    /// The hosts of the workers that executed a trial.
    fn hosts_of(&self, key: &Digest) -> BTreeSet<Host> {
        self.of(key).filter_map(|segment| Host::of_segment(self.name(segment))).collect()
    }

    /// Whether a worker on a host executed a trial.
    pub fn on_host(&self, key: &Digest, host: &Host) -> bool {
        self.hosts_of(key).contains(host)
    }

    /// How many of these trials workers on two hosts or more have executed.
    pub fn on_two_hosts<'k>(&self, keys: impl Iterator<Item = &'k Digest>) -> usize {
        keys.filter(|key| self.of(key).nth(1).is_some() && self.hosts_of(key).len() >= 2).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_called_as_nobody_else_and_says_where_it_is() {
        let host: Host = "node-07.cluster".parse().unwrap();
        let (one, other) = (Worker::new(&host), Worker::new(&host));
        assert_ne!(one, other);
        assert_eq!(Host::of_segment(one.name()), Some(host));
        for name in [RUN, SEALED, "1-of-2", "sealed-0123456789ab"] {
            assert_eq!(Host::of_segment(name), None, "{name}");
        }
        assert!(Host::of_segment(Worker::new(&Host::this()).name()) == Some(Host::this()));
        for bad in ["", "a/b", "..", "a b"] {
            assert!(bad.parse::<Host>().is_err(), "{bad}");
        }
    }

    #[test]
    fn trials_of_two_hosts_are_counted() {
        let key = |n: u8| Digest::of(&[n]);
        let mut origins = Origins::default();
        let names = ["a-1-00000000", "a-2-00000000", "b-1-00000000", RUN];
        let [a, again, b, run] = names.map(|name| origins.segment(name));
        for (n, segments) in
            [vec![a], vec![a, again], vec![a, b], vec![a, a, b], vec![run, a], vec![run, again, b]]
                .iter()
                .enumerate()
        {
            for &segment in segments {
                origins.add(key(n as u8), segment);
            }
        }
        origins.sort();
        let keys: Vec<Digest> = (0..7).map(key).collect();
        assert_eq!(origins.on_two_hosts(keys.iter()), 3);
        assert_eq!(origins.hosts().len(), 2);
    }
}
