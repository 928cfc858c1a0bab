//! Runs that Restate hands to workers.

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::cluster::{Cluster, Worker, two_chats, until};
use crate::process::{Host, JsonBody as _, Version, ask_flow, chat_flow, command, interrupted_model, read};
use crate::restate_server::{Balancer, Restate};
use crate::server::{ModelServer, ServerReply};

/// A node of Restate beside a database and its first host.
struct WithRestate {
    restate: Restate,
    cluster: Cluster,
}

impl WithRestate {
    async fn start() -> Self {
        Self { restate: Restate::start(1).await, cluster: Cluster::new() }
    }

    fn host(&self) -> Host<'_> {
        let ingress = self.restate.ingress().join(",");
        let data = &self.cluster.data;
        data.serve_as(&[
            "--listen",
            "127.0.0.1:0",
            "--database",
            &self.cluster.database,
            "--restate",
            &ingress,
        ])
    }

    fn worker(&self, args: &[&str]) -> Worker {
        self.worker_of(&Version::current(), args)
    }

    fn worker_of(&self, version: &Version, args: &[&str]) -> Worker {
        let (settings, database) = (self.cluster.data.path(), &self.cluster.database);
        let args = &[&["--lease", "1"], args].concat();
        Worker::start_for_restate(version, settings, database, &self.restate.key(), args)
    }
}

fn address(worker: &Worker) -> String {
    worker.restate.clone().unwrap()
}

async fn begin(host: &Host<'_>, flow: &str) -> Value {
    let (status, state) = host.post("runner", &format!("/flows/{flow}/runs"), json!({})).await;
    assert_eq!((status.as_u16(), &state["status"]), (202, &json!("waiting")), "{state}");
    state
}

#[tokio::test(flavor = "multi_thread")]
async fn run_that_waits_holds_no_invocation_and_goes_on_with_the_next_deployment() {
    let with = WithRestate::start().await;
    let (host, worker) = (with.host(), with.worker(&[]));
    with.restate.register(&address(&worker)).await;
    with.cluster.publish("ask", &ask_flow());
    let asked = [begin(&host, "ask").await, begin(&host, "ask").await];
    with.restate.rests().await;
    assert_eq!(worker.journals(), 0, "no worker has them");
    assert_eq!(host.output_for(&asked[0], "Ann").await, "Ann");
    // An upgrade: other workers at another address.
    let next = with.worker(&[]);
    with.restate.register(&address(&next)).await;
    worker.end();
    assert_eq!(host.output_for(&asked[1], "Ann").await, "Ann");
    with.restate.rests().await;
    next.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_while_restate_is_away_is_done_when_it_is_back() {
    let mut with = WithRestate::start().await;
    let worker = with.worker(&[]);
    with.restate.register(&address(&worker)).await;
    with.cluster.publish("ask", &ask_flow());
    with.restate.kill(0);
    let ingress = with.restate.ingress().join(",");
    let cluster = &with.cluster;
    let host = cluster.data.serve_as(&[
        "--listen",
        "127.0.0.1:0",
        "--database",
        &cluster.database,
        "--restate",
        &ingress,
    ]);
    assert_eq!(host.get("viewer", "/readyz").await.1, json!({ "status": "ready", "restate": "there" }));
    let request = host.request("runner", Method::POST, "/flows/ask/runs").json_body(&json!({}));
    let begun = tokio::spawn(request.send());
    while host.get("viewer", "/readyz").await.1["restate"] != "away" {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(host.get("viewer", "/readyz").await.0, 200, "requests are stored");
    with.restate.restart(0).await;
    let (_, state) = read(begun.await.unwrap().unwrap()).await;
    assert_eq!(host.output_for(&state, "Ann").await, "Ann");
    assert_eq!(host.get("viewer", "/readyz").await.1["restate"], "there");
}

/// Begins a run of two chats on one worker, which `stop` gets amid the second call, and lets another one go on.
async fn move_amid_a_call(stop: impl FnOnce(Worker)) {
    let (with, model, balancer) =
        (WithRestate::start().await, interrupted_model().await, Balancer::start().await);
    let host = with.host();
    host.set_provider(&model.url).await;
    with.cluster.publish("two", &two_chats());
    let first = with.worker(&[]);
    balancer.set([address(&first)]);
    with.restate.register(&balancer.url).await;
    let request =
        host.request("runner", Method::POST, "/flows/two/runs").json_body(&json!({ "input": "Go" }));
    let waiting = tokio::spawn(request.send());
    until(|| model.calls().len() == 2).await;
    let second = with.worker(&[]);
    balancer.set([address(&first), address(&second)]);
    stop(first);
    let (status, state) = read(waiting.await.unwrap().unwrap()).await;
    assert_eq!((status.as_u16(), &state["status"]), (200, &json!("finished")), "{state}");
    assert_eq!(state["outputs"]["second"]["response"], "second");
    assert_eq!(model.calls().len(), 3, "the first reply was bought once");
    with.restate.rests().await;
    second.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_worker_is_followed_by_another_that_restate_asks() {
    // SIGKILL.
    move_amid_a_call(drop).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn worker_that_is_asked_to_end_is_followed_by_another_that_restate_asks() {
    move_amid_a_call(|worker| tokio::task::block_in_place(|| worker.end())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_beyond_the_places_of_a_worker_are_driven_by_another() {
    let (with, balancer) = (WithRestate::start().await, Balancer::start().await);
    let model = ModelServer::start(|_, _| ServerReply::NoResponse).await;
    let host = with.host();
    host.set_provider(&model.url).await;
    with.cluster.publish("chat", &chat_flow());
    let workers = [with.worker(&["--max-runs", "1"]), with.worker(&["--max-runs", "1"])];
    balancer.set(workers.iter().map(address));
    with.restate.register(&balancer.url).await;
    for (input, calls) in [("First", 1), ("Second", 2)] {
        let request =
            host.request("runner", Method::POST, "/flows/chat/runs").json_body(&json!({ "input": input }));
        tokio::spawn(request.send());
        // One after the other: Restate learns with its first request how many a connection takes, and lets others wait there before.
        until(|| model.calls().len() == calls).await;
    }
    assert_eq!(workers.each_ref().map(Worker::journals), [1, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn run_that_an_older_worker_refuses_is_asked_of_a_newer_one() {
    let (with, balancer) = (WithRestate::start().await, Balancer::start().await);
    let host = with.host();
    with.cluster.publish("ask", &ask_flow());
    let newer = || with.worker_of(&Version::next(), &[]);
    let first = newer();
    balancer.set([address(&first)]);
    with.restate.register(&balancer.url).await;
    let of_newer = begin(&host, "ask").await;
    with.restate.rests().await;
    first.end();
    let older = with.worker(&[]);
    balancer.set([address(&older)]);
    // Restate keeps the connection over which it asked for this one.
    let of_older = begin(&host, "ask").await;
    with.restate.rests().await;
    let newer = newer();
    balancer.set([address(&older), address(&newer)]);
    let before = balancer.connections();
    assert_eq!(host.output_for(&of_newer, "Ann").await, "Ann");
    let opened = balancer.connections() - before;
    assert!((1..10).contains(&opened), "{opened} connections were opened");
    assert_eq!(older.journals(), 0, "it is left alone");
    assert_eq!(host.output_for(&of_older, "Bob").await, "Bob");
    with.restate.rests().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn worker_does_what_restate_has_signed_alone() {
    let with = WithRestate::start().await;
    let worker = with.worker(&[]);
    let discover = format!("{}/discover", address(&worker));
    let client = Client::builder().http2_prior_knowledge().build().unwrap();
    assert_eq!(client.get(&discover).send().await.unwrap().status(), 401);
    let refused = |args: &[&str]| {
        let args = [&["worker", "--database", &with.cluster.database, "--restate-listen"], args].concat();
        let home = tempfile::tempdir().unwrap();
        String::from_utf8(command(home.path(), &args).output().unwrap().stderr).unwrap()
    };
    // Others than this machine would reach it.
    assert!(refused(&["0.0.0.0:0"]).contains("host.address"));
    assert!(refused(&["127.0.0.1:0", "--restate-key", "nothing"]).contains("host.restate_key"));
}
