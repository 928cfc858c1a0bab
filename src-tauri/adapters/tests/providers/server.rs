//! A scripted server that records its requests.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use futures::StreamExt as _;
use plait_adapters::providers::ProviderKind;
use plait_adapters::{ProviderRegistry, ProviderSettings};
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch};
use plait_llm::provider::{Chunk, ModelReply, ModelRequest, Provider, Providers as _};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

use crate::recorded_requests;

#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) steps: Vec<Step>,
}

/// A step of sending an answer.
#[derive(Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    Disconnect,
}

impl Answer {
    pub(crate) fn events(steps: Vec<Step>) -> Self {
        Self { status: 200, headers: vec![("content-type", "text/event-stream".into())], steps }
    }

    pub(crate) fn lines(steps: Vec<Step>) -> Self {
        Self { headers: vec![("content-type", "application/x-ndjson".into())], ..Self::events(steps) }
    }

    pub(crate) fn stream(bytes: impl Into<Vec<u8>>) -> Self {
        Self::events(vec![Step::Send(bytes.into())])
    }

    pub(crate) fn json(status: u16, body: &str) -> Self {
        let headers = vec![("content-type", "application/json; charset=utf-8".into())];
        Self { status, headers, steps: vec![Step::Send(body.into())] }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// The recorded requests.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

struct ServerState {
    answers: Mutex<VecDeque<Answer>>,
    received: Mutex<Vec<ReceivedRequest>>,
    closed: mpsc::UnboundedSender<()>,
}

/// The server; it guard when it is dropped.
pub(crate) struct Server {
    shared: Arc<ServerState>,
    /// Scheme, host and port of the URL.
    pub(crate) origin: String,
    closed: mpsc::UnboundedReceiver<()>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Gives these answers in order, and repeats the last one.
    pub(crate) async fn with_answers(answers: impl IntoIterator<Item = Answer>) -> Self {
        let (sender, closed) = mpsc::unbounded_channel();
        let shared = Arc::new(ServerState {
            answers: Mutex::new(answers.into_iter().collect()),
            received: Mutex::default(),
            closed: sender,
        });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let root = format!("http://{}", listener.local_addr().expect("address"));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("served") });
        Self { shared, origin: root, closed, task }
    }

    pub(crate) fn received(&self) -> Vec<ReceivedRequest> {
        self.shared.received.lock().expect("lock").clone()
    }

    /// Resolves when the client has closed an answer before its end.
    pub(crate) async fn closed(&mut self) {
        self.closed.recv().await.expect("closed");
    }

    pub(crate) fn settings(&self, kind: ProviderKind) -> ProviderSettings {
        settings(kind, &self.origin)
    }

    pub(crate) fn provider(&self, kind: ProviderKind) -> Arc<dyn Provider> {
        provider(self.settings(kind))
    }
}

/// The settings of a provider at `root`, with the usual path of its protocol.
pub(crate) fn settings(kind: ProviderKind, root: &str) -> ProviderSettings {
    let path = match kind {
        ProviderKind::Offline
        | ProviderKind::Ollama
        | ProviderKind::Anthropic
        | ProviderKind::Gemini
        | ProviderKind::GeminiInteractions => "",
        ProviderKind::OpenAi | ProviderKind::OpenAiResponses => "/v1",
    };
    ProviderSettings { base_url: Some(format!("{root}{path}")), ..ProviderSettings::of(kind) }
}

pub(crate) fn provider(settings: ProviderSettings) -> Arc<dyn Provider> {
    let table = ProviderRegistry::new(&[("test".to_owned(), settings)].into()).expect("made");
    table.get("test").expect("there")
}

/// Sends a message if it is dropped before the answer is complete.
struct CloseGuard(Option<mpsc::UnboundedSender<()>>);

impl Drop for CloseGuard {
    fn drop(&mut self) {
        if let Some(sender) = self.0.take() {
            let _ = sender.send(());
        }
    }
}

async fn answer(State(shared): State<Arc<ServerState>>, request: Request) -> Result<Response, Infallible> {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.expect("read");
    let headers = parts
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().expect("text").to_owned()));
    let request = ReceivedRequest {
        line: format!("{} {}", parts.method, parts.uri),
        headers: headers.collect(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    if request.body.is_object() {
        recorded_requests::record(&request.line, &request.body);
    }
    shared.received.lock().expect("lock").push(request);
    let answer = {
        let mut answers = shared.answers.lock().expect("lock");
        if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }.expect("an answer")
    };
    let guard = CloseGuard(Some(shared.closed.clone()));
    let pieces = futures::stream::iter(answer.steps).filter_map(|step| async {
        match step {
            Step::Send(bytes) => Some(Ok(bytes)),
            Step::Wait(duration) => {
                tokio::time::sleep(duration).await;
                None
            }
            Step::Disconnect => Some(Err(std::io::Error::other("cut"))),
        }
    });
    let end = futures::stream::once(async { None });
    let whole = pieces.map(Some).chain(end).scan(guard, |guard, piece| {
        if piece.is_none() {
            guard.0 = None;
        }
        std::future::ready(piece)
    });
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    Ok(response.body(Body::from_stream(whole)).expect("a response"))
}

pub(crate) fn request() -> ModelRequest {
    ModelRequest {
        activation: Activation { node: "chat".into(), epoch: Epoch::root() },
        attempt: 1,
        model: "tiny".into(),
        system: None,
        messages: Vec::new(),
        tools: Vec::new(),
        temperature: None,
        max_tokens: None,
        window: None,
        response_schema: None,
        session: None,
        options: Value::Null,
    }
}

pub(crate) async fn call(
    provider: &dyn Provider,
    request: ModelRequest,
) -> (Result<ModelReply, Fault>, Vec<Chunk>) {
    let mut chunks = Vec::new();
    let reply = provider.call(request, &mut |chunk| chunks.push(chunk)).await;
    (reply, chunks)
}

pub(crate) async fn call_once(kind: ProviderKind, answer: Answer) -> Result<ModelReply, Fault> {
    let server = Server::with_answers([answer]).await;
    call(&*server.provider(kind), request()).await.0
}

pub(crate) async fn reply_to(kind: ProviderKind, answer: Answer) -> (ModelReply, Vec<Chunk>) {
    let server = Server::with_answers([answer]).await;
    let (reply, chunks) = call(&*server.provider(kind), request()).await;
    (reply.expect("a reply"), chunks)
}

/// The fault caused by `answer`. Asserts that it names the server and has a hint.
pub(crate) async fn fault(kind: ProviderKind, answer: Answer) -> Fault {
    let fault = call_once(kind, answer).await.expect_err("a fault");
    let place = "http://127.0.0.1:";
    assert!(fault.message.contains(place) && fault.message.contains("`tiny`"), "says where: {fault}");
    assert!(fault.hint.is_some(), "says what to do: {fault}");
    fault
}

/// The fault if a server sends `bytes` and closes the connection.
pub(crate) async fn fault_for_raw_bytes(kind: ProviderKind, bytes: &[u8]) -> Fault {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let provider = provider(settings(kind, &format!("http://{}", listener.local_addr().expect("address"))));
    let serve = async {
        let (mut socket, _) = listener.accept().await.expect("accepted");
        let mut received = [0; 4096];
        let _ = socket.read(&mut received).await.expect("read");
        socket.write_all(bytes).await.expect("written");
        socket.shutdown().await.expect("closed");
    };
    let (outcome, ()) = tokio::join!(call(&*provider, request()), serve);
    outcome.0.expect_err("a fault")
}

/// The text of a stream of events, each of them unnamed.
pub(crate) fn events(events: &[Value]) -> String {
    events.iter().flat_map(|event| ["data: ".to_owned(), event.to_string(), "\n\n".to_owned()]).collect()
}
