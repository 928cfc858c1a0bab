use plait_core::id::{Activation, Epoch};
use serde_json::json;

use super::*;

fn flow(nodes: &serde_json::Value, edges: &serde_json::Value) -> Flow {
    serde_json::from_value(json!({ "version": 1, "name": "", "layout": {}, "nodes": nodes, "edges": edges }))
        .unwrap()
}

fn delta(text: &str) -> Entry {
    let at = Activation { node: "chat".into(), epoch: Epoch::root() };
    let event = NodeEvent::Delta { text: text.to_owned(), reasoning: String::new() };
    Entry { seq: None, at: 0, event: Event::Node(at, event), interrupted_ms: 0 }
}

#[test]
fn text_is_sent_once_and_whole() {
    let mut streamed = StreamedReply::of(&flow(&json!({ "chat": { "type": "chat" } }), &json!({})));
    assert_eq!(streamed.take(&delta("Hel")).as_deref(), Some("Hel"));
    assert_eq!(streamed.take(&delta("lo")).as_deref(), Some("lo"));
    assert_eq!(streamed.finish("Hello!").unwrap().as_deref(), Some("!"));
    assert_eq!(streamed.finish("Goodbye").unwrap_err().code, "chat.reply_changed");
}

#[test]
fn writer_is_the_chat_that_the_only_output_shows() {
    let nodes = json!({ "a": { "type": "chat" }, "b": { "type": "chat" }, "out": { "type": "output" } });
    let edge = |source: &str, port: &str| json!({ "e": { "source": source, "sourceOutput": port, "target": "out", "targetInput": "value" } });
    assert_eq!(writer(&flow(&nodes, &edge("b", "response"))), Some("b".into()));
    assert_eq!(writer(&flow(&nodes, &edge("b", "usage"))), None);
    assert_eq!(writer(&flow(&nodes, &json!({}))), None);
}
