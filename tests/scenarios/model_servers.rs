//! Model servers that are unreachable, slow or faulty: the node fails with a code, retries if that can help, and leaves the
//! history unchanged.

use std::time::Duration;

use plait_api::keys::KeyStore;
use plait_api::{Options, Plait, dispatch};
use plait_core::id::RunId;
use plait_journal::{Event, NodeEvent, RunEvent, Spending};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::flow;
use crate::support::journal::Journal;
use crate::support::provider::{assistant, user};
use crate::support::server::{ModelServer, ServerReply};

const QUESTION: &str = "Are you there?";

/// Runs a flow of one call against a server at `url`.
async fn one_call(url: &str) -> Journal {
    one_call_with(url, json!({})).await
}

/// Like [`one_call`], with these timeouts. A test of what a server says has none: a busy machine must not end its calls.
async fn one_call_with(url: &str, timeouts: Value) -> Journal {
    let home = TempDir::new().unwrap();
    let mut options = Options::new(home.path(), plait_app::parts());
    options.keys = Some(KeyStore::in_memory());
    let app = Plait::open(options).unwrap();
    let mut settings = dispatch(&app, "settings.get", json!({})).await.unwrap();
    settings["providers"]["openai"] = timeouts;
    settings["providers"]["openai"]["kind"] = json!("openAi");
    settings["providers"]["openai"]["baseUrl"] = json!(url);
    dispatch(&app, "settings.set", json!({ "settings": settings })).await.unwrap();
    let started = dispatch(&app, "run.start", json!({ "flow": flow("one-call") })).await.unwrap();
    let run = RunId::from(started["run"].as_str().unwrap());
    let mut watch = app.runs().watch(&run, 0).await.unwrap();
    let mut entries = Vec::new();
    while let Some(entry) = watch.next().await {
        entries.extend(Some(entry.unwrap()).filter(|entry| entry.seq.is_some()));
    }
    app.close().await.unwrap();
    Journal(entries)
}

fn retries(journal: &Journal) -> Vec<String> {
    journal
        .events()
        .filter_map(|event| match event {
            Event::Node(_, NodeEvent::Retrying { error, .. }) => Some(error.code.to_string()),
            _ => None,
        })
        .collect()
}

/// Asserts that the node failed with `code` after `tries` attempts and changed nothing.
fn assert_failed(journal: &Journal, code: &str, tries: usize) {
    assert_eq!(journal.fault("chat"), code);
    assert_eq!(retries(journal), vec![code; tries - 1]);
    assert_eq!(journal.history("main"), [], "a failed turn leaves no messages");
    assert_eq!(journal.output("saved", "result"), json!("nothing"), "the error went out on its port");
    let caught = journal.output("saved", "caught");
    assert_eq!((&caught["code"], &caught["node"]), (&json!(code), &json!("chat")));
    assert!(matches!(journal.0.last().unwrap().event, Event::Run(RunEvent::Finished { .. })));
}

/// Asserts that the node succeeded after these failures and that its turn is in the history once.
fn assert_answered(journal: &Journal, text: &str, failed: &[&str]) {
    assert_eq!(retries(journal), failed);
    assert_eq!(journal.history("main"), [user(QUESTION), assistant(text)]);
    assert_eq!(journal.output("out", "value"), json!(text));
}

#[tokio::test]
async fn unreachable_server_is_retried_then_fails() {
    // A free port without a listener.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    assert_failed(&one_call(&url).await, "provider.unreachable", 3);
}

#[tokio::test]
async fn slow_stream_succeeds() {
    let pause = Duration::from_millis(300);
    let server = ModelServer::start(move |_, _| ServerReply::Slow(pause, "Yes I am".into())).await;
    // Six pauses: each is shorter than this and the whole reply is longer.
    let journal = one_call_with(&server.url, json!({ "readTimeoutMs": 1_500 })).await;
    assert_answered(&journal, "Yes I am", &[]);
}

#[tokio::test]
async fn silent_server_times_out() {
    let server = ModelServer::start(|_, _| ServerReply::NoResponse).await;
    let journal = one_call_with(&server.url, json!({ "readTimeoutMs": 400 })).await;
    assert_failed(&journal, "provider.timeout", 3);
    assert_eq!(server.calls().len(), 3);
}

#[tokio::test]
async fn client_errors_are_not_retried() {
    for (status, code) in
        [(400, "provider.bad_request"), (401, "provider.unauthorized"), (404, "provider.not_found")]
    {
        let error = json!({ "error": { "message": "No.", "type": "some_error" } });
        let server = ModelServer::start(move |_, _| ServerReply::Status(status, error.clone())).await;
        let journal = one_call(&server.url).await;
        assert_failed(&journal, code, 1);
        assert_eq!(server.calls().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn transient_errors_are_retried() {
    for (status, code) in
        [(429, "provider.rate_limited"), (500, "provider.server_error"), (503, "provider.server_error")]
    {
        let server = ModelServer::start(move |_, before| match before {
            0 | 1 => ServerReply::Status(status, json!({ "error": { "message": "Not now." } })),
            _ => ServerReply::Text("Now I am.".into()),
        })
        .await;
        let journal = one_call(&server.url).await;
        assert_answered(&journal, "Now I am.", &[code, code]);
        let bodies: Vec<Value> = server.calls();
        assert!(bodies.iter().all(|body| *body == bodies[0]), "each attempt sends the same request");
    }
}

#[tokio::test]
async fn truncated_reply_is_retried_then_fails() {
    let server = ModelServer::start(|_, before| match before {
        0 => ServerReply::Truncated("Yes I am quite".into()),
        _ => ServerReply::Text("Yes.".into()),
    })
    .await;
    assert_answered(&one_call(&server.url).await, "Yes.", &["provider.cut_short"]);
    let server = ModelServer::start(|_, _| ServerReply::Truncated("Yes I am quite".into())).await;
    assert_failed(&one_call(&server.url).await, "provider.cut_short", 3);
}

#[tokio::test]
async fn invalid_stream_is_not_retried() {
    let server = ModelServer::start(|_, _| ServerReply::InvalidStream).await;
    assert_failed(&one_call(&server.url).await, "provider.invalid_response", 1);
}

/// A call that failed half-way may be on the bill. Its cost is unknown, so it is not $0.
#[tokio::test]
async fn failed_calls_that_may_be_billed_have_no_known_cost() {
    let spent = |journal: &Journal| journal.events().filter_map(Spending::of).sum::<Spending>().cost;
    let cut = ModelServer::start(|_, _| ServerReply::Truncated("Yes I".into())).await;
    let cost = spent(&one_call(&cut.url).await);
    assert_eq!((cost.unpriced, cost.to_string().as_str()), (3, "—"), "three attempts");
    let refusing =
        ModelServer::start(|_, _| ServerReply::Status(401, json!({"error": {"message": "no"}}))).await;
    let cost = spent(&one_call(&refusing.url).await);
    assert_eq!((cost.unpriced, cost.to_string().as_str()), (0, "$0"), "refused before a model saw it");
}
