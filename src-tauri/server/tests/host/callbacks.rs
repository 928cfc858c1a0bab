//! Callbacks: an address is told how a run stands, also by a host that was killed meanwhile, and can check who told it.

use std::sync::Arc;

use aws_lc_rs::hmac;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::cluster::{Cluster, until};
use crate::process::{Data, Host, ask_flow, chat_flow};
use crate::server::{ModelServer, ServerReply};

/// What an address was told.
#[derive(Clone)]
struct Told {
    headers: HeaderMap,
    body: String,
}

impl Told {
    fn state(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// How many a receiver still refuses, and what it was told.
type Shared = Arc<Mutex<(usize, Vec<Told>)>>;

/// A server that is told things. It refuses as many as it should first.
struct Receiver {
    url: String,
    told: Shared,
}

impl Receiver {
    async fn start(refuses: usize) -> Self {
        let told = Arc::new(Mutex::new((refuses, Vec::new())));
        let take = async |State(told): State<Shared>, headers: HeaderMap, body: String| {
            let mut told = told.lock();
            told.1.push(Told { headers, body });
            if told.0 == 0 {
                return StatusCode::NO_CONTENT;
            }
            told.0 -= 1;
            StatusCode::BAD_GATEWAY
        };
        let router = Router::new().route("/told", post(take)).with_state(Arc::clone(&told));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/told", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, told }
    }

    /// All that it was told, once that is so much.
    async fn told(&self, count: usize) -> Vec<Told> {
        until(|| self.told.lock().1.len() >= count).await;
        self.told.lock().1.clone()
    }
}

/// Lets a host reach this machine, as its administrator does.
async fn allow_this_machine(host: &Host<'_>) {
    host.command("settings.change", json!({ "patch": { "tools": { "allowedHosts": ["127.0.0.1"] } } })).await;
}

async fn answer(host: &Host<'_>, asked: &Value) {
    let question = &asked["questions"][0];
    let answer =
        json!({ "run": asked["run"], "node": question["node"], "epoch": question["epoch"], "value": "Ann" });
    let (status, reply) = host.post("runner", "/commands/run.answer", answer).await;
    assert_eq!(status, 200, "{reply}");
}

#[tokio::test(flavor = "multi_thread")]
async fn address_is_told_of_the_question_and_of_the_end_although_the_host_was_killed() {
    let (data, receiver) = (Data::new(), Receiver::start(1).await);
    data.flow("ask.flow.json", &ask_flow());
    let host = data.serve();
    allow_this_machine(&host).await;
    host.publish(&["ask"]).await;
    let (status, begun) = host.post("runner", "/flows/ask/runs", json!({ "callback": receiver.url })).await;
    assert_eq!((status.as_u16(), &begun["status"]), (202, &json!("running")), "{begun}");
    // Refused once, so told again.
    let told = receiver.told(2).await;
    assert_eq!(told[0].body, told[1].body);
    let asked = told[1].state();
    assert_eq!((&asked["run"], &asked["status"]), (&begun["run"], &json!("waiting")));
    assert_eq!(asked["questions"][0]["prompt"], "Who?");
    drop(host);
    let host = data.serve();
    answer(&host, &asked).await;
    let told = receiver.told(3).await;
    let ended = told.last().unwrap();
    assert_eq!(
        (&ended.state()["status"], &ended.state()["outputs"]["out"]["value"]),
        (&json!("finished"), &json!("Ann"))
    );
    assert_eq!(ended.headers["plait-run"], begun["run"].as_str().unwrap());
    // The receiver knows the secret.
    let secret = data.execute(&["callback-secret"]);
    let signature = ended.headers["plait-signature"].to_str().unwrap();
    let (at, signed) = signature.strip_prefix("t=").unwrap().split_once(",v1=").unwrap();
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signed: Vec<u8> =
        (0..signed.len()).step_by(2).map(|at| u8::from_str_radix(&signed[at..at + 2], 16).unwrap()).collect();
    hmac::verify(&key, format!("{at}.{}", ended.body).as_bytes(), &signed).unwrap();
    // Nothing is left to be told.
    let folder = data.path().join("host/callbacks");
    until(|| std::fs::read_dir(&folder).unwrap().next().is_none()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn address_is_told_of_a_run_that_a_worker_drives() {
    let (cluster, receiver) = (Cluster::new(), Receiver::start(0).await);
    let (host, _worker) = (cluster.host(), cluster.worker());
    allow_this_machine(&host).await;
    cluster.publish("ask", &ask_flow());
    let (status, begun) = host.post("runner", "/flows/ask/runs", json!({ "callback": receiver.url })).await;
    assert_eq!(status, 202, "{begun}");
    let asked = receiver.told(1).await[0].state();
    assert_eq!((&asked["run"], &asked["status"]), (&begun["run"], &json!("waiting")));
    answer(&host, &asked).await;
    let told = receiver.told(2).await;
    assert_eq!(told[1].state()["outputs"]["out"]["value"], "Ann");
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_are_not_public_are_refused_and_a_failure_is_told() {
    let model = ModelServer::start(|_, _| ServerReply::Status(400, json!({}))).await;
    let (data, receiver) = (Data::new(), Receiver::start(0).await);
    data.flow("help.flow.json", &chat_flow());
    let host = data.serve();
    host.set_provider(&model.url).await;
    host.publish(&["help"]).await;
    for url in [receiver.url.as_str(), "http://169.254.169.254/", "ftp://example.com/", "nowhere"] {
        let (status, refused) =
            host.post("runner", "/flows/help/runs", json!({ "callback": url, "input": "Hi" })).await;
        assert_eq!(
            (status.as_u16(), &refused["error"]["code"]),
            (422, &json!("host.callback")),
            "{url}: {refused}"
        );
    }
    let (_, runs) = host.get("viewer", "/runs").await;
    assert_eq!(runs["runs"], json!([]), "none was begun");
    allow_this_machine(&host).await;
    let run = json!({ "callback": receiver.url, "input": "Hi" });
    assert_eq!(host.post("runner", "/flows/help/runs", run).await.0, 202);
    assert_eq!(receiver.told(1).await[0].state()["status"], "failed");
}
