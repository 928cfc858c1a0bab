//! Published flows that begin by the clock.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cluster::{Cluster, copy_host};
use crate::process::{Data, Host, ask_flow, chat_flow};

const EACH_SECOND: &str = "* * * * * *";

async fn schedule(host: &Host<'_>, name: &str, schedule: Value) -> (u16, Value) {
    let args = json!({ "name": name, "schedule": schedule });
    let (status, reply) = host.post("editor", "/commands/published.schedule", args).await;
    (status.as_u16(), reply)
}

/// The ids of the runs, once there are so many.
async fn runs(host: &Host<'_>, count: usize) -> Vec<String> {
    loop {
        let (_, board) = host.get("viewer", "/runs?limit=200").await;
        let runs = board["runs"].as_array().unwrap();
        if runs.len() >= count {
            return runs.iter().map(|run| run["run"].as_str().unwrap().to_owned()).collect();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn flow_begins_each_second_until_its_schedule_ends() {
    let data = Data::new();
    for (name, flow) in [("ask", ask_flow()), ("help", chat_flow())] {
        data.flow(&format!("{name}.flow.json"), &flow);
    }
    let host = data.serve();
    host.publish(&["ask", "help"]).await;
    let (status, next) =
        schedule(&host, "ask", json!({ "cron": EACH_SECOND, "timezone": "Europe/Paris" })).await;
    assert_eq!((status, next.is_string()), (200, true), "{next}");
    let (_, listed) = host.post("viewer", "/commands/published.list", json!({})).await;
    assert_eq!((&listed[0]["schedule"]["cron"], &listed[1]["schedule"]), (&json!(EACH_SECOND), &Value::Null));
    let begun = runs(&host, 2).await;
    let (_, run) = host.get("viewer", &format!("/runs/{}?wait=60", begun[0])).await;
    assert_eq!((&run["status"], &run["questions"][0]["prompt"]), (&json!("waiting"), &json!("Who?")));
    assert_eq!(schedule(&host, "ask", Value::Null).await.0, 200);
    let (_, listed) = host.post("viewer", "/commands/published.list", json!({})).await;
    assert_eq!(listed[0]["schedule"], Value::Null);
    for (name, wrong, status, code) in [
        ("ask", json!({ "cron": "often" }), 422, "published.bad_schedule"),
        ("ask", json!({ "cron": "0 9 * * *", "timezone": "Paris" }), 422, "published.bad_schedule"),
        ("ask", json!({ "cron": "0 9 * * *", "input": "Hi" }), 400, "command.arguments"),
        ("nothing", json!({ "cron": "0 9 * * *" }), 404, "published.unknown"),
    ] {
        let (found, error) = schedule(&host, name, wrong).await;
        assert_eq!((found, &error["error"]["code"]), (status, &json!(code)), "{error}");
    }
    let refused = json!({ "name": "ask", "schedule": { "cron": EACH_SECOND } });
    assert_eq!(host.post("runner", "/commands/published.schedule", refused).await.0, 403);
    assert_eq!(schedule(&host, "help", json!({ "cron": "0 9 * * *", "input": "Hi" })).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hosts_of_a_database_begin_one_run_at_a_time() {
    let cluster = Cluster::new();
    let _worker = cluster.worker();
    cluster.publish("ask", &ask_flow());
    let data = copy_host(&cluster.data);
    let (first, second) = (cluster.host(), cluster.host_of(&data));
    for host in [&first, &second] {
        let (status, next) = schedule(host, "ask", json!({ "cron": EACH_SECOND })).await;
        assert_eq!(status, 200, "{next}");
    }
    let begun = runs(&first, 3).await;
    // The first 48 bits of an id are the time.
    let times: BTreeSet<&str> = begun.iter().map(|run| &run[..13]).collect();
    assert_eq!(times.len(), begun.len(), "{begun:?}");
}
