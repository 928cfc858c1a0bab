//! `subflow`: runs another flow and outputs its results. `child_input` prepares the child's input; this file handles its end.
//!
//! The child sees none of this flow's messages and outputs except what is passed to it, and returns only its results.

mod child_input;
mod config;
mod question;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::model_call;
use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::id::{NodeId, PortName};
use plait_core::port::{PortKind, PortType, Ports};
use plait_journal::{NodeOutputs, RunEnd, RunFault};
use plait_llm::quota::is_limit_of_tree;
use plait_run::host::Host;
use plait_run::host::subflow::{ChildCall, ChildEnd};
use plait_run::node::{
    Behavior, Card, CardPart, Category, ConfigEdge, EditorTraits, Example, Inputs, NodeContext, NodeOutput,
    NodeType, Surroundings,
};

pub(crate) use config::Config;
use config::{InputSource, NO_FLOW};

use crate::codes;

pub(crate) struct Subflow;

/// The input for the value of another node, if the input source is `nodeOutput`.
const VALUE: &str = "value";

impl NodeType for Subflow {
    type Config = Config;

    const TYPE: &'static str = "subflow";
    const ALIASES: &'static [&'static str] = &["workflow", "subworkflow"];
    const TITLE: &'static str = "Sub-flow";
    const SUMMARY: &'static str = "Runs another flow as one step, with its own history";
    const DESCRIPTION: &'static str = "Runs another flow, either from a file (`file`, relative to this flow's folder) or \
        defined inside this node (`flow`). The child is a run of its own with its own history. It sees **nothing** of this \
        flow but its input text, which its *Manual input* nodes output.

The text depends on `inputSource`: \
        `lastMessage` is the last output or message of the conversation on the context edge; `nodeOutput` is the value on \
        `value`, from an edge or from the node named in `sourceNodeId`; with `mapping`, each line connects one of this \
        node's inputs to an input of a node of the child (`NODE.PORT`), or to its text (`input`).

The child's results \
        are the outputs `result`, by node and port, and `text`. If a conversation is connected, it gets what was asked \
        and the text, as the answer of the assistant. If the child asks a person, this flow waits. If it fails, this node fails with \
        `subflow.failed`. If this run is canceled, so is the child. A retry policy on this node starts the child over; \
        without one it runs once, since its nodes have their own retries.";
    const CATEGORY: Category = Category::Control;
    const ICON: &'static str = "workflow";
    const TERMS: &'static [&'static str] =
        &["call", "child", "nested", "reuse", "workflow", "function", "module", "include", "agent"];

    fn ports(config: &Config) -> Ports {
        let conversation = "The conversation that gets the result as a message";
        let ports = match config.input_source {
            InputSource::LastMessage => Ports::new().input(
                "context",
                PortKind::Context,
                PortType::Any,
                "The conversation whose last message is the child's input",
            ),
            InputSource::NodeOutput => Ports::new()
                .when_fed("context", PortKind::Context, PortType::Any, conversation)
                .input(VALUE, PortKind::Data, PortType::Any, "The child's input, as text"),
            InputSource::Mapping => config.sources().into_iter().fold(
                Ports::new().when_fed("context", PortKind::Context, PortType::Any, conversation),
                |ports, name| ports.input(name, PortKind::Data, PortType::Any, "A mapped input of the child"),
            ),
        };
        ports
            .output(
                "context",
                PortKind::Context,
                PortType::Any,
                "The conversation, with the result as its last output",
            )
            .output("text", PortKind::Data, PortType::Text, "The child's results, as text")
            .output("result", PortKind::Data, PortType::Object, "The child's results, by node and port")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("file")]).line([CardPart::text("flow.name")])
    }

    fn editor() -> EditorTraits {
        EditorTraits { child_flow_field: Some("file".to_owned()), ..EditorTraits::default() }
    }

    fn behavior(config: &Config) -> Behavior {
        let source = config.source_node_id.clone().filter(|_| config.input_source == InputSource::NodeOutput);
        Behavior {
            uses_context: true,
            config_edge: source.map(|node| ConfigEdge {
                node,
                output: config.source_output.clone(),
                input: VALUE,
                setting: "/sourceNodeId",
            }),
            has_inner_retries: true,
            calls: config.child().ok(),
            gives: config.given(),
            missing_setting: config.is_empty().then_some(("/file", NO_FLOW)),
            ..Behavior::default()
        }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        config.check()
    }

    fn unused(config: &Config, _: &Surroundings<'_>) -> Vec<Unused> {
        config.unused()
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A flow from a file, with a value as input")
                .config(json!({ "file": "summarize.flow.json", "inputSource": "nodeOutput" }))
                .input(VALUE, json!("A long report."))
                .outputs(json!({
                    "text": "A long report.",
                    "result": { "said": { "value": "A long report." } },
                })),
            Example::new("With the result as a message of a conversation")
                .config(json!({ "file": "answer.flow.json" }))
                .input("context", json!({ "contextId": "main", "currentOutput": "Hello" }))
                .outputs(json!({
                    "context": { "contextId": "main", "currentOutput": "Hello", "messageId": "subflow/1" },
                    "text": "Hello",
                    "result": { "said": { "value": "Hello" } },
                })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let flow = config.child().map_err(|(_, problem)| Fault::new(codes::CONFIG_INVALID, problem))?;
        let handle = inputs.context()?;
        let child_input = child_input::build(config, &inputs, handle.as_ref(), &node_context)?;
        let call = ChildCall {
            parent: Arc::clone(&node_context.run.info),
            activation: node_context.activation.clone(),
            attempt: node_context.attempt,
            flow,
            input: child_input.text,
            set: child_input.overrides,
            origins: node_context.origins(),
            host: child_host(&node_context),
        };
        let journal = node_context.clone();
        let end = node_context.host.subflows.run(call, Box::new(move |event| journal.note(event))).await?;
        node_context.add_origins(&end.origins);
        let (text, result) = results_or_fault(&end)?;
        let mut output = NodeOutput::of("text", text.as_str()).with("result", result);
        output.extra.insert("run".to_owned(), end.run.as_str().into());
        let Some(handle) = handle else { return Ok(output) };
        if text.trim().is_empty() {
            // Providers refuse empty messages.
            return Ok(output.with_context(&handle));
        }
        let manager = node_context.context_manager(&handle.context_id)?;
        // Without a question the result is no answer. It stays the last output on the context edge, for the next node to answer.
        let context = manager.get();
        let answer = model_call::reply_message(&node_context, text.as_str(), &context.model);
        let id = answer.id.clone();
        if let Some(question) = question::find(config, &inputs, &handle, &context, &node_context) {
            manager.commit_turn(question, Arc::new(answer), None);
        }
        let output = output.is_message("text", id.clone());
        Ok(output.with_context(&handle.with_output(text.into(), Some(id))))
    }
}

/// Whether a child failed by the quota of its own flow, which is no limit of what called it.
fn is_own_quota(end: &ChildEnd, failed: &RunFault) -> bool {
    failed.error.details.pointer("/quota/run").and_then(Value::as_str) == Some(end.run.as_str())
}

/// What the child runs with. Where a fork does the node again, nothing is taken over below it either.
fn child_host(node_context: &NodeContext) -> Host {
    let host = &node_context.host;
    Host {
        earlier: node_context.earlier().map(|_| host.earlier.clone()).unwrap_or_default(),
        debugger: host.debugger.below(&node_context.activation.node, node_context.hold.clone()),
        ..Host::clone(host)
    }
}

/// A child's results, as text and by node and port. A fault if it did not finish.
fn results_or_fault(end: &ChildEnd) -> Result<(String, Value), Fault> {
    match (end.end, &end.error) {
        (RunEnd::Finished, _) => Ok(results(&end.outputs)),
        // The limits of the tree end all of it, so this node fails as the child did.
        (RunEnd::Failed, Some(failed))
            if is_limit_of_tree(&failed.error.code) && !is_own_quota(end, failed) =>
        {
            Err(failed.error.clone())
        }
        (RunEnd::Failed, Some(failed)) => {
            let at = format!("{}{}", failed.node, failed.epoch);
            let reason = failed.error.message.trim_end_matches('.');
            let mut fault = Fault::new(
                codes::SUBFLOW_FAILED,
                format!("The sub-flow failed at `{at}`: {reason}."),
            )
            .hint("Open the child run for details.")
            .details(
                json!({ "run": end.run, "node": failed.node, "epoch": failed.epoch, "error": failed.error }),
            )
            .caused_by(failed.error.clone().into());
            // Retryable in the child means retryable here: a retry starts a new child.
            fault.retryable = failed.error.retryable;
            fault.retry_after_ms = failed.error.retry_after_ms;
            Err(fault)
        }
        (RunEnd::Failed, None) => {
            Err(Fault::new(codes::SUBFLOW_FAILED, "The sub-flow failed.").details(json!({ "run": end.run })))
        }
        (RunEnd::Canceled, _) => Err(Fault::new(codes::SUBFLOW_CANCELED, "The sub-flow was canceled.")
            .hint("Run this flow again, or connect the `error` output to continue without it.")
            .details(json!({ "run": end.run }))),
    }
}

/// The outputs, except for the child's contexts. In the text, a node with text outputs contributes those, any other node
/// all its values, one paragraph each.
fn results(outputs: &BTreeMap<NodeId, NodeOutputs>) -> (String, Value) {
    let mut result = Map::new();
    let mut texts = Vec::new();
    for (node, ports) in outputs {
        let ports = ports.iter().filter(|(port, value)| !is_context_handle(port, value));
        let values: Map<String, Value> =
            ports.map(|(port, value)| (port.to_string(), Value::clone(value))).collect();
        let has_text = values.values().any(Value::is_string);
        texts.extend(values.values().filter(|value| !has_text || value.is_string()).map(as_text));
        if !values.is_empty() {
            result.insert(node.to_string(), Value::Object(values));
        }
    }
    (texts.join("\n\n"), Value::Object(result))
}

/// Whether a value is the handle on a `context` output. Only that name marks contexts: a value that merely looks like a
/// handle is a value, and a `switch` output named `context` is indistinguishable.
fn is_context_handle(port: &PortName, value: &Value) -> bool {
    port.as_str() == "context" && value.get("contextId").is_some_and(Value::is_string)
}
