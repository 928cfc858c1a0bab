//! Conversations whose runs several workers drive.

use std::slice;

use futures::future::join_all;
use serde_json::{Value, json};

use crate::cluster::{Cluster, copy_host};
use crate::process::{Host, ask_flow, chat_flow};
use crate::server::{ModelServer, ServerReply, last_message_text};

/// Replies with how many messages it got, and the last one.
async fn counting_model() -> ModelServer {
    ModelServer::start(|request, _| {
        let count = request["messages"].as_array().map_or(0, Vec::len);
        ServerReply::Text(format!("{count} {}", last_message_text(request)))
    })
    .await
}

async fn open(host: &Host<'_>) -> Value {
    let flow = json!({ "flow": { "name": "Helper" } });
    let (status, opened) = host.post("runner", "/commands/conversations.open", flow).await;
    assert_eq!(status, 200, "{opened}");
    opened["id"].clone()
}

fn text(message: &Value) -> &str {
    let content = &message["content"];
    content.as_str().or_else(|| content[0]["text"].as_str()).unwrap_or_else(|| panic!("{message}"))
}

/// Checks that the messages of a conversation are whole turns one after the other, and gives what was said by the person.
pub fn check_turns(messages: &Value) -> Vec<String> {
    let messages = messages["messages"].as_array().unwrap_or_else(|| panic!("{messages}"));
    let turns = messages.chunks(2).enumerate().map(|(turn, said)| {
        assert_eq!((&said[0]["role"], &said[1]["role"]), (&json!("user"), &json!("assistant")));
        // The instructions, those before, and this one.
        assert_eq!(text(&said[1]), format!("{} {}", 2 + 2 * turn, text(&said[0])));
        text(&said[0]).to_owned()
    });
    turns.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_of_two_hosts_and_two_workers_never_interleave() {
    let (cluster, model) = (Cluster::new(), counting_model().await);
    let host = cluster.host();
    host.set_provider(&model.url).await;
    cluster.publish("chat", &chat_flow());
    let other_data = copy_host(&cluster.data);
    let other = cluster.host_of(&other_data);
    let _workers = [cluster.worker(), cluster.worker()];
    let conversation = open(&host).await;
    let turns = (0..6).map(|turn| {
        let host = if turn % 2 == 0 { &host } else { &other };
        let body = json!({ "input": format!("turn {turn}"), "conversation": conversation });
        async move { host.post("runner", "/flows/chat/runs", body).await }
    });
    for (status, state) in join_all(turns).await {
        assert_eq!((status.as_u16(), &state["status"]), (200, &json!("finished")), "{state}");
    }
    let page = json!({ "conversation": conversation });
    let (_, said) = other.post("viewer", "/commands/conversations.messages", page.clone()).await;
    let mut inputs = check_turns(&said);
    inputs.sort();
    assert_eq!(inputs, (0..6).map(|turn| format!("turn {turn}")).collect::<Vec<_>>());
    assert_eq!(host.post("viewer", "/commands/conversations.messages", page.clone()).await.1, said);
    let (_, record) = host.post("viewer", "/commands/conversations.get", page.clone()).await;
    assert_eq!(
        (&record["messages"], &record["title"]),
        (&json!(12), &json!(inputs_first(&said))),
        "{record}"
    );
    // A new name and a fork are those of every host.
    let rename = json!({ "conversation": conversation, "title": "Renamed" });
    let (status, renamed) = other.post("runner", "/commands/conversations.rename", rename).await;
    assert_eq!((status.as_u16(), &renamed["title"]), (200, &json!("Renamed")), "{renamed}");
    let (_, record) = host.post("viewer", "/commands/conversations.get", page.clone()).await;
    assert_eq!((&record["messages"], &record["title"]), (&json!(12), &json!("Renamed")), "{record}");
    let fork = json!({ "conversation": conversation, "message": 3 });
    let (status, forked) = host.post("runner", "/commands/conversations.fork", fork).await;
    assert_eq!(status, 200, "{forked}");
    let body = json!({ "input": "again", "conversation": forked["conversation"]["id"] });
    let (status, state) = other.post("runner", "/flows/chat/runs", body).await;
    assert_eq!((status.as_u16(), &state["status"]), (200, &json!("finished")), "{state}");
    assert_eq!(state["outputs"]["chat"]["response"], "6 again", "two turns are before it");
    let body = json!({ "input": "after", "conversation": conversation });
    assert_eq!(
        host.post("runner", "/flows/chat/runs", body).await.1["outputs"]["chat"]["response"],
        "14 after"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn list_of_conversations_is_the_same_on_every_host() {
    let (cluster, model) = (Cluster::new(), counting_model().await);
    let host = cluster.host();
    host.set_provider(&model.url).await;
    cluster.publish("chat", &chat_flow());
    let other_data = copy_host(&cluster.data);
    let other = cluster.host_of(&other_data);
    let _worker = cluster.worker();
    let (older, newer) = (open(&host).await, open(&other).await);
    let mut runs = Vec::new();
    for (conversation, input) in [(&newer, "of apples"), (&older, "of pears")] {
        let body = json!({ "input": input, "conversation": conversation });
        let (_, state) = host.post("runner", "/flows/chat/runs", body).await;
        assert_eq!(state["status"], "finished", "{state}");
        runs.push(state["run"].clone());
    }
    let execute = async |host: &Host<'_>, name: &str, args: Value| {
        let (status, body) = host.post("editor", &format!("/commands/conversations.{name}"), args).await;
        assert_eq!(status, 200, "{name}: {body}");
        body
    };
    let listed = async |host: &Host<'_>, args: Value| {
        let all = execute(host, "list", args).await;
        let ids = all.as_array().unwrap().iter().map(|record| record["id"].clone());
        ids.collect::<Vec<_>>()
    };
    for host in [&host, &other] {
        assert_eq!(listed(host, json!({})).await, [older.clone(), newer.clone()], "last changed first");
    }
    assert_eq!(listed(&other, json!({ "search": "apples" })).await, slice::from_ref(&newer));
    assert_eq!(listed(&other, json!({ "limit": 1 })).await, slice::from_ref(&older));
    assert_eq!(listed(&other, json!({ "flow": { "name": "Another" } })).await, Vec::<Value>::new());
    let prefix = &older.as_str().unwrap()[..30];
    assert_eq!(execute(&host, "resolve", json!({ "prefix": prefix })).await, older);
    let unknown = host.post("viewer", "/commands/conversations.resolve", json!({ "prefix": "ffff" })).await;
    assert_eq!(unknown.1["error"]["code"], "conversation.unknown");
    let export = json!({ "conversation": newer, "format": "markdown" });
    let exported = execute(&other, "export", export).await;
    assert!(exported["text"].as_str().unwrap().contains("of apples"), "{exported}");
    // Its run stays.
    execute(&other, "delete", json!({ "conversation": newer })).await;
    assert_eq!(listed(&host, json!({})).await, [older]);
    let (_, gone) =
        host.post("viewer", "/commands/conversations.get", json!({ "conversation": newer })).await;
    assert_eq!(gone["error"]["code"], "conversation.unknown", "{gone}");
    let again = json!({ "input": "again", "conversation": newer });
    assert_eq!(host.post("runner", "/flows/chat/runs", again).await.0, 404);
    for host in [&host, &other] {
        let (status, shown) = host.post("viewer", "/commands/runs.show", json!({ "run": runs[0] })).await;
        assert_eq!(status, 200, "{shown}");
    }
    let compare = json!({ "before": runs[0], "after": runs[1] });
    let (status, compared) = other.post("viewer", "/commands/lens.compare", compare).await;
    assert_eq!(status, 200, "{compared}");
}

fn inputs_first(said: &Value) -> String {
    text(&said["messages"][0]).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn conversation_of_a_run_that_waits_is_busy() {
    let cluster = Cluster::new();
    let host = cluster.host();
    let mut ask = ask_flow();
    ask["nodes"]["start"] = json!({ "type": "contextStart" });
    cluster.publish("ask", &ask);
    let _worker = cluster.worker();
    let conversation = json!({ "conversation": open(&host).await });
    let (status, first) = host.post("runner", "/flows/ask/runs", conversation.clone()).await;
    assert_eq!(status, 202, "{first}");
    let (status, refused) = host.post("runner", "/flows/ask/runs", conversation.clone()).await;
    assert_eq!((status.as_u16(), &refused["error"]["code"]), (409, &json!("conversation.busy")), "{refused}");
    let (status, refused) = host.post("editor", "/commands/conversations.delete", conversation.clone()).await;
    assert_eq!((status.as_u16(), &refused["error"]["code"]), (409, &json!("conversation.busy")), "{refused}");
    let (_, canceled) = host.post("runner", "/commands/run.cancel", json!({ "run": first["run"] })).await;
    assert_eq!(canceled, Value::Null);
    assert_eq!(host.post("runner", "/flows/ask/runs", conversation).await.0, 202);
}
