//! Data is fetched, checked, resumed and refused as docs/reference/data.md says.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::download::{Place, reasons};
use crate::support::registry;
use crate::support::server::{Reply, Request, Server, ok, redirect, rest, status, torn};
use reprise::base::digest::Digest;
use reprise::contract::Examples;
use reprise::data::integrity::{Integrity, Mismatch};
use reprise::data::library::{Verdict, Whence};
use reprise::data::{DataError, Library};

const ROWS: usize = 5000;

/// A file of 5,000 rows of three variables, 30,000 bytes.
fn body() -> Vec<u8> {
    let row = |i: usize| format!("{},{},{}\n", i & 1, (i >> 1) & 1, (i >> 2) & 1);
    (0..ROWS).map(row).collect::<String>().into_bytes()
}

/// A registry with the dataset `tiny`, whose only file has these sources and so many rows.
fn with_rows(rows: usize, sources: &str) -> Place {
    with_shape(&format!("variables = 3, rows = {rows}"), sources, "")
}

fn with_shape(shape: &str, sources: &str, more: &str) -> Place {
    let file = format!("{{ role = \"all\", format = \"binary-csv\", sources = [{sources}] }}");
    let entry = format!("shape = {{ {shape} }}\nfiles = [{file}]\n{more}");
    Place::new("tiny", "binary", &entry, Digest::of(&body()))
}

/// [`body`] at these urls.
fn at(urls: &[String]) -> String {
    let (digest, bytes) = (Digest::of(&body()), body().len());
    let source =
        |url: &String| format!("{{ url = \"{url}\", sha256 = \"{digest}\", bytes = {bytes} }}");
    urls.iter().map(source).collect::<Vec<_>>().join(", ")
}

/// The file at these urls.
fn tiny(urls: &[String]) -> Place {
    with_rows(ROWS, &at(urls))
}

fn assert_fetched(place: &Place) {
    place.fetch().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(std::fs::read(place.cached()).unwrap(), body());
    assert!(!place.partial().exists());
}

fn one(server: &Server) -> Place {
    tiny(&[server.url("/tiny.data")])
}

fn ranges(server: &Server) -> Vec<Option<usize>> {
    server.requests().into_iter().map(|request| request.range).collect()
}

#[test]
fn a_file_is_downloaded_once_and_then_served_from_the_cache_offline() {
    let server = Server::start(|_, _| ok(&body()));
    let mut place = one(&server);
    assert_fetched(&place);
    assert_fetched(&place);
    place.config.offline = true;
    let dataset = place.library().load("tiny").unwrap();
    let Examples::Binary(rows) = &dataset.examples else { panic!("not sparse") };
    assert_eq!((rows.len(), rows.row(6)), (ROWS, &[1, 2][..]));
    assert_eq!(server.requests().len(), 1);
    assert_eq!(place.library().plan_fetch(&["tiny"]).unwrap()[0].whence, Whence::Cache);
}

#[test]
fn files_of_several_servers_are_asked_for_in_order_and_reported_in_order() {
    let [left, right] = [(); 2].map(|()| Server::start(|_, _| status("404 Not Found")));
    let urls: Vec<String> =
        (0..8).map(|at| [&left, &right][at % 2].url(&format!("/{at}"))).collect();
    let dataset = |number: usize| {
        let (digest, url) = (Digest::of(urls[number].as_bytes()), &urls[number]);
        let file = format!(
            "shape = {{ variables = 3, rows = 9 }}\nfiles = [{{ role = \"all\", format = \"binary-csv\", \
             sources = [{{ url = \"{url}\", sha256 = \"{digest}\", bytes = 54 }}] }}]"
        );
        registry::entry(&format!("d{number}"), "binary", &file)
    };
    let others: String = (0..8).map(dataset).collect();
    let place = with_shape("variables = 3, rows = 5000", &at(&[left.url("/tiny")]), &others);
    let ids: Vec<String> = (0..8).map(|at| format!("d{at}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let Err(DataError::Unavailable { files, .. }) = place.library().fetch(&ids) else {
        panic!("nothing is there")
    };
    assert_eq!(
        files.iter().map(|file| &file.status.url).collect::<Vec<_>>(),
        urls.iter().collect::<Vec<_>>()
    );
    for (server, first) in [(&left, 0), (&right, 1)] {
        let asked: Vec<String> =
            server.requests().into_iter().map(|request| request.target).collect();
        let mine = urls.iter().skip(first).step_by(2);
        assert!(asked.iter().zip(mine).all(|(path, url)| url.ends_with(path)), "{asked:?}");
        assert_eq!(asked.len(), 4);
    }
}

#[test]
fn a_dropped_connection_is_resumed() {
    let server = Server::start(|number, request| match (number, request.range) {
        (0, None) => torn(&body(), 12_345),
        (1, Some(from)) => rest(&body(), from),
        other => panic!("{other:?}"),
    });
    assert_fetched(&one(&server));
    assert_eq!(ranges(&server), [None, Some(12_345)]);
}

#[test]
fn a_download_that_was_killed_is_resumed() {
    let server = Server::start(|_, request| rest(&body(), request.range.unwrap()));
    let place = one(&server);
    std::fs::create_dir_all(place.partial().parent().unwrap()).unwrap();
    std::fs::write(place.partial(), &body()[..777]).unwrap();
    assert_fetched(&place);
    assert_eq!(ranges(&server), [Some(777)]);
}

#[test]
fn a_partial_file_that_is_complete_needs_no_request() {
    let server = Server::start(|_, _| status("404 Not Found"));
    let place = one(&server);
    std::fs::create_dir_all(place.partial().parent().unwrap()).unwrap();
    std::fs::write(place.partial(), body()).unwrap();
    assert_fetched(&place);
    assert!(server.requests().is_empty());
}

#[test]
fn servers_that_ignore_or_refuse_ranges_send_the_whole_file() {
    for second in [ok(&body()), status("416 Range Not Satisfiable")] {
        let server = Server::start(move |number, _| match number {
            0 => torn(&body(), 100),
            1 => second.clone(),
            _ => ok(&body()),
        });
        assert_fetched(&one(&server));
    }
}

#[test]
fn a_file_that_changed_between_two_halves_is_downloaded_anew() {
    // The first half came from other bytes; and a range that does not begin where it was asked to.
    let other: Vec<u8> = body().iter().map(|byte| byte ^ 1).collect();
    let halves = [
        (torn(&other, 15_000), rest(&body(), 15_000)),
        (torn(&body(), 15_000), rest(&body(), 14_000)),
    ];
    for (first, second) in halves {
        let server = Server::start(move |number, _| match number {
            0 => first.clone(),
            1 => second.clone(),
            _ => ok(&body()),
        });
        assert_fetched(&one(&server));
        assert_eq!(ranges(&server), [None, Some(15_000), None]);
    }
}

#[test]
fn a_file_that_stays_truncated_is_unavailable_and_never_in_the_cache() {
    let unframed = |body: &[u8]| {
        Reply::Send("200 OK", vec!["X-Unframed: yes".to_owned()], body[..5000].to_vec())
    };
    for reply in [torn(&body(), 5000), unframed(&body())] {
        let server = Server::start(move |_, _| reply.clone());
        let place = one(&server);
        let why = reasons(place.fetch().unwrap_err());
        assert!(why.contains("at 5000 of 30000 bytes") && why.contains("3 attempts"), "{why}");
        assert!(!place.cached().exists());
    }
}

#[test]
fn wrong_bytes_are_an_error_with_both_digests_and_never_kept() {
    let wrong: Vec<u8> = body().iter().map(|byte| byte ^ 1).collect();
    let longer = [body(), b"0,0,0\n".to_vec()].concat();
    let shorter = body()[6..].to_vec();
    for found in [wrong, longer, shorter] {
        let reply = ok(&found);
        let server = Server::start(move |_, _| reply.clone());
        let place = one(&server);
        let error = place.fetch().unwrap_err();
        let message = error.to_string();
        let DataError::Mismatch(mismatch) = error else { panic!("{error}") };
        let expected = Mismatch {
            file: server.url("/tiny.data"),
            expected: Integrity { digest: Digest::of(&body()), size: Some(30_000), folder: None },
            found: Ok(Digest::of(&found)),
            found_bytes: found.len() as u64,
        };
        assert_eq!(*mismatch, expected);
        assert!(message.contains(&Digest::of(&body()).to_string()), "{message}");
        assert!(message.contains(&Digest::of(&found).to_string()), "{message}");
        assert!(!place.cached().exists() && !place.partial().exists());
        assert_eq!(server.requests().len(), 1, "a wrong file is not asked for again");
    }
}

#[test]
fn an_endless_body_is_given_up() {
    let server = Server::start(|_, _| ok(&vec![b'0'; 8 << 20]));
    let error = one(&server).fetch().unwrap_err();
    assert!(error.to_string().contains("found    more than"), "{error}");
}

#[test]
fn a_missing_file_is_looked_for_at_the_next_source() {
    let server = Server::start(|_, request| match request.target.as_str() {
        "/second" => ok(&body()),
        _ => status("404 Not Found"),
    });
    assert_fetched(&tiny(&[server.url("/first"), server.url("/second")]));
    assert_eq!(server.requests().len(), 2, "404 is not retried");
    let place = tiny(&[server.url("/first"), server.url("/third")]);
    assert_eq!(reasons(place.fetch().unwrap_err()), "404 Not Found; 404 Not Found");
}

#[test]
fn busy_and_broken_servers_are_asked_again() {
    for line in ["500 Internal Server Error", "503 Service Unavailable", "429 Too Many Requests"] {
        let server = Server::start(move |number, _| match number {
            0 | 1 => Reply::Send(line, vec!["Retry-After: 0".to_owned()], Vec::new()),
            _ => ok(&body()),
        });
        assert_fetched(&one(&server));
        assert_eq!(server.requests().len(), 3);
    }
    let server = Server::start(|_, _| status("502 Bad Gateway"));
    let why = reasons(one(&server).fetch().unwrap_err());
    assert_eq!(why, "502 Bad Gateway (3 attempts)");
}

#[test]
fn a_stalled_transfer_times_out() {
    let server = Server::start(|number, _| match number {
        0 => Reply::Stall,
        _ => ok(&body()),
    });
    let mut place = one(&server);
    place.config.patience.stall = Duration::from_millis(100);
    let start = Instant::now();
    assert_fetched(&place);
    assert!(start.elapsed() < Duration::from_secs(2));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn an_unreachable_server_is_waited_for_once() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let place = tiny(&[format!("http://{closed}/a"), format!("http://{closed}/b")]);
    let why = reasons(place.fetch().unwrap_err());
    assert!(why.contains("(3 attempts); the server could not be reached before"), "{why}");
}

#[test]
fn redirects_are_followed_within_http() {
    let server = Server::start(|_, request| match request.target.as_str() {
        "/tiny.data" => redirect("/moved/tiny.data"),
        _ => ok(&body()),
    });
    assert_fetched(&one(&server));
}

/// Another server of the same machine, such as one that no network reaches, is asked only if the registry names it.
#[test]
fn redirects_to_servers_that_the_registry_does_not_name_are_refused() {
    let other = Server::start(|_, _| ok(&body()));
    let to = other.url("/tiny.data");
    let server = Server::start(move |_, _| redirect(&to));
    let place = one(&server);
    let why = reasons(place.fetch().unwrap_err());
    assert!(why.contains(&format!("a redirect to {}, a server that", other.host())), "{why}");
    assert!(why.contains("write the url there as a source"), "{why}");
    let looked = place.library().look(&server.url("/tiny.data"));
    assert!(reasons(looked.unwrap_err()).contains("a server that the registry does not name"));
    assert!(other.requests().is_empty());
    assert!(!place.cached().exists());

    let named = tiny(&[server.url("/tiny.data"), other.url("/elsewhere.data")]);
    named.fetch().unwrap();
    assert_eq!(other.requests().len(), 1);
}

/// Addresses of a private network have many spellings; none is asked that is not named.
#[test]
fn redirects_to_private_addresses_are_refused_however_they_are_written() {
    for to in [
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:127.0.0.1]/",
        "http://localhost/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://127.0.0.1:22/",
        "//10.0.0.1/",
    ] {
        let server = Server::start(move |_, _| redirect(to));
        let place = one(&server);
        let why = reasons(place.fetch().unwrap_err());
        assert!(why.contains("a server that the registry does not name"), "{to}: {why}");
        assert_eq!(server.requests().len(), 1);
    }
}

/// A server that sends a byte now and then keeps every read within its time.
#[test]
fn a_transfer_that_drips_has_stalled() {
    let server = Server::start(|_, _| Reply::Drip(body(), Duration::from_millis(20)));
    let mut place = one(&server);
    place.config.patience.stall = Duration::from_millis(200);
    place.config.patience.attempts = 2;
    let why = reasons(place.fetch().unwrap_err());
    assert!(why.contains("fewer than 1024 bytes in 200ms (2 attempts)"), "{why}");
    assert_eq!(server.requests().len(), 2);
    let why = reasons(place.library().look(&server.url("/tiny.data")).unwrap_err());
    assert!(why.contains("fewer than 1024 bytes in 200ms (2 attempts)"), "{why}");
}

#[test]
fn redirect_loops_and_redirects_to_other_schemes_are_refused() {
    let secret = tempfile::tempdir().unwrap();
    let file = secret.path().join("secret");
    std::fs::write(&file, body()).unwrap();
    for (target, expected) in [
        ("/tiny.data".to_owned(), "more than 10 redirects"),
        (format!("file://{}", file.display()), "a redirect to `file:"),
        (format!("file://localhost{}", file.display()), "a redirect to `file:"),
        ("ftp://127.0.0.1/tiny.data".to_owned(), "a redirect to a `ftp:` url is refused"),
    ] {
        let to = target.clone();
        let server = Server::start(move |_, _| redirect(&to));
        let place = one(&server);
        let why = reasons(place.fetch().unwrap_err());
        assert!(why.contains(expected), "{target}: {why}");
        assert!(!place.cached().exists());
    }
}

#[test]
fn two_threads_download_a_file_once() {
    let server = Server::start(|_, _| {
        std::thread::sleep(Duration::from_millis(100));
        ok(&body())
    });
    let place = one(&server);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| place.fetch().unwrap());
        }
    });
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn two_processes_download_a_file_once() {
    let server = Server::start(|_, _| {
        std::thread::sleep(Duration::from_millis(300));
        ok(&body())
    });
    let place = one(&server);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| place.command(&["fetch", "tiny"]).assert().success());
        }
    });
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn offline_opens_no_socket_and_lists_what_is_missing() {
    let server = Server::start(|_, _| ok(&body()));
    let mut place = one(&server);
    place.config.offline = true;
    let url = server.url("/tiny.data");
    let message = place.fetch().unwrap_err().to_string();
    let expected = format!("a data file is not available offline:\n  tiny all, 30000 bytes: {url}");
    assert_eq!(message, expected);
    place.config.mirror = Some(server.url("/"));
    assert!(place.fetch().is_err(), "a mirror on the web is not asked either");
    place.command(&["fetch", "tiny", "--offline"]).assert().code(3);
    assert_eq!(place.library().plan_fetch(&["tiny"]).unwrap()[0].whence, Whence::Missing);
    assert!(server.requests().is_empty());
}

#[test]
fn a_folder_mirror_serves_in_place_and_is_checked() {
    let mut place = tiny(&["https://data.example/a%20b/tiny.data".to_owned()]);
    let mirror = tempfile::tempdir().unwrap();
    let file = mirror.path().join("data.example/a b/tiny.data");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, body()).unwrap();
    place.config.mirror = Some(mirror.path().display().to_string());
    place.config.offline = true;
    place.fetch().unwrap();
    assert!(!place.cached().exists(), "no copy is made");
    assert_eq!(place.library().load("tiny").unwrap().examples.len(), ROWS);
    let status = &place.library().plan_fetch(&["tiny"]).unwrap()[0];
    assert_eq!((status.whence, status.path.as_deref()), (Whence::Mirror, Some(file.as_path())));
    std::fs::write(&file, b"0,0,0\n").unwrap();
    assert!(matches!(place.fetch(), Err(DataError::Mismatch(_))));
    assert!(matches!(place.library().load("tiny"), Err(DataError::Mismatch(_))));
}

#[test]
fn a_mirror_on_the_web_comes_before_the_source() {
    let mirror = Server::start(|_, request| match request.target.as_str() {
        "/m/data.example/a%20b/tiny.data" => ok(&body()),
        _ => status("404 Not Found"),
    });
    let mut place = tiny(&["https://data.example/a%20b/tiny.data".to_owned()]);
    for base in ["/m", "/m/"] {
        place.config.mirror = Some(mirror.url(base));
        assert_fetched(&place);
        std::fs::remove_file(place.cached()).unwrap();
    }
    let server = Server::start(|_, _| ok(&body()));
    let mut place = one(&server);
    place.config.mirror = Some(mirror.url("/m"));
    assert_fetched(&place);
    let last = mirror.requests().pop().unwrap();
    let target = format!("/m/{}/tiny.data", server.host());
    assert_eq!(last, Request { target, range: None });
}

#[test]
fn mirrors_that_are_neither_folder_nor_http_are_refused() {
    let mut place = tiny(&["https://data.example/tiny.data".to_owned()]);
    for (mirror, why) in [
        ("ftp://mirror.example/", "`ftp:` urls are refused"),
        ("/nowhere/at/all", "there is no such folder"),
    ] {
        place.config.mirror = Some(mirror.to_owned());
        let error = Library::open(&place.config, None).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot use the mirror {mirror}: {why}"));
    }
}

#[test]
fn a_damaged_file_in_the_cache_is_found_and_replaced() {
    let server = Server::start(|_, _| ok(&body()));
    let place = one(&server);
    assert_fetched(&place);
    let mut damaged = body();
    damaged[17] ^= 1;
    for damaged in [damaged, b"short".to_vec()] {
        std::fs::write(place.cached(), damaged).unwrap();
        let report = place.library().verify(&["tiny"]).unwrap();
        assert!(matches!(report[0].verdict, Verdict::Corrupt(_)), "{report:?}");
        place.command(&["verify"]).assert().code(3);
        assert_fetched(&place);
    }
    let report = place.library().verify(&["tiny"]).unwrap();
    assert!(matches!(report[0].verdict, Verdict::Sound), "{report:?}");
    place.command(&["verify", "tiny"]).assert().success();
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_cache_that_cannot_be_written_is_named() {
    let server = Server::start(|_, _| ok(&body()));
    let mut place = one(&server);
    let file = place.folder.path().join("file");
    std::fs::write(&file, b"").unwrap();
    place.config.cache = Some(file.clone());
    let error = place.fetch().unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot create {}", file.display())), "{error}");
}

#[test]
fn local_files_need_no_digest_and_are_parsed_strictly() {
    let part = "[dataset.part]\ntitle = \"Part\"\ncitation = \"\"\nlicence = \"\"\nfrom = \"tiny\"\n\
                rows = [1, 2]\ncolumns = [1, 2]\n";
    let load = |rows: usize, encoding: &str, text: &str, id: &str| {
        let source = format!("{{ path = \"my.data\", encoding = {encoding:?} }}");
        let mut place = with_shape(&format!("variables = 2, rows = {rows}"), &source, part);
        place.config.offline = true;
        std::fs::write(place.folder.path().join("my.data"), text).unwrap();
        let path = place.folder.path().join("my.data").display().to_string();
        place.library().load(id).map_err(|error| error.to_string().replace(&path, "my.data"))
    };
    let dataset = load(2, "plain", "0,1\n1,1\n", "tiny").unwrap();
    let part = load(2, "plain", "0,1\n1,1\n", "part").unwrap();
    let Examples::Binary(rows) = &part.examples else { panic!("not sparse") };
    assert_eq!((rows.len(), rows.variables(), rows.row(0)), (1, 1, &[0][..]));
    assert!(dataset.published.is_none() && part.digest != dataset.digest);
    assert_eq!(
        load(2, "plain", "0,1\n1,x\n", "tiny").unwrap_err(),
        "my.data, line 2, column 3: expected 0 or 1 for variable 2 of 2, found `x`"
    );
    assert_eq!(
        load(3, "plain", "0,1\n1,1\n", "tiny").unwrap_err(),
        "my.data has 2 rows, but `shape` of dataset `tiny` in datasets.toml says 3"
    );
    assert_eq!(load(2, "gzip", "0,1\n1,1\n", "tiny").unwrap_err(), "cannot unpack my.data");
}

#[test]
fn the_digest_is_of_the_parsed_content_whatever_the_source() {
    use std::io::Write as _;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&body()).unwrap();
    let packed = gzip.finish().unwrap();
    let digest = |path: &str, encoding: &str, bytes: &[u8]| {
        let place = with_rows(ROWS, &format!("{{ path = {path:?}, encoding = {encoding:?} }}"));
        std::fs::write(place.folder.path().join(path), bytes).unwrap();
        place.library().load("tiny").unwrap().digest
    };
    let plain = digest("a", "plain", &body());
    assert_eq!(plain, digest("b.gz", "gzip", &packed));
    let mut other = body();
    other[0] ^= 1;
    assert_ne!(plain, digest("a", "plain", &other));
}

#[test]
fn proxies_of_the_environment_are_used() {
    let proxy = Server::start(|_, _| ok(&body()));
    let place = tiny(&["http://data.example/tiny.data".to_owned()]);
    place.command(&["fetch", "tiny"]).env("http_proxy", proxy.url("")).assert().success();
    assert_eq!(proxy.requests()[0].target, "http://data.example/tiny.data");
    assert_eq!(std::fs::read(place.cached()).unwrap(), body());
}

#[test]
fn a_certificate_authority_of_the_users_own_is_trusted() {
    let server = Server::start_tls(|_, _| ok(&body()));
    let place = one(&server);
    let ca = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/ca.pem");
    let refused = place.command(&["fetch", "tiny"]).assert().code(3);
    let text = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(text.contains("SSL_CERT_FILE"), "{text}");
    place.command(&["fetch", "tiny"]).env("SSL_CERT_FILE", &ca).assert().success();
    assert_eq!(std::fs::read(place.cached()).unwrap(), body());
}

#[test]
fn a_redirect_from_https_to_http_is_refused() {
    let plain = Server::start(|_, _| ok(&body()));
    let to = plain.url("/tiny.data");
    let server = Server::start_tls(move |_, _| redirect(&to));
    let ca = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/ca.pem");
    let place = one(&server);
    let refused = place.command(&["fetch", "tiny"]).env("SSL_CERT_FILE", &ca).assert().code(3);
    let text = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(text.contains("from https to http"), "{text}");
    assert!(plain.requests().is_empty());
}

#[test]
fn the_command_lists_datasets_and_suggests_names() {
    let place = tiny(&["https://data.example/tiny.data".to_owned()]);
    let listed = place.command(&["list", "--format", "json"]).assert().success();
    let value: serde_json::Value = serde_json::from_slice(&listed.get_output().stdout).unwrap();
    assert_eq!((&value[0]["id"], &value[0]["rows"]), (&"tiny".into(), &ROWS.into()));
    assert_eq!(value[0]["files"], "network");
    let unknown = place.command(&["fetch", "tinny"]).assert().code(2);
    let text = String::from_utf8_lossy(&unknown.get_output().stderr).into_owned();
    assert!(text.contains("did you mean `tiny`?"), "{text}");
    place.command(&["path", "tiny"]).assert().code(3);
    std::fs::write(place.config.registry.as_ref().unwrap(), "shcema = 1\n").unwrap();
    let broken = place.command(&["list"]).assert().code(2);
    let text = String::from_utf8_lossy(&broken.get_output().stderr).into_owned();
    assert!(
        text.contains("did you mean `schema`?") && text.contains("datasets.toml:1:1"),
        "{text}"
    );
}
