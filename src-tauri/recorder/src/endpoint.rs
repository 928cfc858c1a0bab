//! What a program calls in place of its model servers: a local HTTP server that forwards, or answers from what was recorded, and logs
//! both. Keys pass through; no header of a request is written anywhere.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode};
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use parking_lot::Mutex;
use plait_adapters::{Redaction, SystemClock};
use plait_core::error::{ErrorCode, Fault};
use plait_run::host::Clock as _;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::codes;
use crate::exchange::{Data, Line, LogWriter};
use crate::replay::Library;
use crate::response_secrets;
use crate::upstream::{Upstream, VENDORS, without_keys};

/// The largest request that is passed on.
const MAX_REQUEST_BYTES: usize = 256 << 20;
/// Headers that belong to one connection, and those that the client sets itself.
const OWN_HEADERS: [HeaderName; 9] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
    header::PROXY_AUTHORIZATION,
    // A compressed response can't be read as it passes, so none is asked for.
    header::ACCEPT_ENCODING,
];
/// Why an exchange has ended that its program did not wait for.
const PROGRAM_LEFT: &str = "the program closed the connection";
/// Headers in which vendors take keys.
const KEY_HEADERS: [&str; 4] = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];

/// Who answers.
pub enum Answers {
    /// The model servers.
    Forwarded,
    /// What was recorded. Nothing leaves this machine.
    Recorded(Library),
}

/// What has arrived of a response, with the times.
type Chunks = Vec<(u64, Vec<u8>)>;

struct Shared {
    upstreams: Vec<Upstream>,
    answers: Answers,
    /// For servers elsewhere, and for those of this machine, which no proxy can reach.
    clients: [reqwest::Client; 2],
    log: Arc<LogWriter>,
    redaction: Redaction,
    clock: SystemClock,
    ids: AtomicU64,
    /// The responses that have not ended, by request.
    open: Mutex<BTreeMap<u64, Chunks>>,
}

/// An endpoint that listens.
pub struct Endpoint {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

impl Endpoint {
    /// Listens on 127.0.0.1, at a port that the system chooses. `record.endpoint`.
    pub async fn listen(
        upstreams: Vec<Upstream>,
        answers: Answers,
        log: Arc<LogWriter>,
    ) -> Result<Self, Fault> {
        let failed = |why: String| {
            Fault::new(codes::RECORD_ENDPOINT, format!("The local endpoint cannot be opened: {why}."))
        };
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(|error| failed(error.to_string()))?;
        let address = listener.local_addr().map_err(|error| failed(error.to_string()))?;
        // A server that compresses without being asked is read unpacked, and so passed on and recorded.
        let client = || reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let clients = [client().build(), client().no_proxy().build()];
        let [Ok(remote), Ok(local)] = clients else {
            return Err(failed("the system's certificates cannot be read".to_owned()));
        };
        let shared = Arc::new(Shared {
            upstreams,
            answers,
            clients: [remote, local],
            log,
            redaction: Redaction::of_process(),
            clock: SystemClock,
            ids: AtomicU64::new(0),
            open: Mutex::default(),
        });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            tokio::select! {
                // A server that cannot go on is seen by the program, whose requests fail.
                _ = axum::serve(listener, router) => {}
                _ = stopped => {}
            }
        });
        Ok(Self { address, shared, stop, server })
    }

    /// The base URL of a model server, as the program gets it.
    pub fn url(&self, upstream: &str) -> String {
        format!("http://{}/{upstream}", self.address)
    }

    /// The environment variables that lead a program here.
    pub fn variables(&self) -> Vec<(String, String)> {
        let of_vendors = VENDORS.iter().flat_map(|vendor| {
            vendor.variables.iter().map(|variable| ((*variable).to_owned(), self.url(vendor.name)))
        });
        // A proxy cannot reach this machine.
        let direct = ["NO_PROXY", "no_proxy"].map(|name| (name.to_owned(), "127.0.0.1,localhost".to_owned()));
        of_vendors.chain(direct).collect()
    }

    /// What was asked for and is not recorded, in order.
    pub fn misses(&self) -> Vec<Fault> {
        match &self.shared.answers {
            Answers::Forwarded => Vec::new(),
            Answers::Recorded(library) => library.misses(),
        }
    }

    /// Stops listening. What is still under way is cut off, and logged so.
    pub async fn close(self) {
        drop(self.stop);
        // It ends at once, or has failed before.
        let _ = self.server.await;
        let open: Vec<u64> = self.shared.open.lock().keys().copied().collect();
        for id in open {
            self.shared.end(id, Some(PROGRAM_LEFT.to_owned()));
        }
    }
}

/// Logs what came of a request when it has ended, however it ends.
struct Ending {
    shared: Arc<Shared>,
    id: u64,
    failure: Option<String>,
}

impl Ending {
    fn end(mut self, failure: Option<String>) {
        self.failure = failure;
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.shared.end(self.id, self.failure.take());
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Result<Response<Body>, Infallible> {
    let begun = shared.clock.now_ms();
    let (head, body) = request.into_parts();
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let (name, path) = split(target);
    let Some(upstream) = shared.upstreams.iter().find(|upstream| upstream.name == name) else {
        let names: Vec<&str> = shared.upstreams.iter().map(|upstream| upstream.name.as_str()).collect();
        let message =
            format!("Plait records no `/{name}`. The paths here begin with one of: {}.", names.join(", "));
        return Ok(refusal(StatusCode::NOT_FOUND, &codes::RECORD_UPSTREAM, &message));
    };
    let Ok(body) = axum::body::to_bytes(body, MAX_REQUEST_BYTES).await else {
        let message = "The request did not arrive whole, or is larger than 256 MB.";
        return Ok(refusal(StatusCode::PAYLOAD_TOO_LARGE, &codes::RECORD_ENDPOINT, message));
    };
    shared.learn_keys(&upstream.name, &head.headers);
    let (id, shown) = (shared.ids.fetch_add(1, Ordering::Relaxed), shared.redacted(&body));
    shared.log.add(Line::Request {
        id,
        at: begun,
        upstream: upstream.name.clone(),
        base_url: upstream.base_url.clone(),
        method: head.method.to_string(),
        path: without_keys(path),
        body: shown.clone(),
    });
    shared.open.lock().insert(id, Vec::new());
    let ending = Ending { shared: Arc::clone(&shared), id, failure: Some(PROGRAM_LEFT.to_owned()) };
    if let Answers::Recorded(library) = &shared.answers {
        let found = library.take(&upstream.name, head.method.as_str(), &without_keys(path), &shown.bytes());
        return Ok(match found {
            Ok(exchange) => {
                let failure = exchange.failure.clone();
                let chunks = exchange.chunks.into_iter().map(|(_, bytes)| Ok(Bytes::from(bytes)));
                let cut = failure.map(|why| Err(std::io::Error::other(why)));
                let chunks = futures::stream::iter(chunks.chain(cut));
                respond(ending, exchange.status, &exchange.content_type, None, chunks)
            }
            Err(miss) => {
                ending.end(Some(miss.message.clone()));
                refusal(StatusCode::NOT_FOUND, &miss.code, &miss.message)
            }
        });
    }
    let url = upstream.join(path);
    let client = &shared.clients[usize::from(is_local(&upstream.base_url))];
    let mut headers = head.headers;
    for name in &OWN_HEADERS {
        headers.remove(name);
    }
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    let sent = client.request(head.method, url).headers(headers).body(body).send().await;
    Ok(match sent {
        Ok(response) => {
            let status = response.status().as_u16();
            let headers = response.headers().clone();
            let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
            let media_type = media_type.unwrap_or_default().to_owned();
            let chunks = response.bytes_stream().map(|chunk| chunk.map_err(std::io::Error::other));
            respond(ending, status, &media_type, Some(&headers), chunks)
        }
        Err(error) => {
            let why = innermost(&error);
            let message = format!("Plait could not reach {}: {why}.", upstream.base_url);
            ending.end(Some(message.clone()));
            refusal(StatusCode::BAD_GATEWAY, &codes::RECORD_UPSTREAM, &message)
        }
    })
}

/// The first segment of a path, and what follows it.
fn split(target: &str) -> (&str, &str) {
    let target = target.strip_prefix('/').unwrap_or(target);
    let end = target.find(['/', '?']).unwrap_or(target.len());
    target.split_at(end)
}

fn is_local(base_url: &str) -> bool {
    let host = base_url.split("://").nth(1).unwrap_or_default();
    ["127.", "localhost", "[::1]"].iter().any(|local| host.starts_with(local))
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// An error of the endpoint itself, in the form that vendors' packages read.
fn refusal(status: StatusCode, code: &ErrorCode, message: &str) -> Response<Body> {
    let body = json!({ "error": { "message": message, "type": "plait", "code": code } }).to_string();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Packages ask again after errors of servers, which would not help here.
    response.headers_mut().insert("x-should-retry", HeaderValue::from_static("false"));
    response
}

/// The response as it arrives. Each part is kept for the log when it is passed on.
fn respond(
    ending: Ending,
    status: u16,
    media_type: &str,
    headers: Option<&HeaderMap>,
    chunks: impl Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static,
) -> Response<Body> {
    let shared = Arc::clone(&ending.shared);
    let (id, at) = (ending.id, shared.clock.now_ms());
    shared.log.add(Line::Response { id, at, status, content_type: media_type.to_owned() });
    let length = headers.and_then(|headers| headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok());
    let mut logged = LoggedStream { chunks: Box::pin(chunks), left: length, ending: Some(ending) };
    logged.end_if_whole();
    let body = Body::from_stream(logged);
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    for (name, value) in headers.into_iter().flatten() {
        if !OWN_HEADERS.contains(name) || name == header::CONTENT_LENGTH {
            response.headers_mut().append(name, value.clone());
        }
    }
    if headers.is_none()
        && let Ok(value) = HeaderValue::from_str(media_type)
    {
        response.headers_mut().insert(header::CONTENT_TYPE, value);
    }
    response
}

struct LoggedStream<S> {
    chunks: Pin<Box<S>>,
    /// How many bytes are to come, if the response says. Nobody waits for the end of a stream of a known length.
    left: Option<u64>,
    /// Gone once the stream has ended. Dropped before, the program has gone.
    ending: Option<Ending>,
}

impl<S> LoggedStream<S> {
    fn end_if_whole(&mut self) {
        if self.left == Some(0)
            && let Some(ending) = self.ending.take()
        {
            ending.end(None);
        }
    }
}

impl<S: Stream<Item = Result<Bytes, std::io::Error>>> Stream for LoggedStream<S> {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = std::task::ready!(self.chunks.as_mut().poll_next(context));
        match (&next, &self.ending) {
            (Some(Ok(bytes)), Some(ending)) => {
                ending.shared.keep_chunk(ending.id, bytes);
                let length = bytes.len() as u64;
                self.left = self.left.map(|left| left.saturating_sub(length));
                self.end_if_whole();
            }
            (Some(Err(error)), _) => {
                let why = innermost(error);
                if let Some(ending) = self.ending.take() {
                    ending.end(Some(why));
                }
            }
            (None, _) => {
                if let Some(ending) = self.ending.take() {
                    ending.end(None);
                }
            }
            _ => {}
        }
        Poll::Ready(next)
    }
}

impl Shared {
    /// Keys that the program sends are not written where a body repeats them.
    fn learn_keys(&self, upstream: &str, headers: &HeaderMap) {
        for value in KEY_HEADERS.iter().filter_map(|name| headers.get(*name)?.to_str().ok()) {
            self.redaction.add_sent_key(upstream, value.strip_prefix("Bearer ").unwrap_or(value));
        }
    }

    fn keep_chunk(&self, id: u64, bytes: &[u8]) {
        let at = self.clock.now_ms();
        if let Some(chunks) = self.open.lock().get_mut(&id) {
            chunks.push((at, bytes.to_vec()));
        }
    }

    /// Logs a response with its end, once: a secret may be cut by the boundary of two chunks, so that only the whole can be redacted.
    fn end(&self, id: u64, failure: Option<String>) {
        let Some(mut chunks) = self.open.lock().remove(&id) else { return };
        let ended = self.clock.now_ms();
        response_secrets::redact(&self.redaction, &mut chunks);
        for (at, bytes) in chunks {
            self.log.add(Line::Chunk { id, at, data: Data::of(&bytes) });
        }
        self.log.add(Line::End { id, at: ended, failure });
    }

    fn redacted(&self, bytes: &[u8]) -> Data {
        match Data::of(bytes) {
            Data::Text(text) => Data::Text(self.redaction.text(&text).into_owned()),
            other @ Data::Base64(_) => other,
        }
    }
}
