//! Archives whose bytes are not stable are known by the files of a folder in them, as docs/reference/data.md says.

use std::io::Write as _;

use crate::support::download::{Place, reasons};
use crate::support::server::{Reply, Server, ok, status, torn};
use reprise::base::digest::Digest;
use reprise::contract::Examples;
use reprise::contract::parameter::Value;
use reprise::data::integrity::Integrity;
use reprise::data::library::{Verdict, Whence};
use reprise::data::{DataConfig, DataError, Library};

const FILES: [(&str, &str); 5] = [
    ("read.me", "not a document"),
    ("set/ham/2", "hello hello you"),
    ("set/ham/1", "hello world"),
    ("set/spam/1", "Buy! you"),
    ("set/summary.txt", "three documents"),
];

/// An archive of a repository's commit, packed at this level of compression.
fn archive(files: &[(&str, &str)], level: u32) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, format!("set-0123/{path}"), content.as_bytes()).unwrap();
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
    gzip.write_all(&archive.into_inner().unwrap()).unwrap();
    gzip.finish().unwrap()
}

/// The tree digest over `set`, written out.
fn tree() -> Digest {
    let mut lines: Vec<String> = FILES
        .iter()
        .filter(|(path, _)| path.starts_with("set/"))
        .map(|(path, content)| format!("{}  {path}\n", Digest::of(content.as_bytes())))
        .collect();
    lines.sort_by_key(|line| line[66..].to_owned());
    Digest::of(lines.concat().as_bytes())
}

/// A registry with the dataset `mails`, whose only file is an archive at these urls.
fn mails(urls: &[String]) -> Place {
    let tree = tree();
    let source = |url: &String| {
        format!("{{ url = \"{url}\", tree = \"{tree}\", folder = \"set\", encoding = \"tar.gz\" }}")
    };
    let sources: Vec<String> = urls.iter().map(source).collect();
    let entry = format!(
        "shape = {{ variables = 4, rows = 3, classes = 2 }}\nfiles = [{{ role = \"all\", \
         format = \"text-files\", documents = \"{{class}}/{{name}}\", sources = [{}] }}]",
        sources.join(", ")
    );
    Place::new("mails", "text", &entry, tree)
}

#[test]
fn an_archive_is_downloaded_once_and_named_by_its_tree() {
    let server = Server::start(|_, _| ok(&archive(&FILES, 6)));
    let mut place = mails(&[server.url("/tar.gz/0123")]);
    let before = &place.library().plan_fetch(&["mails"]).unwrap()[0];
    assert_eq!((before.whence, before.bytes), (Whence::Network, None));
    place.fetch().unwrap();
    place.config.offline = true;
    let dataset = place.library().load("mails").unwrap();
    let Examples::Binary(rows) = &dataset.examples else { panic!("not sparse") };
    // Tokens: buy, hello, world, you. Documents by their paths: ham/1, ham/2, spam/1.
    assert_eq!(rows.iter().collect::<Vec<_>>(), [&[1, 2][..], &[1, 3], &[0, 3]]);
    let labels = dataset.targets.labels().unwrap();
    assert_eq!(
        (labels.classes.clone(), labels.of_example.clone()),
        (vec!["ham".into(), "spam".into()], vec![0, 0, 1])
    );
    assert_eq!(server.requests().len(), 1);
    let size = archive(&FILES, 6).len() as u64;
    let after = &place.library().plan_fetch(&["mails"]).unwrap()[0];
    assert_eq!((after.whence, after.bytes), (Whence::Cache, Some(size)));
    assert!(place.cached().is_file());
}

/// By their paths alone, spam/1 would be the test document.
#[test]
fn documents_belong_to_the_part_that_is_the_role_of_their_archive() {
    let folder = tempfile::tempdir().unwrap();
    let train = [("ham/2", "hello you"), ("spam/1", "buy")];
    for (name, files) in [("train.tgz", &train[..]), ("test.tgz", &[("ham/1", "hello")])] {
        std::fs::write(folder.path().join(name), archive(files, 6)).unwrap();
    }
    let file = |role: &str| {
        format!(
            "{{ role = \"{role}\", format = \"text-files\", documents = \"set-0123/{{class}}/{{name}}\", \
             sources = [{{ path = \"{role}.tgz\", encoding = \"tar.gz\" }}] }}"
        )
    };
    let text = format!(
        "schema = 1\n[dataset.mails]\ntitle = \"Mails\"\nkind = \"text\"\n\
         shape = {{ variables = 3, train = 2, test = 1, classes = 2 }}\ncitation = \"\"\nlicence = \"\"\n\
         files = [{}, {}]\n",
        file("test"),
        file("train")
    );
    let registry = folder.path().join("datasets.toml");
    std::fs::write(&registry, text).unwrap();
    let config = DataConfig { registry: Some(registry), offline: true, ..DataConfig::default() };
    let dataset = Library::open(&config, None).unwrap().load("mails").unwrap();
    let Examples::Binary(rows) = &dataset.examples else { panic!("not sparse") };
    // Tokens: buy, hello, you.
    assert_eq!(rows.iter().collect::<Vec<_>>(), [&[1, 2][..], &[0], &[1]]);
    assert_eq!(dataset.targets.labels().unwrap().of_example, [0, 1, 0]);
    assert_eq!(dataset.published.unwrap().test, 2..3);
}

#[test]
fn other_bytes_of_the_same_tree_are_the_same_data() {
    let mut files = FILES;
    files.reverse();
    files[4].1 = "a file outside of the folder changed";
    let digests: Vec<Digest> = [archive(&FILES, 9), archive(&files, 0)]
        .into_iter()
        .map(|bytes| {
            let server = Server::start(move |_, _| ok(&bytes));
            mails(&[server.url("/a")]).library().load("mails").unwrap().digest
        })
        .collect();
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn a_tampered_archive_is_an_error_with_both_tree_digests_and_never_kept() {
    for change in [("set/ham/1", "hello, world"), ("set/ham/3", "one more")] {
        let mut files = FILES.to_vec();
        files.retain(|(path, _)| *path != change.0);
        files.push(change);
        let server = Server::start(move |_, _| ok(&archive(&files, 6)));
        let place = mails(&[server.url("/a"), server.url("/b")]);
        let error = place.fetch().unwrap_err();
        let message = error.to_string();
        let DataError::Mismatch(mismatch) = error else { panic!("{error}") };
        let folder = Some("set".to_owned());
        assert_eq!(mismatch.expected, Integrity { digest: tree(), size: None, folder });
        let found = mismatch.found.unwrap();
        assert_ne!(found, tree());
        assert!(message.contains(&format!("expected tree digest {} of the folder `set`", tree())));
        assert!(message.contains(&format!("found    tree digest {found}")), "{message}");
        assert!(!place.cached().exists() && !place.partial().exists());
        assert_eq!(server.requests().len(), 1, "a wrong archive is not asked for again");
    }
}

#[test]
fn a_truncated_archive_is_downloaded_anew_from_its_first_byte() {
    let whole = archive(&FILES, 6);
    let half = whole.len() / 2;
    let unframed =
        Reply::Send("200 OK", vec!["X-Unframed: yes".to_owned()], whole[..half].to_vec());
    for first in [torn(&whole, half), ok(&whole[..half]), unframed] {
        let body = whole.clone();
        let server = Server::start(move |number, _| match number {
            0 => first.clone(),
            _ => ok(&body),
        });
        mails(&[server.url("/a")]).fetch().unwrap();
        let ranges: Vec<_> = server.requests().into_iter().map(|request| request.range).collect();
        assert_eq!(ranges, [None, None]);
    }
}

#[test]
fn an_archive_that_stays_truncated_is_looked_for_at_the_next_source() {
    let server = Server::start(|_, request| match request.target.as_str() {
        "/a" => ok(&archive(&FILES, 6)[..40]),
        "/b" => ok(&archive(&FILES, 6)),
        _ => ok(b"an html page"),
    });
    let place = mails(&[server.url("/a"), server.url("/c")]);
    let why = reasons(place.fetch().unwrap_err());
    let of = |bytes, why| format!("no whole tar.gz archive in {bytes} bytes: {why} (3 attempts)");
    let (cut, other) = (of(40, "incomplete deflate stream"), of(12, "invalid gzip header"));
    assert_eq!(why, format!("{cut}; {other}"));
    assert!(!place.cached().exists());
    mails(&[server.url("/a"), server.url("/b")]).fetch().unwrap();
}

#[test]
fn a_damaged_archive_of_the_cache_is_reported_and_fetched_anew() {
    let server = Server::start(|_, _| ok(&archive(&FILES, 6)));
    let place = mails(&[server.url("/a")]);
    place.fetch().unwrap();
    let sound = std::fs::read(place.cached()).unwrap();
    let mut cut = sound.clone();
    cut.truncate(50);
    for damaged in [cut, archive(&FILES[1..3], 6)] {
        std::fs::write(place.cached(), &damaged).unwrap();
        let report = place.library().verify(&["mails"]).unwrap();
        assert!(matches!(&report[0].verdict, Verdict::Corrupt(_)), "{report:?}");
        place.fetch().unwrap();
        assert_eq!(std::fs::read(place.cached()).unwrap(), sound);
        let report = place.library().verify(&["mails"]).unwrap();
        assert!(matches!(&report[0].verdict, Verdict::Sound), "{report:?}");
    }
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn an_archive_of_a_folder_mirror_is_read_in_place_and_checked() {
    let mut place = mails(&["https://example.org/tar.gz/0123".to_owned()]);
    let mirror = place.folder.path().join("mirror");
    let file = mirror.join("example.org/tar.gz/0123");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, archive(&FILES, 1)).unwrap();
    place.config.mirror = Some(mirror.display().to_string());
    place.config.offline = true;
    assert_eq!(place.library().load("mails").unwrap().examples.len(), 3);
    std::fs::write(&file, archive(&FILES[2..], 1)).unwrap();
    assert!(matches!(place.library().load("mails"), Err(DataError::Mismatch(_))));
}

#[test]
fn listings_say_that_a_size_is_unknown() {
    let server = Server::start(|_, _| status("404 Not Found"));
    let place = mails(&[server.url("/a")]);
    let run = |arguments: &[&str]| place.command(arguments).assert();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let listed = text(&run(&["list"]).success().get_output().stdout);
    assert!(listed.contains("unknown  network"), "{listed}");
    let listed = run(&["list", "--format", "json"]).success();
    let value: serde_json::Value = serde_json::from_slice(&listed.get_output().stdout).unwrap();
    assert_eq!((&value[0]["bytes"], &value[0]["classes"]), (&serde_json::Value::Null, &2.into()));
    let missing = text(&run(&["fetch", "--offline"]).code(3).get_output().stderr);
    assert!(missing.contains("mails all, size unknown: http://"), "{missing}");
    let absent = text(&run(&["verify"]).success().get_output().stdout);
    assert!(absent.contains("\nabsent   mails "), "{absent}");
}

#[test]
fn settings_that_a_dataset_does_not_have_are_refused() {
    let place = mails(&["https://example.org/a".to_owned()]);
    let refusal = |name: &str, value: Value| {
        let error = place.library().load_with("mails", &[(name.to_owned(), value)]).unwrap_err();
        let help = miette::Diagnostic::help(&error).map(|help| help.to_string());
        (error.to_string(), help.unwrap_or_default())
    };
    let (what, help) = refusal("threshold", Value::Integer(1));
    assert_eq!(what, "`threshold` is no parameter of dataset `mails`");
    assert_eq!(help, "it has vocabulary");
    let (what, help) = refusal("vocabulary", Value::Text("all".to_owned()));
    assert_eq!(what, "`all` is no value of `vocabulary` of dataset `mails`");
    assert_eq!(help, "expected one of \"problem\", \"training\"");
}
