//! `subflow`: runs another flow and gives what it put out. What it is given is in `given`, what becomes of its end here.
//!
//! The child sees none of this flow's messages and outputs but what is handed to it, and hands back its result alone.

mod config;
mod given;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::context::Role;
use crate::error::{ErrorCode, Fault};
use crate::expression::as_text;
use crate::host::subflow::{ChildCall, ChildEnd};
use crate::id::{NodeId, PortName};
use crate::journal::{NodeOutputs, RunEnd};
use crate::node::{
    Behavior, Card, CardPart, Category, EditorTraits, Example, Inputs, NodeContext, NodeOutput, NodeType,
    Reads,
};
use crate::port::{PortKind, PortType, Ports};

pub(crate) use config::Config;
use config::{InputSource, NO_FLOW};

pub(crate) struct Subflow;

/// The input that takes a value from another node, where the source is one.
const VALUE: &str = "value";

impl NodeType for Subflow {
    type Config = Config;

    const TYPE: &'static str = "subflow";
    const ALIASES: &'static [&'static str] = &["workflow", "subworkflow"];
    const TITLE: &'static str = "Sub-flow";
    const SUMMARY: &'static str = "Runs another flow as one step, with a memory of its own";
    const DESCRIPTION: &'static str = "Runs another flow: one from a file beside this one (`file`, relative to this \
        flow's folder), or one drawn inside this node (`flow`). The child is a run of its own, with its own history; it \
        sees **nothing** of this flow but the text it is given, which its *Manual input* nodes put out.\n\nThe text is, by \
        `inputSource`: `lastMessage`, what was said last in the conversation on the context edge; `nodeOutput`, the value \
        on `value`, from an edge or from the node named in `sourceNodeId`; or `mapping`, where each line takes one of \
        this node's inputs to an input of a node of the child (`NODE.PORT`), or to its text (`input`).\n\nWhat the child \
        puts out comes back as `result`, by node and port, and as `text`. When a conversation is wired, the text is also \
        its next message, said by the assistant. If the child asks a person, this flow waits; if it fails, this node \
        fails with `subflow.failed`; if this run is cancelled, so is the child. A retry policy on this node runs the child \
        anew; without one it is run once, since the nodes in it have their own tries.";
    const CATEGORY: Category = Category::Control;
    const ICON: &'static str = "workflow";
    const TERMS: &'static [&'static str] =
        &["call", "child", "nested", "reuse", "workflow", "function", "module", "include", "agent"];

    fn ports(config: &Config) -> Ports {
        let said = "The conversation that the result is told in";
        let ports = match config.input_source {
            InputSource::LastMessage => Ports::new().input(
                "context",
                PortKind::Context,
                PortType::Any,
                "The conversation whose last message the child is given",
            ),
            InputSource::NodeOutput => Ports::new()
                .when_fed("context", PortKind::Context, PortType::Any, said)
                .input(VALUE, PortKind::Data, PortType::Any, "What the child is given, written out as text"),
            InputSource::Mapping => config.sources().into_iter().fold(
                Ports::new().when_fed("context", PortKind::Context, PortType::Any, said),
                |ports, name| {
                    ports.input(name, PortKind::Data, PortType::Any, "Goes into the child, as mapped")
                },
            ),
        };
        ports
            .output(
                "context",
                PortKind::Context,
                PortType::Any,
                "The conversation, with the result as what is said",
            )
            .output("text", PortKind::Data, PortType::Text, "What the child put out, as text")
            .output("result", PortKind::Data, PortType::Object, "What the child put out, by node and port")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("file")]).line([CardPart::text("flow.name")])
    }

    fn editor() -> EditorTraits {
        EditorTraits { child_flow_field: Some("file".to_owned()), ..EditorTraits::default() }
    }

    fn behavior(config: &Config) -> Behavior {
        let named = config.source_node_id.clone().filter(|_| config.input_source == InputSource::NodeOutput);
        Behavior {
            uses_context: true,
            reads: named.map(|node| Reads {
                node,
                output: config.source_output.clone(),
                input: VALUE,
                setting: "/sourceNodeId",
            }),
            tries_inside: true,
            calls: config.child().ok(),
            lacks: config.is_empty().then_some(("/file", NO_FLOW)),
            ..Behavior::default()
        }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        config.check()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A flow from a file, given a value")
                .config(json!({ "file": "summarise.flow.json", "inputSource": "nodeOutput" }))
                .input(VALUE, json!("A long report."))
                .outputs(json!({
                    "text": "A long report.",
                    "result": { "said": { "value": "A long report." } },
                })),
            Example::new("Told in a conversation")
                .config(json!({ "file": "answer.flow.json" }))
                .input("context", json!({ "contextId": "main", "currentOutput": "Hello" }))
                .outputs(json!({
                    "context": { "contextId": "main", "currentOutput": "Hello", "messageId": "subflow/0" },
                    "text": "Hello",
                    "result": { "said": { "value": "Hello" } },
                })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, cx: NodeContext) -> Result<NodeOutput, Fault> {
        let flow = config.child().map_err(|(_, problem)| Fault::new(ErrorCode::ConfigInvalid, problem))?;
        let handle = inputs.context()?;
        let given = given::given(config, &inputs, handle.as_ref(), &cx)?;
        let call = ChildCall {
            parent: Arc::clone(&cx.run),
            activation: cx.activation.clone(),
            attempt: cx.attempt,
            flow,
            input: given.input,
            set: given.set,
            host: cx.host.clone(),
        };
        let journal = cx.clone();
        let end = cx.host.subflows.run(call, Box::new(move |event| journal.note(event))).await?;
        let (text, result) = finished(&end)?;
        let mut output = NodeOutput::of("text", text.as_str()).with("result", result);
        output.extra.insert("run".to_owned(), end.run.as_str().into());
        let Some(handle) = handle else { return Ok(output) };
        if text.trim().is_empty() {
            // Providers refuse messages in which nothing is said.
            return Ok(output.hand_on(&handle));
        }
        let manager = cx.context_manager(&handle.context_id)?;
        let said = Arc::new(cx.message(0, Role::Assistant, text.clone(), &manager.get().model));
        let message = said.id.clone();
        // A turn and not a mere message: what is kept of a conversation when the run is over is its turns.
        manager.commit_turn(vec![said], None);
        let output = output.is_message("text", message.clone());
        Ok(output.hand_on(&handle.saying(text.into(), Some(message))))
    }
}

/// What a child put out, as text and by node and port; the node's fault where it did not finish.
fn finished(end: &ChildEnd) -> Result<(String, Value), Fault> {
    match (end.end, &end.error) {
        (RunEnd::Finished, _) => Ok(results(&end.outputs)),
        (RunEnd::Failed, Some(failed)) => {
            let at = format!("{}{}", failed.node, failed.epoch);
            let said = failed.error.message.trim_end_matches('.');
            let mut fault = Fault::new(
                ErrorCode::SubflowFailed,
                format!("The sub-flow failed at `{at}`: {said}."),
            )
            .hint("Open the child run to see what happened in it.")
            .details(
                json!({ "run": end.run, "node": failed.node, "epoch": failed.epoch, "error": failed.error }),
            );
            // What another try could mend in the child, another child can.
            fault.retryable = failed.error.retryable;
            fault.retry_after_ms = failed.error.retry_after_ms;
            Err(fault)
        }
        (RunEnd::Failed, None) => {
            Err(Fault::new(ErrorCode::SubflowFailed, "The sub-flow failed.")
                .details(json!({ "run": end.run })))
        }
        (RunEnd::Canceled, _) => Err(Fault::new(ErrorCode::SubflowCanceled, "The sub-flow was cancelled.")
            .hint("Run this flow again, or wire the `error` output to go on without it.")
            .details(json!({ "run": end.run }))),
    }
}

/// The outputs but for the child's own contexts, which are no one else's. A node that says something in words is told by
/// its words, another by its values; a paragraph each.
fn results(outputs: &BTreeMap<NodeId, NodeOutputs>) -> (String, Value) {
    let mut result = Map::new();
    let mut texts = Vec::new();
    for (node, ports) in outputs {
        let kept = ports.iter().filter(|(port, value)| !hands_on_context(port, value));
        let kept: Map<String, Value> =
            kept.map(|(port, value)| (port.to_string(), Value::clone(value))).collect();
        let said = kept.values().any(Value::is_string);
        texts.extend(kept.values().filter(|value| !said || value.is_string()).map(as_text));
        if !kept.is_empty() {
            result.insert(node.to_string(), Value::Object(kept));
        }
    }
    (texts.join("\n\n"), Value::Object(result))
}

/// Whether it is the handle on a context output. Nodes hand contexts on by this name alone; a value that only looks like
/// a handle is a value, and so is whatever a `switch` sends a way of this name.
fn hands_on_context(port: &PortName, value: &Value) -> bool {
    port.as_str() == "context" && value.get("contextId").is_some_and(Value::is_string)
}
