use super::*;
use std::io::Write as _;

/// A gzipped tar of files with these paths and contents.
pub fn packed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, content.as_bytes()).unwrap();
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&archive.into_inner().unwrap()).unwrap();
    gzip.finish().unwrap()
}

fn visited(archive: &[u8], folder: Option<&str>) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for_each(archive, folder, |path, content| {
        files.push((path.to_owned(), content.to_vec()));
        Ok::<_, io::Error>(ControlFlow::Continue(()))
    })
    .unwrap();
    files
}

const FILES: [(&str, &str); 4] =
    [("r-1/d/b", "bee"), ("r-1/d/a", ""), ("r-1/other", "no"), ("r-1/dd/c", "no")];

#[test]
fn files_are_visited_with_their_paths() {
    let archive = packed(&FILES);
    let paths: Vec<String> = visited(&archive, None).into_iter().map(|file| file.0).collect();
    assert_eq!(paths, ["r-1/d/b", "r-1/d/a", "r-1/other", "r-1/dd/c"]);
    let inside = [("d/b".to_owned(), b"bee".to_vec()), ("d/a".to_owned(), Vec::new())];
    assert_eq!(visited(&archive, Some("d")), inside);
    assert_eq!(visited(&archive, Some("")).len(), 4);
    assert_eq!(visited(&packed(&[("./x/y", "1")]), None)[0].0, "x/y");
}

#[test]
fn the_tree_digest_is_that_of_the_sorted_listing() {
    // Python: hashlib.sha256 of the two lines `sha256(b"")  d/a` and `sha256(b"bee")  d/b`.
    let golden = "b6f69a9e5b14c83cc5b23c8166a4e958d7b4d8729feb4eb6b3b6e8fad857bba6";
    assert_eq!(tree_digest(&packed(&FILES)[..], "d").unwrap().to_string(), golden);
    let mut turned = FILES;
    turned.reverse();
    assert_eq!(tree_digest(&packed(&turned)[..], "d").unwrap().to_string(), golden);
}

#[test]
fn archives_that_are_cut_off_or_damaged_are_refused() {
    let archive = packed(&FILES);
    for cut in [0, 5, archive.len() / 2, archive.len() - 1] {
        assert!(tree_digest(&archive[..cut], "d").is_err(), "{cut}");
    }
    let mut damaged = archive.clone();
    let last = damaged.len() - 6;
    damaged[last] ^= 1;
    assert!(tree_digest(&damaged[..], "d").is_err());
    assert!(tree_digest(&b"no archive"[..], "d").is_err());
}

/// A header and its content, padded to whole blocks.
fn block(kind: tar::EntryType, path: &str, size: u64, content: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_path(path).unwrap();
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_cksum();
    let mut bytes = [header.as_bytes(), content].concat();
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// Why an archive of these members of gzip, one after another, is refused.
fn refused(members: impl IntoIterator<Item = Vec<u8>>) -> String {
    let archive = members.into_iter().flatten().collect::<Vec<u8>>();
    for_each(&archive[..], None, |_, _| Ok::<_, io::Error>(ControlFlow::Continue(())))
        .unwrap_err()
        .to_string()
}

#[test]
fn headers_that_extend_others_are_read_within_a_bound() {
    let zeros = vec![gzip(&vec![b'a'; 1 << 24]); 64];
    let megabytes = (zeros.len() as u64) << 24;
    for kind in [tar::EntryType::GNULongName, tar::EntryType::XHeader] {
        let header = gzip(&block(kind, "x", megabytes, b""));
        let why = refused([header].into_iter().chain(zeros.clone()));
        assert_eq!(why, "it has more than 1048576 bytes in a header that extends another");
    }
    // What names a link, and what is for all entries, is passed over, not held.
    for kind in [tar::EntryType::GNULongLink, tar::EntryType::XGlobalHeader] {
        let header = gzip(&block(kind, "x", megabytes, b""));
        let file = gzip(&block(tar::EntryType::Regular, "r/d/a", 3, b"abc"));
        let archive: Vec<u8> =
            [header].into_iter().chain(zeros.clone()).chain([file]).flatten().collect();
        assert_eq!(visited(&archive, None), [("r/d/a".to_owned(), b"abc".to_vec())]);
    }
}

#[test]
fn long_names_and_pax_paths_are_those_of_the_next_file() {
    let long = format!("r/{}/file", "folder/".repeat(40));
    let record = format!(" path={long}\n");
    let length = (record.len()..).find(|n| n.to_string().len() + record.len() == *n).unwrap();
    let record = format!("{length}{record}");
    let name = [long.as_bytes(), b"\0"].concat();
    let sizes = (name.len() as u64, record.len() as u64);
    let archive = [
        block(tar::EntryType::GNULongName, "././@LongLink", sizes.0, &name),
        block(tar::EntryType::Regular, "r/cut", 3, b"one"),
        block(tar::EntryType::XHeader, "pax", sizes.1, record.as_bytes()),
        block(tar::EntryType::Regular, "r/cut", 3, b"two"),
        block(tar::EntryType::Regular, "r/short", 0, b""),
    ];
    let paths: Vec<String> =
        visited(&gzip(&archive.concat()), None).into_iter().map(|file| file.0).collect();
    assert_eq!(paths, [long.as_str(), &long, "r/short"]);
    // The next file must be there, and may not be described twice.
    let twice = [archive[0].clone(), archive[0].clone(), archive[1].clone()].concat();
    assert_eq!(refused([gzip(&twice)]), "two headers of one sort extend the same entry");
    let none = "the last header extends one that is not there";
    assert_eq!(refused([gzip(&archive[0])]), none);
    let sized = block(tar::EntryType::XHeader, "pax", 13, b"13 size=4096\n");
    let sized = [sized, archive[1].clone()].concat();
    assert_eq!(refused([gzip(&sized)]), "an entry has two sizes");
    let sparse = block(tar::EntryType::GNUSparse, "s", 0, b"");
    assert_eq!(refused([gzip(&sparse)]), "sparse files in archives are not read");
}

#[test]
fn entries_paths_and_files_are_counted() {
    let entry = block(tar::EntryType::Directory, "d", 0, b"");
    let thousand = gzip(&entry.repeat(1 << 10));
    let why = refused(vec![thousand; (1 << 10) + 1]);
    assert_eq!(why, "it has more than 1048576 entries");

    let named = |length: usize| {
        let name = vec![b'n'; length];
        let header = block(tar::EntryType::GNULongName, "l", length as u64, &name);
        [header, block(tar::EntryType::Regular, "f", 0, b"")].concat()
    };
    assert_eq!(refused([gzip(&named(4097))]), "it has more than 4096 bytes in a path");
    let many = gzip(&named(4096).repeat(1 << 10));
    let why = refused(vec![many; 33]);
    assert_eq!(why, "it has more than 134217728 bytes in its paths together");

    let header = gzip(&block(tar::EntryType::Regular, "large", (1 << 26) + 1, b""));
    let why = refused([header].into_iter().chain(vec![gzip(&[0; 1 << 20]); 65]));
    assert_eq!(why, "it has more than 67108864 bytes in large");
    // A size that is not there takes no memory.
    let header = gzip(&block(tar::EntryType::Regular, "absent", 1 << 40, b""));
    assert_eq!(refused([header]), "unexpected EOF during skip");
}

#[test]
fn what_an_archive_unpacks_to_is_counted() {
    let mut stream = Bounded { stream: io::repeat(0), left: 10 };
    assert_eq!(stream.read(&mut [0; 10]).unwrap(), 10);
    let why = stream.read(&mut [0; 10]).unwrap_err().to_string();
    assert_eq!(why, "it has more than 8589934592 unpacked bytes");
}
