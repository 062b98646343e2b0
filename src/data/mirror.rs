//! A place that holds copies of files at `<host>/<path of their url>`, percent-decoded: the layout that
//! `wget --mirror` makes.

use std::path::PathBuf;

use url::Url;

use super::error::{DataError, no};

/// A folder or a server with copies of files.
#[derive(Debug, Clone)]
pub(super) enum Mirror {
    Folder(PathBuf),
    Web(Url),
}

impl Mirror {
    /// A mirror from what the user names: a folder, its `file:` url, or an http(s) url.
    pub fn parse(text: &str) -> Result<Self, DataError> {
        let refuse = |why: &str| {
            let cure =
                "name an existing folder, or an http or https url, with --mirror or REPRISE_MIRROR";
            DataError::Asked(no(format!("cannot use the mirror {text}: {why}"), cure))
        };
        let folder = match text.split_once("://") {
            Some(("http" | "https", _)) => {
                let url = Url::parse(text).map_err(|error| refuse(&error.to_string()))?;
                return Ok(Self::Web(url));
            }
            Some(("file", _)) => {
                let path = Url::parse(text).ok().and_then(|url| url.to_file_path().ok());
                path.ok_or_else(|| refuse("it names no folder of this machine"))?
            }
            Some((scheme, _)) => return Err(refuse(&format!("`{scheme}:` urls are refused"))),
            None => PathBuf::from(text),
        };
        if folder.is_dir() {
            Ok(Self::Folder(folder))
        } else {
            Err(refuse("there is no such folder"))
        }
    }

    /// Where a folder mirror holds a file, by its place in mirrors.
    pub fn path(&self, in_mirror: &[String]) -> Option<PathBuf> {
        match self {
            Self::Folder(folder) => {
                Some(in_mirror.iter().fold(folder.clone(), |path, name| path.join(name)))
            }
            Self::Web(_) => None,
        }
    }

    /// Where a mirror on the web serves a file.
    pub fn url(&self, in_mirror: &[String]) -> Option<Url> {
        let Self::Web(base) = self else { return None };
        let mut url = base.clone();
        url.path_segments_mut().ok()?.pop_if_empty().extend(in_mirror);
        Some(url)
    }
}
