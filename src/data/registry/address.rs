//! Where a copy of a file is, and how a mirror lays it out.

use std::borrow::Cow;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use url::Url;

/// Where a copy of a file is.
#[derive(Debug, Clone)]
pub(crate) enum Location {
    Local(PathBuf),
    Remote(Url, Vec<String>),
}

/// Where an address leads.
///
/// # Errors
/// Why it can't be fetched.
pub(crate) fn location(text: &str) -> Result<Location, String> {
    let url = Url::parse(text).map_err(|error| format!("`{text}` is no url: {error}"))?;
    match url.scheme() {
        "http" | "https" => {
            if !url.username().is_empty() || url.password().is_some() {
                return Err("a url in a registry must not hold a user name or password".to_owned());
            }
            let in_mirror = in_mirror(&url)?;
            Ok(Location::Remote(url, in_mirror))
        }
        "file" => match url.to_file_path() {
            Ok(path) => Ok(Location::Local(path)),
            Err(()) => Err(format!("`{text}` names no file of this machine: file:///path")),
        },
        other => Err(format!("`{other}:` urls are refused: use https, http or file")),
    }
}

/// `<host>/<path>`, percent-decoded, as `wget --mirror` lays files out.
fn in_mirror(url: &Url) -> Result<Vec<String>, String> {
    let named = url.host_str().filter(|host| !host.bytes().all(|byte| byte == b'.'));
    let host = named.ok_or_else(|| format!("`{url}` has no host"))?;
    let host = match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    let mut segments = vec![host];
    for segment in url.path_segments().into_iter().flatten() {
        let decoded = percent_decoded(segment)
            .filter(|name| !matches!(name.as_str(), "" | "." | ".."))
            .filter(|name| !name.contains(['/', '\\', '\0']))
            .ok_or_else(|| format!("`{segment}` in the path of `{url}` cannot be a file name"))?;
        segments.push(decoded);
    }
    if let (Some(query), Some(last)) = (url.query(), segments.last_mut()) {
        if query.contains(['/', '\\', '\0']) {
            return Err(format!("`?{query}` of `{url}` cannot be part of a file name"));
        }
        *last = format!("{last}?{query}");
    }
    Ok(segments)
}

/// The text of a part of a path; none where a `%` begins no byte, or the bytes are no text.
fn percent_decoded(segment: &str) -> Option<String> {
    let two_digits = |rest: &str| {
        rest.as_bytes().get(..2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))
    };
    let sound = segment.split('%').skip(1).all(two_digits);
    let decoded = percent_decode_str(segment).decode_utf8().ok();
    decoded.filter(|_| sound).map(Cow::into_owned)
}
