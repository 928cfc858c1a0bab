//! Tenants of a host with a database: each has its own part of it, and workers drive the runs of all, or of those that they name.

use reqwest::Client;
use serde_json::json;

use crate::cluster::{Cluster, Worker};
use crate::process::{JsonBody as _, ask_flow, chat_flow, events};
use crate::server::{ModelServer, ServerReply};
use crate::tenants::{Tenant, fixed_flow};

const RUN: &str = "0192f3a0-0000-7000-8000-000000000002";

#[tokio::test]
async fn tenants_of_a_database_do_not_meet() {
    let model = ModelServer::start(|_, before| ServerReply::Text(format!("reply {before}"))).await;
    let cluster = Cluster::new();
    let tenants = ["acme", "bolt-2", "default"].map(|name| match name {
        "default" => Tenant::of(&cluster.data, name),
        name => Tenant::add(&cluster.data, name),
    });
    let host = cluster.host();
    for tenant in &tenants {
        tenant.set_provider(&host, &model.url).await;
        tenant.flow("same.flow.json", &fixed_flow(tenant.name));
        tenant.flow("ask.flow.json", &ask_flow());
        tenant.flow("help.flow.json", &chat_flow());
        for name in ["same", "ask", "help"] {
            tenant.publish(&host, name).await;
        }
    }
    let worker = cluster.worker();
    for tenant in &tenants {
        let (status, state) = tenant.post(&host, "/flows/same/runs", json!({ "run": RUN })).await;
        assert_eq!((status.as_u16(), &state["outputs"]["out"]["value"]), (200, &json!(tenant.name)));
    }
    for tenant in &tenants {
        let (_, board) = tenant.get(&host, "/runs").await;
        assert_eq!(board["runs"].as_array().unwrap().len(), 1, "{board}");
        let (_, state) = tenant.get(&host, &format!("/runs/{RUN}")).await;
        assert_eq!(state["outputs"]["out"]["value"], tenant.name);
        let stream = Client::new().get(format!("{}/runs/{RUN}/events", host.url)).bearer_auth(&tenant.token);
        let streamed = events(stream.send().await.unwrap()).await;
        let flow = streamed[0].2.to_string();
        assert!(flow.contains(&format!("Flow of {}", tenant.name)), "{flow}");
    }

    // What one bought is not another one's.
    let [acme, bolt, _] = &tenants;
    let chat = json!({ "input": "Hi", "replies": "any" });
    let reply = async |tenant: &Tenant| {
        let (_, state) = tenant.post(&host, "/flows/help/runs", chat.clone()).await;
        state["outputs"]["chat"]["response"].clone()
    };
    assert_eq!(reply(acme).await, "reply 0");
    assert_eq!(reply(acme).await, "reply 0");
    assert_eq!(reply(bolt).await, "reply 1");
    let flow = json!({ "flow": { "name": "Helper", "path": "help.flow.json" } });
    let opened = acme.command(&host, "conversations.open", flow).await;
    let theirs = json!({ "input": "Hi", "conversation": opened["id"] });
    assert_eq!(bolt.post(&host, "/flows/help/runs", theirs.clone()).await.0, 404);
    assert_eq!(acme.post(&host, "/flows/help/runs", theirs).await.0, 200);

    // Questions, too.
    let (_, asked) = acme.post(&host, "/flows/ask/runs", json!({})).await;
    let run = asked["run"].as_str().unwrap();
    let question = &asked["questions"][0];
    let answer = json!({ "run": run, "node": question["node"], "epoch": question["epoch"], "value": "Ann" });
    let (_, board) = bolt.get(&host, "/runs?status=waiting").await;
    assert_eq!(board, json!({ "runs": [] }));
    for command in ["run.answer", "run.cancel", "runs.remove", "runs.show", "run.resume"] {
        let (status, body) = bolt.post(&host, &format!("/commands/{command}"), answer.clone()).await;
        assert_eq!((status.as_u16(), &body["error"]["code"]), (404, &json!("run.unknown")), "{command}");
    }
    acme.command(&host, "run.answer", answer).await;
    let (_, state) = acme.get(&host, &format!("/runs/{run}?wait=60")).await;
    assert_eq!(state["outputs"]["out"]["value"], "Ann");
    acme.command(&host, "runs.remove", json!({ "run": RUN })).await;
    assert_eq!(acme.get(&host, &format!("/runs/{RUN}")).await.0, 404);
    assert_eq!(bolt.get(&host, &format!("/runs/{RUN}")).await.0, 200);
    worker.end();
}

#[tokio::test]
async fn worker_drives_the_runs_of_the_tenants_that_it_names() {
    let cluster = Cluster::new();
    let [acme, bolt] = ["acme", "bolt"].map(|name| Tenant::add(&cluster.data, name));
    let host = cluster.host();
    for tenant in [&acme, &bolt] {
        tenant.flow("same.flow.json", &fixed_flow(tenant.name));
        tenant.publish(&host, "same").await;
    }
    let worker_of = |name| {
        Worker::start_with(cluster.data.path(), &cluster.database, &["--lease", "1", "--tenant", name])
    };
    let _of_acme = worker_of("acme");
    let request = Client::new().post(format!("{}/flows/same/runs", host.url)).bearer_auth(&bolt.token);
    let begun = tokio::spawn(request.json_body(&json!({})).send());
    while bolt.get(&host, "/runs").await.1["runs"].as_array().unwrap().is_empty() {}
    assert_eq!(acme.post(&host, "/flows/same/runs", json!({})).await.0, 200);
    assert!(!begun.is_finished(), "the worker of another tenant drives it");
    let _of_bolt = worker_of("bolt");
    assert_eq!(begun.await.unwrap().unwrap().status(), 200);
}
