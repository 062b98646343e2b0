//! An HTTP server on 127.0.0.1 that misbehaves as a test asks.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// What a client asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The target: a path, or a whole url if the client takes this server for its proxy.
    pub target: String,
    /// First byte of its `Range`.
    pub range: Option<usize>,
}

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Status line, headers and body; `Content-Length` is the body's unless a header says otherwise.
    Send(&'static str, Vec<String>, Vec<u8>),
    /// Sends the head and nothing more, until the client gives up.
    Stall,
    /// Sends a body byte by byte, with a pause behind each.
    Drip(Vec<u8>, Duration),
}

/// 200 with a body.
pub fn ok(body: &[u8]) -> Reply {
    Reply::Send("200 OK", Vec::new(), body.to_vec())
}

/// A status without a body.
pub fn status(line: &'static str) -> Reply {
    Reply::Send(line, Vec::new(), Vec::new())
}

/// A redirect.
pub fn redirect(to: &str) -> Reply {
    Reply::Send("302 Found", vec![format!("Location: {to}")], Vec::new())
}

/// 200 that announces all of a body and sends only a part.
pub fn torn(body: &[u8], sent: usize) -> Reply {
    let length = format!("Content-Length: {}", body.len());
    Reply::Send("200 OK", vec![length], body[..sent].to_vec())
}

/// The body from a byte on, as asked for by `Range`.
pub fn rest(body: &[u8], from: usize) -> Reply {
    let range = format!("Content-Range: bytes {from}-{}/{}", body.len() - 1, body.len());
    Reply::Send("206 Partial Content", vec![range], body[from..].to_vec())
}

/// A running server; it stops with the test process.
pub struct Server {
    address: SocketAddr,
    scheme: &'static str,
    log: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Serves http; `reply` sees each request with its number, from 0.
    pub fn start(reply: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::run("http", reply, Ok)
    }

    /// Serves https with the certificate of `server.pem`, which `ca.pem` signed.
    pub fn start_tls(reply: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        let chain = CertificateDer::pem_slice_iter(include_bytes!("server.pem"));
        let chain = chain.collect::<Result<_, _>>().unwrap();
        let key = PrivateKeyDer::from_pem_slice(include_bytes!("server.key.pem")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let config = Arc::new(config);
        Self::run("https", reply, move |stream| {
            let connection = rustls::ServerConnection::new(config.clone());
            let connection = connection.map_err(std::io::Error::other)?;
            Ok(rustls::StreamOwned::new(connection, stream))
        })
    }

    fn run<S: Read + Write>(
        scheme: &'static str,
        reply: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static,
        wrap: impl Fn(TcpStream) -> std::io::Result<S> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::new((reply, wrap, log.clone()));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                std::thread::spawn(move || {
                    let (reply, wrap, log) = &*shared;
                    // A client that hangs up is no failure of the server.
                    let _ = serve(stream, reply, wrap, log);
                });
            }
        });
        Self { address, scheme, log }
    }

    /// The url of a path that begins with `/`.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// Host and port.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.log.lock().unwrap().clone()
    }
}

fn serve<S: Read + Write>(
    stream: TcpStream,
    reply: impl Fn(usize, &Request) -> Reply,
    wrap: impl Fn(TcpStream) -> std::io::Result<S>,
    log: &Mutex<Vec<Request>>,
) -> std::io::Result<()> {
    let socket = stream.try_clone()?;
    let mut reader = BufReader::new(wrap(stream)?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let Some(target) = line.split(' ').nth(1).map(str::to_owned) else { return Ok(()) };
    let mut range = None;
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let header = line.trim_end().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(bytes) = header.strip_prefix("range: bytes=") {
            range = bytes.trim_end_matches('-').parse().ok();
        }
    }
    let request = Request { target, range };
    let number = {
        let mut log = log.lock().unwrap();
        log.push(request.clone());
        log.len() - 1
    };
    let (line, headers, body) = match reply(number, &request) {
        Reply::Send(line, headers, body) => (line, headers, body),
        Reply::Stall => {
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\n";
            reader.get_mut().write_all(head)?;
            reader.get_mut().flush()?;
            return reader.read_to_end(&mut Vec::new()).map(drop);
        }
        Reply::Drip(body, pause) => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            reader.get_mut().write_all(head.as_bytes())?;
            for byte in body {
                reader.get_mut().write_all(&[byte])?;
                reader.get_mut().flush()?;
                std::thread::sleep(pause);
            }
            return Ok(());
        }
    };
    let mut head = format!("HTTP/1.1 {line}\r\nConnection: close\r\n");
    for header in &headers {
        head += &format!("{header}\r\n");
    }
    let framed =
        |header: &String| header.starts_with("Content-Length") || header.starts_with("X-Unframed");
    if !headers.iter().any(framed) {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    let stream = reader.get_mut();
    stream.write_all(head.as_bytes())?;
    stream.write_all(b"\r\n")?;
    stream.write_all(&body)?;
    stream.flush()?;
    socket.shutdown(Shutdown::Write)?;
    reader.read_to_end(&mut Vec::new()).map(drop)
}
