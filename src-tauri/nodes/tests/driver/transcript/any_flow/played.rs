//! A run of a random flow, as its journal and the provider tell of it.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::flow::{AnyFlow, CONTEXTS, Step};
use super::reference::Line;
use crate::Stage;
use crate::conversations::script;
use plait_testing::FakeSubflows;

/// What the world said in a run, by activation, and what Plait made of it.
pub(super) struct Played {
    events: Vec<Value>,
    /// The last request of each activation.
    pub(super) requests: BTreeMap<String, Vec<Line>>,
    pub(super) nodes: Value,
}

impl Played {
    pub(super) fn of(flow: &AnyFlow) -> Result<Self, TestCaseError> {
        let stage = Stage::new();
        let replies: Vec<String> = (0..80)
            .map(|at| json!({ "class": "refund", "reason": format!("Reply{at}") }).to_string())
            .collect();
        script(&stage, &replies.iter().map(String::as_str).collect::<Vec<_>>());
        for at in (0..40).rev() {
            let end = FakeSubflows::finished_end(&json!({ "said": { "value": format!("Result{at}") } }));
            stage.subflows.push_end(end);
        }
        let (nodes, edges) = flow.nodes_and_edges();
        let settings = if flow.has_memory {
            json!({ "memory": { "mode": "readWrite", "recentTurns": 100 } })
        } else {
            json!({})
        };
        let mut answers = 0;
        let events = stage.play_answering(&nodes, &json!(edges), &settings, |open| {
            answers += 1;
            Some((open[0].clone(), Some(json!(format!("Answer{answers}")))))
        });
        let end = events.last().unwrap();
        prop_assert_eq!(&end["type"], "run.finished", "{}\n{}\n{}", end, nodes, json!(edges));
        let mut requests = BTreeMap::new();
        let rendered: Vec<&Value> =
            events.iter().filter(|event| event["type"] == "prompt.rendered").collect();
        let sent = stage.provider.requests();
        prop_assert_eq!(rendered.len(), sent.len());
        for (rendered, sent) in rendered.into_iter().zip(&sent) {
            let mut ids: Vec<&str> = sent.messages.iter().map(|message| message.id.as_str()).collect();
            ids.sort_unstable();
            prop_assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?} in {rendered} of {nodes}");
            let lines = sent
                .messages
                .iter()
                .map(|message| (format!("{:?}", message.role).to_lowercase(), message.content.text()));
            requests.insert(activation(rendered), lines.collect());
        }
        Ok(Self { events, requests, nodes })
    }

    /// The outputs of an activation.
    pub(super) fn output(&self, step: &Step, epoch: &str) -> Option<String> {
        let port = step.output()?.split_once('.')?.1.to_owned();
        let at = format!("{}{epoch}", step.name);
        let mut finished = self.events.iter().filter(|event| event["type"] == "node.finished");
        let event = finished.find(|event| activation(event) == at)?;
        Some(event["outputs"][port].as_str()?.to_owned())
    }

    /// The reply of the model in an activation.
    pub(super) fn reply(&self, step: &Step, epoch: &str) -> Option<String> {
        let at = format!("{}{epoch}", step.name);
        let mut replied = self.events.iter().filter(|event| event["type"] == "model.replied");
        let event = replied.find(|event| activation(event) == at)?;
        Some(event["reply"]["text"].as_str()?.to_owned())
    }

    /// The messages that each context has in the end, by the node that made it, with the nodes that wrote them.
    pub(super) fn histories(&self) -> [Vec<(Line, String)>; 3] {
        CONTEXTS.map(|node| {
            let mut created = self.events.iter().filter(|event| event["type"] == "context.created");
            let id = created
                .find(|event| event["node"] == node)
                .map(|event| event["context"]["contextId"].clone());
            let mut history = Vec::new();
            for event in self.events.iter().filter(|event| Some(&event["contextId"]) == id.as_ref()) {
                let messages = match event["type"].as_str() {
                    Some("turn.committed") => &event["messages"],
                    Some("context.changed") => &event["change"]["messages"],
                    _ => continue,
                };
                for message in messages.as_array().unwrap() {
                    let text = |key: &str| message[key].as_str().unwrap().to_owned();
                    history
                        .push(((text("role"), text("content")), event["node"].as_str().unwrap().to_owned()));
                }
            }
            history
        })
    }

    /// The texts of the workflow's memory.
    pub(super) fn memory(&self) -> Vec<String> {
        let appended = self.events.iter().filter(|event| event["type"] == "memory.appended");
        let turns = appended.flat_map(|event| event["change"]["turns"].as_array().unwrap());
        turns.map(|turn| turn["text"].as_str().unwrap().to_owned()).collect()
    }
}

/// The activation of an event, as text: `node` or `node#1`.
fn activation(event: &Value) -> String {
    let epoch = event["epoch"].as_array().into_iter().flatten().map(|counter| format!("#{counter}"));
    format!("{}{}", event["node"].as_str().unwrap(), epoch.collect::<String>())
}
