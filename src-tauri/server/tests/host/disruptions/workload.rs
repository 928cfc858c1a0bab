//! The flows, their inputs, and a model that replies by what it is asked alone.

use std::time::Duration;

use serde_json::{Value, json};

use super::as_text;
use crate::cluster::publish;
use crate::process::{Data, chat_flow, edge};
use crate::server::{ServerReply, last_message_text};
use crate::subflows::calling;

/// In the input of each turn of a conversation.
pub const TURN: &str = "Turn ";
/// How many turns a conversation has.
const TURNS: usize = 3;
/// How often a chat cycle is answered before it is ended.
pub const CYCLES: usize = 2;

#[derive(Clone, Debug)]
pub struct Job {
    /// The published flow.
    pub flow: &'static str,
    pub input: Option<String>,
    /// The number of the conversation that it is a turn of.
    pub conversation: Option<usize>,
    /// The id of the run.
    pub run: String,
}

impl Job {
    pub fn is_turn(&self) -> bool {
        self.conversation.is_some()
    }
}

/// So many jobs, of each kind in turn.
pub fn jobs(count: usize) -> Vec<Job> {
    let mut turns = 0;
    let jobs = (0..count).map(|number| {
        let (flow, input) = match number % 6 {
            0 => ("cycle", None),
            1 => ("each", Some(format!("list {number}"))),
            2 => ("call", Some(format!("call {number}"))),
            3 => ("asks", None),
            4 => ("tool", Some(format!("tool {number}"))),
            _ => ("chat", Some(format!("{TURN}{number}"))),
        };
        let conversation = (flow == "chat").then(|| {
            turns += 1;
            (turns - 1) / TURNS
        });
        Job { flow, input, conversation, run: uuid::Uuid::now_v7().to_string() }
    });
    jobs.collect()
}

/// So many jobs that ask a person before they end, of each kind in turn. Their runs always have the same ids.
pub fn asking_jobs(count: usize) -> Vec<Job> {
    let jobs = (0..count).map(|number| {
        let (flow, input) = match number % 6 {
            0 => ("cycle", None),
            2 => ("asks-each", None),
            3 => ("asks-below", None),
            4 => ("calculates", Some(format!("sum {number}"))),
            _ => ("asks", None),
        };
        // Every second one of those that only ask is in a conversation of its own.
        let conversation = (number % 6 == 5).then_some(number / 6);
        Job { flow, input, conversation, run: format!("0190a0b0-0000-7000-8000-{number:012}") }
    });
    jobs.collect()
}

/// A list of two, a chat about each, all at once.
fn each() -> Value {
    json!({
        "version": 1, "name": "Each", "layout": {},
        "nodes": {
            "input": { "type": "manualInput" },
            "list": { "type": "value", "config": { "value": ["first", "second"] } },
            "each": { "type": "loop", "config": { "kind": "forEach", "concurrency": 2 } },
            "fresh": { "type": "newContext", "parent": "each" },
            "about": { "type": "chat", "parent": "each", "config": {
                "prompt": "About {{item}} of {{list}}", "overrideProvider": "openai", "overrideModel": "scripted" } },
            "out": { "type": "output" },
        },
        "edges": {
            "a": edge("list", "value", "each", "items"),
            "b": edge("each", "item", "about", "item"),
            "c": edge("about", "response", "each", "next"),
            "d": edge("each", "results", "out", "value"),
            "e": edge("input", "value", "about", "list"),
            "f": edge("fresh", "context", "about", "context"),
        },
    })
}

/// Two chats in a flow that another one calls.
fn called() -> Value {
    let mut flow = chat_flow();
    flow["nodes"]["second"] = json!({ "type": "chat" });
    flow["nodes"]["out"] = json!({ "type": "output" });
    flow["edges"]["c"] = edge("chat", "context", "second", "context");
    flow["edges"]["d"] = edge("chat", "response", "second", "message");
    flow["edges"]["e"] = edge("second", "response", "out", "value");
    flow
}

fn call() -> Value {
    json!({
        "version": 1, "name": "Call", "layout": {},
        "nodes": {
            "input": { "type": "manualInput" },
            "call": { "type": "subflow", "config": { "file": "called.flow.json", "inputSource": "nodeOutput", "sourceNodeId": "input" } },
            "out": { "type": "output" },
        },
        "edges": { "a": edge("call", "text", "out", "value") },
    })
}

/// Asks a person, and replies to what is said.
fn asks() -> Value {
    let mut flow = chat_flow();
    flow["nodes"]["input"] = json!({ "type": "userInput", "config": { "prompt": "Who?" } });
    flow["edges"]["b"] = edge("input", "message", "chat", "message");
    flow
}

/// A conversation in one run, until a person ends it.
fn cycle() -> Value {
    json!({
        "version": 1, "name": "Cycle", "layout": {},
        "nodes": {
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "scripted" } },
            "ask": { "type": "userInput", "config": { "prompt": "And then?" } },
            "chat": { "type": "chat" },
        },
        "edges": {
            "a": edge("start", "context", "ask", "context"),
            "b": edge("ask", "context", "chat", "context"),
            "c": edge("chat", "context", "ask", "context"),
        },
    })
}

fn tool() -> Value {
    let mut flow = chat_flow();
    flow["nodes"]["tools"] = json!({ "type": "tools", "config": { "tools": ["calculator"] } });
    flow["edges"]["c"] = edge("tools", "tools", "chat", "tools");
    flow
}

/// Asks about each of a list of two, one after the other.
fn asks_each() -> Value {
    let mut flow = each();
    flow["nodes"]["input"] =
        json!({ "type": "userInput", "parent": "each", "config": { "prompt": "And this one?" } });
    flow["nodes"]["each"]["config"]["concurrency"] = json!(1);
    flow["edges"]["e"] = edge("input", "message", "about", "list");
    flow
}

/// A flow that another one calls, and that asks a person.
fn asking() -> Value {
    let mut flow = asks();
    flow["nodes"]["out"] = json!({ "type": "output" });
    flow["edges"]["c"] = edge("chat", "response", "out", "value");
    flow
}

fn asks_below() -> Value {
    let mut flow = calling("asking.flow.json");
    flow["name"] = json!("Asks below");
    flow
}

/// Calculates before it asks and after that.
fn calculates() -> Value {
    let mut flow = tool();
    flow["nodes"]["ask"] = json!({ "type": "userInput", "config": { "prompt": "And now?" } });
    flow["nodes"]["second"] = json!({ "type": "chat" });
    flow["edges"]["d"] = edge("chat", "context", "ask", "context");
    flow["edges"]["e"] = edge("ask", "context", "second", "context");
    flow["edges"]["f"] = edge("tools", "tools", "second", "tools");
    flow
}

pub fn publish_all(data: &Data) {
    data.flow("called.flow.json", &called());
    data.flow("asking.flow.json", &asking());
    for (name, flow) in [
        ("cycle", cycle()),
        ("each", each()),
        ("call", call()),
        ("asks", asks()),
        ("tool", tool()),
        ("chat", chat_flow()),
        ("asks-each", asks_each()),
        ("asks-below", asks_below()),
        ("calculates", calculates()),
    ] {
        publish(data, name, &flow);
    }
}

/// Counts the messages and repeats the last one, but for a calculation first where that is offered.
pub fn reply(request: &Value, interval: Duration) -> ServerReply {
    let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let last = messages.last().unwrap_or(&Value::Null);
    let is_offered = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    if is_offered && as_text(&last["role"]) != "tool" {
        return ServerReply::Tool {
            name: "calculator".to_owned(),
            arguments: json!({ "expression": "6 * 7" }),
        };
    }
    ServerReply::Slow(interval, format!("{} {}", messages.len(), last_message_text(request)))
}

/// A request as text. The ids of tool calls count the calls of the server.
pub fn without_call_ids(request: &Value) -> String {
    let text = request.to_string();
    let mut parts = text.split("\"call_");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "\"call_" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}
