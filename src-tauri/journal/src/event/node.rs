//! Events of an activation: the phases it passes through, and the questions it asks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::codes;
use crate::event_payload::{Answer, EventRef, FinishMetadata, NodeOutputs, SkipReason, SourceRef};
use plait_core::error::Fault;
use plait_core::id::{Activation, MessageId, PortName};
use plait_core::origin::Origins;
use plait_llm::tool::{ToolPause, ToolProgress};

/// What happens to an activation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum NodeEvent {
    /// All inputs are decided; the activation is queued.
    #[serde(rename = "node.ready")]
    Ready {
        /// The source of the value on each fed input; several for a port that collects.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[ts(as = "Option<BTreeMap<PortName, Vec<SourceRef>>>", optional)]
        inputs: BTreeMap<PortName, Vec<SourceRef>>,
    },
    /// An attempt began.
    #[serde(rename = "node.started")]
    Started {
        /// Number of the attempt, from 1.
        attempt: u32,
    },
    /// Partial output. For watchers only: never journaled.
    #[serde(rename = "node.delta")]
    Delta {
        /// New text.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[ts(optional, as = "Option<String>")]
        text: String,
        /// New reasoning.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[ts(optional, as = "Option<String>")]
        reasoning: String,
    },
    /// Something outside of the run is waited for. For watchers only: never journaled.
    #[serde(rename = "node.progressed")]
    Progressed {
        /// What is waited for, and how far it has come.
        progress: ToolProgress,
    },
    /// Something was done less well than asked, and the activation went on.
    #[serde(rename = "node.noticed")]
    Noticed {
        /// What was done instead, and how to get what was asked.
        notice: Box<Fault>,
    },
    /// The activation succeeded, or its pause was ended without an answer.
    #[serde(rename = "node.finished")]
    Finished {
        /// Its live outputs. A declared output that is missing here is dead.
        #[ts(as = "BTreeMap<PortName, Value>")]
        outputs: NodeOutputs,
        /// Outputs whose value already is a message of a context.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[ts(as = "Option<BTreeMap<PortName, MessageId>>", optional)]
        messages: BTreeMap<PortName, MessageId>,
        /// Duration, tokens and the like.
        metadata: FinishMetadata,
    },
    /// The activation will not run. It follows from other events, unless a person skipped it.
    #[serde(rename = "node.skipped")]
    Skipped {
        /// Why.
        reason: SkipReason,
        /// The activation of which the handled failure made the input dead, if one did. Readers give the notice
        /// `node.skipped_after_failure`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, as = "Option<Activation>")]
        failed: Option<Box<Activation>>,
    },
    /// The activation failed and will not be retried.
    #[serde(rename = "node.failed")]
    Failed {
        /// What went wrong.
        error: Box<Fault>,
        /// Whether its `error` output is wired, so that the run continues.
        handled: bool,
        /// Where the error comes from, besides the inputs.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
    },
    /// An attempt failed and another one follows.
    #[serde(rename = "node.retrying")]
    Retrying {
        /// Number of the attempt that failed, from 1.
        attempt: u32,
        /// Delay before the next attempt, in milliseconds.
        #[ts(type = "number")]
        delay_ms: u64,
        /// What went wrong.
        error: Box<Fault>,
        /// What the attempt gave, if a person had it run again at a stop of the debugger: nobody gets it. Empty where it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(as = "Option<BTreeMap<PortName, Value>>", optional)]
        dropped: Option<NodeOutputs>,
    },
    /// The node asks a person.
    #[serde(rename = "run.paused")]
    Paused {
        /// The question, in Markdown.
        prompt: String,
        /// JSON Schema of the answer.
        #[ts(type = "Record<string, unknown>")]
        schema: Value,
        /// Whether the answer follows at once, because the run that this one is forked from has it. Nobody is asked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<bool>")]
        answered: bool,
        /// The tool call it is about, if it is about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        tool: Option<ToolPause>,
    },
    /// A person answered.
    #[serde(rename = "input.provided")]
    Answered {
        answer: Answer,
        /// The event of an earlier run that the answer is taken from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
}

/// The notice of an activation that was skipped because of a handled failure.
pub fn skip_notice(failed: &Activation) -> Fault {
    let message = format!("Skipped, because `{failed}` failed, and its failure was handled elsewhere.");
    Fault::new(codes::NODE_SKIPPED_AFTER_FAILURE, message)
        .hint(format!("Connect to `error` of `{}` what has to happen instead.", failed.node))
}
