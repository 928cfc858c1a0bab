//! Callbacks: how a run stands is reported to an address, also by a host that was killed meanwhile, and the receiver can check who wrote it.

use std::sync::Arc;
use std::time::Duration;

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

/// A report that an address got.
#[derive(Clone)]
struct Report {
    headers: HeaderMap,
    body: String,
}

impl Report {
    fn state(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// How many reports a receiver still refuses, and those that it got.
type Shared = Arc<Mutex<(usize, Vec<Report>)>>;

/// A server that gets reports. It refuses as many as it should first.
struct Receiver {
    url: String,
    shared: Shared,
}

impl Receiver {
    async fn start(refuses: usize) -> Self {
        let shared = Arc::new(Mutex::new((refuses, Vec::new())));
        let take = async |State(shared): State<Shared>, headers: HeaderMap, body: String| {
            let mut shared = shared.lock();
            shared.1.push(Report { headers, body });
            if shared.0 == 0 {
                return StatusCode::NO_CONTENT;
            }
            shared.0 -= 1;
            StatusCode::BAD_GATEWAY
        };
        let router = Router::new().route("/reports", post(take)).with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/reports", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, shared }
    }

    /// The first report with this status. There may be others before it: a host that was killed does not know what it reported last.
    async fn report_of(&self, status: &str) -> Report {
        loop {
            let found =
                self.shared.lock().1.iter().find(|report| report.state()["status"] == status).cloned();
            match found {
                Some(report) => return report,
                None => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    }

    /// All that it got, once they are so many.
    async fn reports(&self, count: usize) -> Vec<Report> {
        until(|| self.shared.lock().1.len() >= count).await;
        self.shared.lock().1.clone()
    }
}

/// Lets a host reach this machine, as its administrator does.
async fn allow_this_machine(host: &Host<'_>) {
    host.command("settings.change", json!({ "patch": { "tools": { "allowedHosts": ["127.0.0.1"] } } })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn question_and_end_are_reported_although_the_host_was_killed() {
    let (data, receiver) = (Data::new(), Receiver::start(1).await);
    data.flow("ask.flow.json", &ask_flow());
    let host = data.serve();
    allow_this_machine(&host).await;
    host.publish(&["ask"]).await;
    let (status, begun) = host.post("runner", "/flows/ask/runs", json!({ "callback": receiver.url })).await;
    assert_eq!((status.as_u16(), &begun["status"]), (202, &json!("running")), "{begun}");
    // Refused once, so sent again.
    let reports = receiver.reports(2).await;
    assert_eq!(reports[0].body, reports[1].body);
    let asked = reports[1].state();
    assert_eq!((&asked["run"], &asked["status"]), (&begun["run"], &json!("waiting")));
    assert_eq!(asked["questions"][0]["prompt"], "Who?");
    drop(host);
    // As if it had been killed while it noted what it had reported.
    let folder = data.path().join("host/callbacks");
    std::fs::write(folder.join(".left.tmp"), "{").unwrap();
    let host = data.serve();
    assert_eq!(host.answer(&asked, "Ann").await.0, 200);
    let ended = receiver.report_of("finished").await;
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
    // Nothing is left to be reported.
    until(|| std::fs::read_dir(&folder).unwrap().next().is_none()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn run_that_a_worker_drives_is_reported() {
    let (cluster, receiver) = (Cluster::new(), Receiver::start(0).await);
    let (host, _worker) = (cluster.host(), cluster.worker());
    allow_this_machine(&host).await;
    cluster.publish("ask", &ask_flow());
    let (status, begun) = host.post("runner", "/flows/ask/runs", json!({ "callback": receiver.url })).await;
    assert_eq!(status, 202, "{begun}");
    let asked = receiver.reports(1).await[0].state();
    assert_eq!((&asked["run"], &asked["status"]), (&begun["run"], &json!("waiting")));
    assert_eq!(host.answer(&asked, "Ann").await.0, 200);
    let reports = receiver.reports(2).await;
    assert_eq!(reports[1].state()["outputs"]["out"]["value"], "Ann");
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_are_not_public_are_refused_and_a_failure_is_reported() {
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
    assert_eq!(receiver.reports(1).await[0].state()["status"], "failed");
}
