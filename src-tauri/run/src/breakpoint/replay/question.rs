//! What is asked of journals, and which lines of them the answer depends on.

use crate::breakpoint::check::{bad_breakpoint, problem_of_condition};
use crate::breakpoint::{Armed, has_port};
use crate::codes;
use crate::journal::{Breakpoint, ChildEvent, Event, NodeEvent, RunEvent, Side, SkipReason, StopScope};
use crate::plan::PlanNode;
use plait_core::error::Fault;
use plait_core::expression::condition::StopCondition;
use plait_core::id::{NodeId, PortName};

/// How much of a line is searched for the type of its event. Its position and its time stand before.
const MAX_HEAD_BYTES: usize = 96;

/// How a line says that a person skipped an activation.
const BY_PERSON: &[u8] = b"\"reason\":\"byPerson\"";

/// A breakpoint that is asked of journals.
pub struct BreakpointQuestion {
    /// None: every node.
    pub(super) node: Option<NodeId>,
    pub(super) side: Side,
    port: Option<PortName>,
    pub(super) armed: Armed,
    /// Whether the answer depends on calls of models and tools.
    depends_on_calls: bool,
    /// How lines name the node.
    node_field: Option<String>,
}

impl BreakpointQuestion {
    /// Asks where a breakpoint would stop: on a side of a node, or of every node, where the condition in CEL is true.
    /// `debug.bad_breakpoint` if it does not compile.
    pub fn new(node: Option<NodeId>, side: Side, when: Option<&str>) -> Result<Self, Fault> {
        Self::at_port(node, side, None, when)
    }

    /// The same, only where there is a value on an input or output, if one is named.
    pub fn at_port(
        node: Option<NodeId>,
        side: Side,
        port: Option<PortName>,
        when: Option<&str>,
    ) -> Result<Self, Fault> {
        if let Some(problem) = when.and_then(problem_of_condition) {
            return Err(bad_breakpoint(format!("This condition can't be used: {problem}")));
        }
        let reads_calls = when.map(StopCondition::new).is_some_and(|when| {
            ["tokens", "cost", "trimmed"].into_iter().any(|variable| when.reads(variable))
        });
        let armed = Armed::from(&Breakpoint {
            id: String::new(),
            path: Vec::new(),
            node: node.clone().unwrap_or_else(|| NodeId::from("")),
            side,
            port: port.clone(),
            when: when.map(str::to_owned),
            log: None,
            scope: StopScope::Tree,
            disabled: false,
        });
        let node_field = node.as_ref().map(|node| format!("\"node\":{}", serde_json::json!(node.as_str())));
        Ok(Self { node, side, port, armed, depends_on_calls: side == Side::Call || reads_calls, node_field })
    }

    /// Whether a node has the port that is asked about, if one is.
    pub(super) fn is_port_of(&self, node: &PlanNode) -> bool {
        self.port.as_ref().is_none_or(|port| has_port(node, self.side, port))
    }

    /// The fault `debug.unknown_node` for a question to this many runs, of which none has the node. `above` is the first of the `subflow`
    /// nodes that lead to it, if it is in a sub-flow.
    pub fn unknown_node(&self, above: Option<&NodeId>, runs: u32) -> Fault {
        let node = above.or(self.node.as_ref()).map_or("", NodeId::as_str);
        let port = match (&self.port, self.side) {
            (None, _) => String::new(),
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
            b"loop" | b"iteration" | b"history" | b"context" | b"turn" | b"debug" | b"knowledge"
            | b"memory" => false,
            b"prompt" | b"quota" | b"model" | b"tool" => self.depends_on_calls && self.is_of_node(line),
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
