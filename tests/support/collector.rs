//! A local OpenTelemetry collector: takes OTLP over HTTP and keeps the spans.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use parking_lot::Mutex;
use serde_json::{Value, json};

/// The collector. Dropping it stops it.
pub struct Collector {
    /// The endpoint, without a path.
    pub url: String,
    received: Arc<Mutex<Received>>,
    work: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct Received {
    spans: Vec<Value>,
    headers: Vec<HeaderMap>,
}

/// A span as it was received, with its attributes by name.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedSpan {
    pub name: String,
    pub id: String,
    pub trace: String,
    pub parent: Option<String>,
    pub attributes: BTreeMap<String, Value>,
    pub raw: Value,
}

impl Collector {
    pub async fn start() -> Self {
        let received: Arc<Mutex<Received>> = Arc::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().route("/v1/traces", post(collect)).with_state(Arc::clone(&received));
        let work = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, received, work }
    }

    pub fn spans(&self) -> Vec<ReceivedSpan> {
        let mut spans: Vec<ReceivedSpan> = self.received.lock().spans.iter().map(read_span).collect();
        spans.sort_by(|one, other| (&one.name, &one.id).cmp(&(&other.name, &other.id)));
        spans
    }

    /// The value of a header of the latest request.
    pub fn header(&self, name: &str) -> Option<String> {
        let received = self.received.lock();
        received.headers.last()?.get(name)?.to_str().ok().map(str::to_owned)
    }

    /// Forgets the received spans.
    pub fn clear(&self) {
        *self.received.lock() = Received::default();
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.work.abort();
    }
}

async fn collect(
    State(received): State<Arc<Mutex<Received>>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> (StatusCode, Json<Value>) {
    let mut received = received.lock();
    received.headers.push(headers);
    for resource in body["resourceSpans"].as_array().unwrap() {
        for scope in resource["scopeSpans"].as_array().unwrap() {
            received.spans.extend(scope["spans"].as_array().unwrap().iter().cloned());
        }
    }
    (StatusCode::OK, Json(json!({ "partialSuccess": {} })))
}

/// Attributes in the JSON form of OTLP: `{key, value: {stringValue | intValue | …}}`.
fn read_span(raw: &Value) -> ReceivedSpan {
    let text = |key: &str| raw[key].as_str().map(str::to_owned);
    let attributes = raw["attributes"].as_array().unwrap().iter().map(|attribute| {
        let value = attribute["value"].as_object().unwrap().values().next().unwrap().clone();
        (attribute["key"].as_str().unwrap().to_owned(), value)
    });
    ReceivedSpan {
        name: text("name").unwrap(),
        id: text("spanId").unwrap(),
        trace: text("traceId").unwrap(),
        parent: text("parentSpanId"),
        attributes: attributes.collect(),
        raw: raw.clone(),
    }
}
