//! What becomes of one activation, once its inputs are known.

use std::collections::BTreeMap;

use plait_core::Value;
use plait_core::id::{Activation, ContextId, NodeId, PortName};
use plait_core::port::ERROR_PORT;
use plait_journal::{Answer, SourceRef};
use serde_json::json;

use super::document::Node;
use crate::journal_summary::{ActivationRecord, Final, History};
use crate::nodes::semantics::{self, Script, Values};

/// What an activation leaves behind besides its outputs. In an iteration of a loop, it counts if the iteration does.
#[derive(Clone, Debug)]
pub enum Write {
    /// It adds messages to a context.
    Messages(ContextId, History),
    /// It adds a turn to the workflow's memory.
    Memory(String),
    /// Its outputs are the run's.
    Result(NodeId, BTreeMap<PortName, Value>),
}

/// Where a write goes to.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    Context(ContextId),
    Memory,
    Result(NodeId),
}

impl Write {
    pub fn target(&self) -> Target {
        match self {
            Self::Messages(context, _) => Target::Context(context.clone()),
            Self::Memory(_) => Target::Memory,
            Self::Result(node, _) => Target::Result(node.clone()),
        }
    }

    /// The messages that it adds to this context.
    pub fn to_context(&self, context: &ContextId) -> Option<&History> {
        match self {
            Self::Messages(id, added) if id == context => Some(added),
            _ => None,
        }
    }

    /// The turn that it adds to the workflow's memory.
    pub fn to_memory(&self) -> Option<&String> {
        match self {
            Self::Memory(turn) => Some(turn),
            _ => None,
        }
    }
}

/// What becomes of an activation.
#[derive(Debug)]
pub enum Outcome {
    Finished {
        record: ActivationRecord,
        outputs: BTreeMap<PortName, Value>,
        makes: Option<ContextId>,
        writes: Vec<Write>,
    },
    Failed {
        record: ActivationRecord,
        /// What counts all the same: the iterations of a loop before the one that failed.
        writes: Vec<Write>,
        /// What its `error` output carries.
        error: Value,
        handled: bool,
    },
    /// A required input is dead.
    Skipped,
    /// It waits for an answer that nobody gives.
    Waits(ActivationRecord),
    /// It is a loop, and something in an iteration waits or is not decided.
    Open { record: ActivationRecord, writes: Vec<Write> },
    /// Something before it fails the run, or waits.
    Undecided,
}

impl Outcome {
    pub fn is_decided(&self) -> bool {
        match self {
            Self::Finished { .. } | Self::Skipped => true,
            Self::Failed { handled, .. } => *handled,
            Self::Waits(_) | Self::Open { .. } | Self::Undecided => false,
        }
    }

    pub fn output(&self, port: &PortName) -> Option<&Value> {
        match self {
            Self::Finished { outputs, .. } => outputs.get(port),
            Self::Failed { error, handled: true, .. } if port.as_str() == ERROR_PORT => Some(error),
            _ => None,
        }
    }

    pub fn pauses(&self) -> u32 {
        match self {
            Self::Finished { record, .. } | Self::Failed { record, .. } | Self::Waits(record) => {
                record.pauses
            }
            Self::Skipped | Self::Open { .. } | Self::Undecided => 0,
        }
    }

    /// What it leaves behind besides its outputs, in order.
    pub fn writes(&self) -> &[Write] {
        match self {
            Self::Finished { writes, .. } | Self::Failed { writes, .. } | Self::Open { writes, .. } => writes,
            _ => &[],
        }
    }
}

/// What a node starts with.
pub struct Start<'a> {
    pub node: &'a Node,
    pub at: &'a Activation,
    /// The name of the context that it makes, if it does: it counts the cycles of its scope, not the loops around.
    pub name: String,
    pub values: Values,
    pub sources: BTreeMap<PortName, Vec<SourceRef>>,
    pub handled: bool,
    /// Whether its outputs are the run's.
    pub is_result: bool,
    /// What it sees of the workflow's memory, if it uses that.
    pub memory: Option<Vec<String>>,
}

/// The context that a node works in.
#[derive(Clone, Debug)]
pub enum Place {
    /// It works in none.
    None,
    /// It works in one, and sees its history.
    In(ContextId, History),
    /// It names one that does not exist.
    Missing(ContextId),
}

/// Runs a node.
pub fn run(start: Start, place: Place, script: Script) -> Outcome {
    let Start { node, at, name, values, sources, handled, is_result, memory } = start;
    let mut record = ActivationRecord { ready: Some(sources), attempts: 1, ..ActivationRecord::default() };
    if let Place::Missing(id) = place {
        let message = format!("This run has no context `{id}`.");
        return fail(node, record, handled, "context.unknown", &message, &Value::Null);
    }
    let mut outputs = None;
    let mut seen = memory;
    let mut more = Value::Null;
    if node.kind == "ask" {
        record.pauses = node.settings.again + 1;
        match script.last(at) {
            None => return Outcome::Waits(record),
            Some(Answer::End) => (outputs, seen) = (Some(BTreeMap::new()), None),
            Some(Answer::Value(value) | Answer::Attached { value, .. }) => more = Value::clone(&value),
        }
    }
    let failing = semantics::failing_attempts(&node.settings, at);
    let attempts = if node.settings.hard { 1 } else { node.attempts };
    record.attempts = attempts.min(failing + 1);
    if failing >= attempts {
        let details = json!({ "salt": node.settings.salt });
        return fail(node, record, handled, "test.failed", "It fails on purpose.", &details);
    }
    let mut writes = Vec::new();
    match (node.kind.as_str(), place) {
        ("effect", _) => more = semantics::replies(&node.settings, at).into(),
        ("turn" | "guest", Place::In(context, history)) => {
            let seen: Vec<String> = history.into_iter().map(|(_, text)| text).collect();
            let said = semantics::said(&node.settings, at, &values, &seen);
            more = said.clone().into();
            let texts = if semantics::adds_two(&node.settings) {
                vec![format!("asked {said}"), said]
            } else {
                vec![said]
            };
            let id = |index: usize| format!("{at}/{index}").into();
            let added = texts.into_iter().enumerate().map(|(index, text)| (id(index), text)).collect();
            writes.push(Write::Messages(context, added));
        }
        _ => {}
    }
    let outputs =
        outputs.unwrap_or_else(|| semantics::outputs(&node.kind, &node.settings, at, &name, &values, &more));
    let outputs: BTreeMap<PortName, Value> =
        outputs.into_iter().map(|(port, value)| (port.as_str().into(), value)).collect();
    record.end = Some(Final::Finished(outputs.clone()));
    if let Some(seen) = seen {
        let turn = format!("{at} after {:x}", semantics::digest(&seen));
        writes.extend((node.settings.memory == "write").then_some(Write::Memory(turn)));
        record.seen = Some(seen);
    }
    writes.extend(is_result.then(|| Write::Result(node.id.clone(), outputs.clone())));
    let makes = (node.kind == "context").then(|| name.as_str().into());
    Outcome::Finished { record, outputs, makes, writes }
}

fn fail(
    node: &Node,
    mut record: ActivationRecord,
    handled: bool,
    code: &str,
    message: &str,
    details: &Value,
) -> Outcome {
    let error = json!({ "code": code, "message": message, "node": node.id, "details": details });
    record.end = Some(Final::Failed { code: code.to_owned(), handled });
    Outcome::Failed { record, writes: Vec::new(), error, handled }
}
