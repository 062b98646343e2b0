//! Downloads over http and https.
//!
//! A download streams into a partial file, is hashed on the way, and takes its place in the cache only
//! if size and digest agree. Broken connections, truncated bodies, 408, 429 and 5xx are retried with
//! growing pauses and resumed where they broke; other refusals end the attempt on that url. An archive
//! with a tree digest is downloaded anew instead of resumed, since its bytes are not stable.
//!
//! The client reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`. TLS trusts the system's CA
//! store; `SSL_CERT_FILE` (a PEM file) and `SSL_CERT_DIR` (folders of hashed PEM files) replace it.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek as _, SeekFrom, Write as _};
use std::net::ToSocketAddrs as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use reqwest::StatusCode;
use reqwest::blocking::{Client, Response};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT_ENCODING, CONTENT_RANGE, HeaderMap, LOCATION, RANGE, RETRY_AFTER};
use reqwest::redirect::{Action, Attempt as Redirect, Policy};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::{Named, Patience, Refusal, authority};
use crate::cache::Cache;
use crate::error::{DataError, io, no};
use crate::limits;
use crate::registry::RemoteFile;
use base::bounded;
use base::digest::Digest;
use base::parallel::lock;

const LONGEST_PAUSE: Duration = Duration::from_secs(8);
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);
const REDIRECTS: usize = 10;
/// A transfer that brings fewer bytes in the time of a stall has stalled: 1 KiB.
const SLOWEST: u64 = 1 << 10;

/// Downloads files into a cache.
#[derive(Debug)]
pub struct Downloader {
    patience: Patience,
    /// The servers that may be asked.
    named: Named,
    client: OnceLock<Result<Client, String>>,
    /// Servers that could not be reached at all: later files do not wait for them again.
    unreachable: Mutex<BTreeSet<String>>,
}

/// How one attempt on a url ended, if not with the file.
enum Ended {
    Retry { why: String, after: Option<Duration>, connected: bool },
    Refused(Refusal),
}

impl From<DataError> for Ended {
    fn from(error: DataError) -> Self {
        Self::Refused(Refusal::Stop(error))
    }
}

fn retry(why: impl Into<String>) -> Ended {
    Ended::Retry { why: why.into(), after: None, connected: true }
}

/// That another url may serve the file, and this one does not.
fn refused(why: String) -> Ended {
    Ended::Refused(Refusal::TryNext(why))
}

impl Downloader {
    /// A downloader; it opens no socket before the first download. Redirects lead to the server that was asked, or to
    /// one of those that are `named`.
    pub fn new(patience: Patience, named: Named) -> Self {
        Self { patience, named, client: OnceLock::new(), unreachable: Mutex::default() }
    }

    /// Downloads what `file` describes from `url` into the cache, unless another process has just
    /// done so.
    ///
    /// # Errors
    /// [`Refusal::TryNext`] if the url does not serve the file; [`Refusal::Stop`] if it serves another
    /// file, or the disk fails.
    pub fn download(
        &self,
        url: &Url,
        file: &RemoteFile,
        cache: &Cache,
        received: &dyn Fn(u64),
    ) -> Result<(), Refusal> {
        if lock(&self.unreachable).contains(url.authority()) {
            return Err(Refusal::TryNext("the server could not be reached before".to_owned()));
        }
        let _lock = cache.lock(file.integrity.digest)?;
        if cache.sound(&file.integrity)?.is_some() {
            return Ok(());
        }
        let download = Download { by: self, url, file, cache, received };
        self.patiently(url, || download.attempt())
    }

    /// What an attempt on a url gives, which is made again while that may help.
    fn patiently<T>(
        &self,
        url: &Url,
        attempt: impl Fn() -> Result<T, Ended>,
    ) -> Result<T, Refusal> {
        let (mut pause, mut attempts) = (self.patience.pause, 1);
        loop {
            let (why, after, connected) = match attempt() {
                Ok(done) => return Ok(done),
                Err(Ended::Refused(refusal)) => return Err(refusal),
                Err(Ended::Retry { why, after, connected }) => (why, after, connected),
            };
            if attempts >= self.patience.attempts {
                if !connected {
                    lock(&self.unreachable).insert(url.authority().to_owned());
                }
                return Err(Refusal::TryNext(format!("{why} ({attempts} attempts)")));
            }
            log::debug!("{url}: {why}; trying again");
            std::thread::sleep(after.unwrap_or(pause).min(LONGEST_RETRY_AFTER));
            pause = (pause * 2).min(LONGEST_PAUSE);
            attempts += 1;
        }
    }

    /// A file of which nothing is known, whole.
    ///
    /// # Errors
    /// As [`Self::download`].
    pub fn unknown(&self, url: &Url) -> Result<Vec<u8>, Refusal> {
        self.patiently(url, || {
            let response = self.request(url, 0)?;
            if response.status() != StatusCode::OK {
                return Err(unserved(&response));
            }
            let announced = response.content_length();
            let bytes = bounded::read(self.steady(response), limits::FILE, announced.unwrap_or(0))
                .map_err(|error| retry(format!("the transfer broke: {}", reasons(&error))))?;
            match announced {
                Some(length) if length != bytes.len() as u64 => Err(retry("the transfer broke")),
                _ => Ok(bytes),
            }
        })
    }

    fn client(&self) -> Result<&Client, DataError> {
        let client = self.client.get_or_init(|| {
            // Fails if the process has a provider already, which then serves as well.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let named = self.named.clone();
            Client::builder()
                .user_agent(concat!("reprise/", env!("CARGO_PKG_VERSION")))
                .referer(false)
                .connect_timeout(self.patience.connect)
                // The blocking client applies it to the wait for the response's head and to each read.
                .timeout(self.patience.stall)
                .redirect(Policy::custom(move |attempt| redirect(attempt, &named)))
                .dns_resolver(Arc::new(Resolver))
                .build()
                .map_err(|error| reasons(&error))
        });
        client.as_ref().map_err(|why| {
            let cure = "https needs CA certificates: install the system's (package ca-certificates), or name a PEM \
                        file in SSL_CERT_FILE";
            no(format!("cannot set up the network: {why}"), cure).into()
        })
    }

    fn steady(&self, response: Response) -> Steady {
        Steady { response, stall: self.patience.stall, since: Instant::now(), bytes: 0 }
    }

    /// Asks for a file from a byte on.
    fn request(&self, url: &Url, offset: u64) -> Result<Response, Ended> {
        let mut request = self.client()?.get(url.clone()).header(ACCEPT_ENCODING, "identity");
        if offset > 0 {
            request = request.header(RANGE, format!("bytes={offset}-"));
        }
        request.send().map_err(|error| {
            let why = reasons(&error);
            if error.is_redirect() {
                refused(why)
            } else if distrusts(&error) {
                refused(format!("{why}; SSL_CERT_FILE can name a PEM file of trusted CAs"))
            } else {
                Ended::Retry { why, after: None, connected: !error.is_connect() }
            }
        })
    }
}

/// A file that is downloaded from a url.
struct Download<'a> {
    by: &'a Downloader,
    url: &'a Url,
    file: &'a RemoteFile,
    cache: &'a Cache,
    received: &'a dyn Fn(u64),
}

impl Download<'_> {
    fn attempt(&self) -> Result<(), Ended> {
        let Self { url, file, cache, .. } = *self;
        let (expected, size) = (file.integrity.digest, file.integrity.size);
        // An archive whose own bytes are not stable is never resumed.
        let tree = file.integrity.folder.is_some();
        let most = if tree { 0 } else { size.unwrap_or(limits::FILE) };
        let mut partial = Partial::open(cache.partial(expected), most)?;
        if partial.bytes > 0 && partial.digest() == expected {
            return Ok(partial.keep(cache, expected)?);
        }
        if Some(partial.bytes) == size {
            partial.restart()?;
        }
        let offset = partial.bytes;
        let response = self.by.request(url, offset)?;
        self.check_status(&response, &mut partial)?;
        let announced = response.content_length().map(|length| partial.bytes + length);
        self.receive(self.by.steady(response), &mut partial)?;
        if tree {
            return self.keep_tree(partial);
        }
        let found = partial.digest();
        if found == expected {
            return Ok(partial.keep(cache, expected)?);
        }
        if let Some(size) = size.filter(|&size| partial.bytes < size)
            && announced.is_none()
        {
            return Err(retry(format!("the body ended at {} of {size} bytes", partial.bytes)));
        }
        let found_bytes = partial.bytes;
        partial.restart()?;
        if offset > 0 {
            // The file may have changed between the two halves.
            return Err(retry("the resumed download has a wrong checksum"));
        }
        partial.discard()?;
        let mut mismatch = file.integrity.too_long(url.as_str(), found_bytes);
        if found_bytes <= file.integrity.longest() {
            mismatch.found = Ok(found);
        }
        Err(DataError::Mismatch(mismatch).into())
    }

    /// Keeps an archive whose own bytes are not stable, if it has the files that are meant.
    fn keep_tree(&self, mut partial: Partial) -> Result<(), Ended> {
        let Self { url, file, cache, .. } = *self;
        if partial.bytes > limits::FILE {
            partial.discard()?;
            return Err(refused(format!("it has more than {} bytes", limits::FILE)));
        }
        match file.integrity.check(url.as_str(), &partial.read()?) {
            Ok(()) => Ok(partial.keep(cache, file.integrity.digest)?),
            Err(mismatch) => {
                partial.discard()?;
                match mismatch.found {
                    Err(why) => Err(retry(why)),
                    Ok(_) => Err(DataError::Mismatch(mismatch).into()),
                }
            }
        }
    }

    fn check_status(&self, response: &Response, partial: &mut Partial) -> Result<(), Ended> {
        let status = response.status();
        match status {
            // The server sends the whole file, asked for or not.
            StatusCode::OK => Ok(partial.restart()?),
            StatusCode::PARTIAL_CONTENT if partial.bytes > 0 => {
                if range_fits(response.headers(), partial.bytes, self.file.integrity.size) {
                    return Ok(());
                }
                partial.restart()?;
                Err(retry("the server resumed another file or another place"))
            }
            StatusCode::RANGE_NOT_SATISFIABLE if partial.bytes > 0 => {
                partial.restart()?;
                Err(retry("the server cannot resume"))
            }
            // A place that the client cannot even be redirected to.
            _ if status.is_redirection() => {
                let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
                let to = to.map_or_else(|| "nowhere".to_owned(), |to| format!("`{to}`"));
                Err(refused(format!("a redirect to {to} is refused")))
            }
            _ => Err(unserved(response)),
        }
    }

    fn receive(&self, mut response: Steady, partial: &mut Partial) -> Result<(), Ended> {
        let Self { received, file: RemoteFile { integrity, .. }, .. } = *self;
        let (size, longest) = (integrity.size, integrity.longest());
        let mut buffer = vec![0; 1 << 16];
        received(partial.bytes);
        while partial.bytes <= longest {
            match response.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => partial.push(&buffer[..count])?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let all = size.map_or(String::new(), |size| format!(" of {size}"));
                    let (got, why) = (partial.bytes, reasons(&error));
                    return Err(retry(format!("the transfer broke at {got}{all} bytes: {why}")));
                }
            }
            received(partial.bytes);
        }
        Ok(())
    }
}

/// Looks names up on the client's own thread: the usual way starts another one, and panics where the
/// system gives none.
struct Resolver;

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let found = (name.as_str(), 0).to_socket_addrs();
        let found = found.map(|addresses| Box::new(addresses) as Addrs).map_err(Into::into);
        Box::pin(std::future::ready(found))
    }
}

/// Redirects stay within http and https, do not leave https, and lead to no server that nobody has named: whoever runs
/// a server must not choose what else is asked, such as a service of this machine or its network.
fn redirect(attempt: Redirect<'_>, named: &Named) -> Action {
    let to = attempt.url().scheme().to_owned();
    let from_https = attempt.previous().last().is_some_and(|url| url.scheme() == "https");
    if attempt.previous().len() > REDIRECTS {
        attempt.error(format!("more than {REDIRECTS} redirects"))
    } else if !matches!(to.as_str(), "http" | "https") {
        attempt.error(format!("a redirect to a `{to}:` url is refused"))
    } else if from_https && to == "http" {
        attempt.error("a redirect from https to http is refused")
    } else if !(attempt.previous().first().is_some_and(|first| same_server(first, attempt.url()))
        || named.has(attempt.url()))
    {
        let why = format!(
            "a redirect to {}, a server that the registry does not name, is refused; if it is the right one, write \
             the url there as a source",
            authority(attempt.url())
        );
        attempt.error(why)
    } else {
        attempt.follow()
    }
}

/// Whether two urls are of one server, for which http and https on their own ports are one.
fn same_server(a: &Url, b: &Url) -> bool {
    a.host() == b.host() && (a.port() == b.port())
}

/// How an attempt ends on a server that does not serve the file: 408, 429 and 5xx may pass.
fn unserved(response: &Response) -> Ended {
    let (status, why) = (response.status(), response.status().to_string());
    let may_pass = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
    if !(may_pass || status.is_server_error()) {
        return refused(why);
    }
    let seconds = response.headers().get(RETRY_AFTER);
    let seconds = seconds.and_then(|value| value.to_str().ok()?.parse().ok());
    Ended::Retry { why, after: seconds.map(Duration::from_secs), connected: true }
}

/// Whether `Content-Range` continues a file of `size` bytes at `offset`.
fn range_fits(headers: &HeaderMap, offset: u64, size: Option<u64>) -> bool {
    let fits = |text: &str| {
        let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
        let (first, _) = range.split_once('-')?;
        let same_file = total == "*" || size.is_none_or(|size| total.parse() == Ok(size));
        Some(first.parse() == Ok(offset) && same_file)
    };
    let header = headers.get(CONTENT_RANGE).and_then(|value| value.to_str().ok());
    header.and_then(fits).unwrap_or(false)
}

/// A response whose bytes do not drip, which would keep each read within its time and the whole going for ever.
struct Steady {
    response: Response,
    stall: Duration,
    since: Instant,
    /// How many bytes came since then.
    bytes: u64,
}

impl Read for Steady {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.response.read(buffer)?;
        self.bytes += count as u64;
        if count > 0 && self.since.elapsed() > self.stall {
            if self.bytes < SLOWEST {
                let why = format!("fewer than {SLOWEST} bytes in {:?}", self.stall);
                return Err(std::io::Error::other(why));
            }
            (self.since, self.bytes) = (Instant::now(), 0);
        }
        Ok(count)
    }
}

/// Whether the server's certificate is the reason: trying again does not help.
fn distrusts(error: &(dyn std::error::Error + 'static)) -> bool {
    // `source` of an I/O error passes over the error that it wraps.
    let wrapped = match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
        Some(inner) => Some(inner as &(dyn std::error::Error + 'static)),
        None => error.source(),
    };
    matches!(error.downcast_ref(), Some(rustls::Error::InvalidCertificate(_)))
        || wrapped.is_some_and(distrusts)
}

/// An error with its causes, in one line.
fn reasons(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.map(ToString::to_string).fold(error.to_string(), |text, cause| {
        if text.contains(&cause) { text } else { format!("{text}: {cause}") }
    })
}

/// A download that is not complete. Whoever has it holds the lock of its digest.
struct Partial {
    path: PathBuf,
    file: File,
    hasher: Sha256,
    bytes: u64,
}

impl Partial {
    /// Opens the partial file and hashes what is there; starts anew if that is more than `most`.
    fn open(path: PathBuf, most: u64) -> Result<Self, DataError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = bounded::open_with(&path, &mut options).map_err(io("write", &path))?;
        let found = file.metadata().map_err(io("read", &path))?;
        let mut partial = Self { path, file, hasher: Sha256::new(), bytes: 0 };
        if found.len() > most {
            partial.restart()?;
        }
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = partial.file.read(&mut buffer).map_err(io("read", &partial.path))?;
            if count == 0 {
                return Ok(partial);
            }
            partial.hasher.update(&buffer[..count]);
            partial.bytes += count as u64;
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        self.file.write_all(bytes).map_err(io("write", &self.path))?;
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    fn digest(&self) -> Digest {
        Digest(self.hasher.clone().finalize().into())
    }

    /// Forgets all bytes.
    fn restart(&mut self) -> Result<(), DataError> {
        self.file.set_len(0).map_err(io("write", &self.path))?;
        self.file.seek(SeekFrom::Start(0)).map_err(io("write", &self.path))?;
        self.hasher = Sha256::new();
        self.bytes = 0;
        Ok(())
    }

    /// All bytes.
    fn read(&mut self) -> Result<Vec<u8>, DataError> {
        self.file.seek(SeekFrom::Start(0)).map_err(io("read", &self.path))?;
        bounded::read(&self.file, limits::FILE, self.bytes).map_err(io("read", &self.path))
    }

    /// Moves the checked file to its place in the cache.
    fn keep(self, cache: &Cache, digest: Digest) -> Result<(), DataError> {
        self.file.sync_all().map_err(io("write", &self.path))?;
        let place = cache.path(digest);
        let kept = std::fs::rename(&self.path, &place).and_then(|()| cache.sync());
        kept.map_err(io("write", place))
    }

    fn discard(self) -> Result<(), DataError> {
        std::fs::remove_file(&self.path).map_err(io("remove", self.path))
    }
}
