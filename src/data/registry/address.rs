//! Where a copy of a file is, and how a mirror lays it out.

use std::path::PathBuf;

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

fn percent_decoded(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
                rest = after;
            }
            (b'%', _) => return None,
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok()
}
