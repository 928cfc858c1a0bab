//! Published flows as chat models.

use reqwest::Method;
use serde_json::{Value, json};

use crate::process::{Data, Host, JsonBody as _, chat_flow};
use crate::server::{ModelServer, ServerReply, last_message_text};

async fn echo() -> ModelServer {
    ModelServer::start(|request, _| ServerReply::Text(format!("re: {}", last_message_text(request)))).await
}

async fn serve_chat(host: &Host<'_>, data: &Data, model: &ModelServer, flow: &Value) {
    host.set_provider(&model.url).await;
    data.flow("help.flow.json", flow);
    host.command("published.publish", json!({ "name": "help", "path": "help.flow.json" })).await;
}

fn said(messages: &[(&str, &str)]) -> Value {
    messages.iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

async fn complete(host: &Host<'_>, messages: Value) -> Value {
    let body = json!({ "model": "help", "messages": messages, "temperature": 0 });
    let (status, reply) = host.post("runner", "/v1/chat/completions", body).await;
    assert_eq!(status, 200, "{reply}");
    reply
}

fn sent_messages(call: &Value) -> Vec<(String, String)> {
    let messages = call["messages"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    messages.map(|message| (text(&message["role"]), text(&message["content"]))).collect()
}

#[tokio::test]
async fn messages_of_a_chat_become_one_conversation() {
    let (model, data) = (echo().await, Data::new());
    let host = data.serve();
    serve_chat(&host, &data, &model, &chat_flow()).await;
    let reply = complete(&host, said(&[("user", "One")])).await;
    assert_eq!(reply["choices"][0]["message"]["content"], "re: One");
    assert_eq!(reply["choices"][0]["finish_reason"], "stop");
    assert_eq!((&reply["object"], &reply["model"]), (&json!("chat.completion"), &json!("help")));
    assert!(reply["usage"]["total_tokens"].as_u64().unwrap() > 0);
    let chat = [("user", "One"), ("assistant", "re: One"), ("user", "Two")];
    complete(&host, said(&chat)).await;
    let system = ("system".to_owned(), "Be brief.".to_owned());
    let as_sent = |chat: &[(&str, &str)]| {
        let said = chat.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned()));
        std::iter::once(system.clone()).chain(said).collect::<Vec<_>>()
    };
    assert_eq!(sent_messages(&model.calls()[1]), as_sent(&chat));
    let list = host.command("conversations.list", json!({})).await;
    assert_eq!((list.as_array().unwrap().len(), &list[0]["messages"]), (1, &json!(4)));

    // What the client changed is said in a conversation of its own.
    let changed = [("user", "One"), ("assistant", "Another reply"), ("user", "Two")];
    complete(&host, said(&changed)).await;
    assert_eq!(sent_messages(&model.calls()[2]), as_sent(&changed));
    let list = host.command("conversations.list", json!({})).await;
    assert_eq!((list.as_array().unwrap().len(), &list[0]["messages"]), (2, &json!(4)));
    assert_eq!(host.get("viewer", "/v1/models").await.1["data"][0]["id"], "help");
}

#[tokio::test]
async fn reply_is_streamed_as_it_is_written() {
    let (model, data) = (echo().await, Data::new());
    let host = data.serve();
    serve_chat(&host, &data, &model, &chat_flow()).await;
    let body = json!({ "model": "help", "messages": said(&[("user", "a b c d")]), "stream": true,
        "stream_options": { "include_usage": true } });
    let sent =
        host.request("runner", Method::POST, "/v1/chat/completions").json_body(&body).send().await.unwrap();
    assert!(sent.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream"));
    let text = sent.text().await.unwrap();
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(lines.last(), Some(&"[DONE]"));
    let chunks: Vec<Value> =
        lines[..lines.len() - 1].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let reply: String =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(reply, "re: a b c d");
    assert_eq!(chunks[chunks.len() - 2]["choices"][0]["finish_reason"], "stop");
    assert!(chunks.last().unwrap()["usage"]["total_tokens"].as_u64().unwrap() > 0);
}

/// The chat loop of the examples: it asks, replies, and asks again.
#[tokio::test]
async fn flow_that_asks_takes_the_message_as_its_answer() {
    let (model, data) = (echo().await, Data::new());
    let host = data.serve();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/chat-loop.flow.json");
    let mut flow: Value = serde_json::from_str(&std::fs::read_to_string(example).unwrap()).unwrap();
    flow["nodes"]["start"]["config"] = json!({ "provider": "openai", "model": "scripted" });
    flow["nodes"]["chat"]["config"] = json!({});
    serve_chat(&host, &data, &model, &flow).await;
    assert_eq!(
        complete(&host, said(&[("user", "One")])).await["choices"][0]["message"]["content"],
        "re: One"
    );
    let chat = said(&[("user", "One"), ("assistant", "re: One"), ("user", "Two")]);
    assert_eq!(complete(&host, chat).await["choices"][0]["message"]["content"], "re: Two");
    assert_eq!(sent_messages(&model.calls()[1]).len(), 3);
    let runs = host.command("runs.list", json!({})).await;
    assert!(runs.as_array().unwrap().iter().all(|run| run["status"] == "finished"), "{runs}");
}

#[tokio::test]
async fn errors_have_the_form_that_clients_read() {
    let (model, data) = (echo().await, Data::new());
    let host = data.serve();
    serve_chat(&host, &data, &model, &chat_flow()).await;
    let send = async |body: Value| {
        let (status, body) = host.post("runner", "/v1/chat/completions", body).await;
        (status.as_u16(), body["error"]["type"].clone(), body["error"]["code"].clone())
    };
    let hi = said(&[("user", "Hi")]);
    let refused = |status, kind: &str, code: &str| (status, json!(kind), json!(code));
    let system = said(&[("system", "Answer in verse."), ("user", "Hi")]);
    assert_eq!(
        send(json!({ "model": "help", "messages": system })).await,
        refused(400, "invalid_request_error", "chat.unsupported")
    );
    assert_eq!(
        send(json!({ "model": "none", "messages": hi })).await,
        refused(404, "not_found_error", "published.unknown")
    );
    assert_eq!(send(json!({ "messages": hi })).await, refused(400, "invalid_request_error", "host.body"));
    let (_, body) =
        host.post("viewer", "/v1/chat/completions", json!({ "model": "help", "messages": hi })).await;
    assert_eq!(
        (&body["error"]["type"], &body["error"]["code"]),
        (&json!("permission_error"), &json!("host.forbidden"))
    );
    assert!(model.calls().is_empty());
}

#[tokio::test]
async fn failure_in_a_stream_is_its_last_event() {
    let model =
        ModelServer::start(|_, _| ServerReply::Status(400, json!({ "error": { "message": "no" } }))).await;
    let data = Data::new();
    let host = data.serve();
    serve_chat(&host, &data, &model, &chat_flow()).await;
    let body = json!({ "model": "help", "messages": said(&[("user", "Hi")]), "stream": true });
    let sent =
        host.request("runner", Method::POST, "/v1/chat/completions").json_body(&body).send().await.unwrap();
    let text = sent.text().await.unwrap();
    let last = text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert!(last["error"]["code"].as_str().unwrap().starts_with("provider."), "{last}");
}
