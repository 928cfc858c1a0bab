//! What is asked of journals, and which lines of them the answer depends on.

use crate::breakpoint::check::{bad_breakpoint, problem_of_condition};
use crate::codes;
use plait_core::error::Fault;
use plait_core::expression::condition::StopCondition;
use plait_core::id::NodeId;
use plait_journal::{Breakpoint, ChildEvent, Event, NodeEvent, RunEvent, Side, SkipReason, StopEvent};

/// How much of a line is searched for the type of its event. Its position and its time stand before.
const MAX_HEAD_BYTES: usize = 96;

/// How a line says that a person skipped an activation.
const BY_PERSON: &[u8] = b"\"reason\":\"byPerson\"";

/// A breakpoint that is asked of journals.
pub struct BreakpointQuestion {
    pub(super) breakpoint: Breakpoint,
    /// Which calls of models and tools the answer depends on.
    calls: Calls,
    /// How lines name the node.
    node_field: Option<String>,
}

/// Calls of models and tools.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    None,
    OfNode,
    /// What other nodes have spent or used before counts.
    All,
}

impl BreakpointQuestion {
    /// Asks where a breakpoint would stop. `debug.bad_breakpoint` if its condition does not compile.
    pub fn new(breakpoint: Breakpoint) -> Result<Self, Fault> {
        let when = breakpoint.when.as_deref();
        if let Some(problem) = when.and_then(problem_of_condition) {
            return Err(bad_breakpoint(format!("This condition can't be used: {problem}")));
        }
        let reads_calls = when.map(StopCondition::new).is_some_and(|when| {
            ["tokens", "cost", "trimmed"].into_iter().any(|variable| when.reads(variable))
        });
        let calls = match &breakpoint.event {
            Some(StopEvent::SpendingPassed { .. } | StopEvent::GrantUsed) => Calls::All,
            Some(StopEvent::UntrustedSent | StopEvent::HistoryTrimmed) => Calls::OfNode,
            None if breakpoint.side == Side::Call => Calls::OfNode,
            _ if reads_calls => Calls::OfNode,
            _ => Calls::None,
        };
        let node_field =
            breakpoint.node.as_ref().map(|node| format!("\"node\":{}", serde_json::json!(node.as_str())));
        Ok(Self { breakpoint, calls, node_field })
    }

    /// Whether all runs of a tree are asked, not only those of one flow.
    pub fn is_of_tree(&self) -> bool {
        self.breakpoint.node.is_none()
    }

    /// The `subflow` nodes that lead to the flow that is asked about.
    pub fn path(&self) -> &[NodeId] {
        &self.breakpoint.path
    }

    /// The fault `debug.unknown_node` for a question to this many runs, of which none has the node. `above` is the first of the `subflow`
    /// nodes that lead to it, if it is in a sub-flow.
    pub fn unknown_node(&self, above: Option<&NodeId>, runs: u32) -> Fault {
        let Breakpoint { node, port, from, side, .. } = &self.breakpoint;
        let node = above.or(node.as_ref()).map_or("", NodeId::as_str);
        let port = match (port, side) {
            (None, _) => String::new(),
            (Some(port), _) if from.is_some() => format!(" with such an edge to `{port}`"),
            (Some(port), Side::Before) => format!(" with an input `{port}`"),
            (Some(port), _) => format!(" with an output `{port}`"),
        };
        let message = if runs == 1 {
            format!("The run has no node `{node}`{port}.")
        } else {
            format!("None of the {runs} runs has a node `{node}`{port}.")
        };
        Fault::new(codes::DEBUG_UNKNOWN_NODE, message)
            .hint("Name a node of the flow; `plait check` lists them.")
    }

    /// Whether the answer depends on a line of a journal, as it is stored. What it does not recognize is needed.
    pub fn needs(&self, line: &[u8]) -> bool {
        let head = &line[..line.len().min(MAX_HEAD_BYTES)];
        let Some(name) = after(head, b"\"type\":\"") else { return true };
        let group = name.split(|byte| *byte == b'.').next().unwrap_or_default();
        match group {
            b"loop" | b"iteration" | b"history" | b"debug" | b"knowledge" => false,
            b"context" | b"turn" => {
                matches!(self.breakpoint.event, Some(StopEvent::ContextChanged { .. }))
                    && self.is_of_node(line)
            }
            b"memory" => self.breakpoint.event == Some(StopEvent::MemoryChanged) && self.is_of_node(line),
            b"prompt" | b"quota" | b"model" | b"tool" => match self.calls {
                Calls::None => false,
                Calls::OfNode => self.is_of_node(line),
                Calls::All => true,
            },
            // Nothing but a person's wish to skip it says that an activation never starts.
            b"node" if name.starts_with(b"node.skipped\"") => after(line, BY_PERSON).is_some(),
            b"node" => {
                !["node.ready\"", "node.noticed\""].iter().any(|other| name.starts_with(other.as_bytes()))
            }
            _ => true,
        }
    }

    fn is_of_node(&self, line: &[u8]) -> bool {
        let Some(field) = &self.node_field else { return true };
        after(line, field.as_bytes()).is_some()
    }
}

/// What stands behind the first occurrence of a text.
fn after<'l>(line: &'l [u8], text: &[u8]) -> Option<&'l [u8]> {
    let at = line.windows(text.len()).position(|window| window == text)?;
    line.get(at + text.len()..)
}

/// Whether an event says that something starts, ends or calls. All others follow from these, or are about contexts and memory.
pub(super) fn concerns_starts_and_ends(event: &Event) -> bool {
    match event {
        Event::Node(_, NodeEvent::Skipped { reason: SkipReason::ByPerson, .. }) => true,
        Event::Run(RunEvent::Waiting { .. })
        | Event::Loop(..)
        | Event::Context(..)
        | Event::Memory(..)
        | Event::Debug(_)
        | Event::Child(_, ChildEvent::Started { .. })
        | Event::Node(
            _,
            NodeEvent::Ready { .. }
            | NodeEvent::Delta { .. }
            | NodeEvent::Progressed { .. }
            | NodeEvent::Noticed { .. }
            | NodeEvent::Skipped { .. },
        ) => false,
        Event::Run(_) | Event::Node(..) | Event::Call(..) | Event::Child(..) => true,
    }
}
