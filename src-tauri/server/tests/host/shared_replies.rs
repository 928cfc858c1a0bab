//! Replies that one worker bought, taken by the runs of another.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::json;
use tokio::sync::Notify;

use crate::cluster::{Cluster, Worker, until};
use crate::process::chat_flow;
use crate::server::{ModelServer, ServerReply};

#[tokio::test(flavor = "multi_thread")]
async fn workers_never_buy_the_same_reply_at_once() {
    let release = Arc::new(Notify::new());
    let held = Arc::clone(&release);
    let model = ModelServer::start(move |_, before| match before {
        0 => ServerReply::NoResponse,
        _ => ServerReply::Held(Arc::clone(&held), "bought".to_owned()),
    })
    .await;
    let cluster = Cluster::new();
    let host = cluster.host();
    host.set_provider(&model.url).await;
    cluster.publish("chat", &chat_flow());
    let start =
        || Worker::start_with(cluster.data.path(), &cluster.database, &["--max-runs", "2", "--lease", "1"]);
    let first = start();
    let ask =
        async || host.post("runner", "/flows/chat/runs", json!({ "input": "Go", "replies": "any" })).await;
    let all = join_all((0..5).map(|_| ask()));
    let disturb = async {
        until(|| model.calls().len() == 1).await;
        let others = [start(), start()];
        // Whoever buys it dies. One of those that wait buys it then.
        drop(first);
        until(|| model.calls().len() == 2).await;
        release.notify_one();
        others
    };
    let (states, _workers) = tokio::join!(all, disturb);
    for (status, state) in states {
        assert_eq!(
            (status.as_u16(), &state["outputs"]["chat"]["response"]),
            (200, &json!("bought")),
            "{state}"
        );
    }
    assert_eq!(model.calls().len(), 2, "the second one was enough for all");
    // Who does not ask for it buys its own.
    release.notify_one();
    let (_, own) = host.post("runner", "/flows/chat/runs", json!({ "input": "Go" })).await;
    assert_eq!((own["status"].as_str(), model.calls().len()), (Some("finished"), 3));
}
