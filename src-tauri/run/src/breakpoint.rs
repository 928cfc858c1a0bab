//! Breakpoints, compiled: which facts a condition sees at a place, and whether the place is reached.
//!
//! The driver asks here where it stops ([`crate::driver`]), and a replay of a journal where it would have stopped. Refuses to decide
//! what a stop holds.

mod check;
mod facts;
mod loops;
mod replay;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};

use crate::node::{Datum, Inputs};
use crate::plan::{NodeIx, Plan, PlanEdge, PlanNode};
use plait_core::error::Fault;
use plait_core::expression::condition::StopCondition;
use plait_core::expression::evaluation::Evaluator;
use plait_core::expression::template::Template;
use plait_core::id::{Activation, Epoch, PortName};
use plait_core::port::{ERROR_PORT, PortKind};
use plait_journal::view::EpochView;
use plait_journal::{Breakpoint, NodeOutputs, OutputRef, Side, SourceRef, StopPoint, StopScope};

use check::holds_no_branch;
pub use check::{check_breakpoints, check_expressions, check_place, check_subflow};
pub(crate) use facts::ActivationFacts;
pub use facts::CallFacts;
pub(crate) use loops::{ended_loop, is_inside, loop_around, loops_that_begin};
pub use replay::{BreakpointQuestion, BreakpointReplay, ReachedPlace};

/// An activation: its node's place in the plan, and its epoch.
pub(crate) type Key = (NodeIx, Epoch);

/// A breakpoint, compiled.
pub(crate) struct Armed {
    /// Those that it was set with. They are shared, so that setting many costs little.
    all: Arc<[Breakpoint]>,
    /// Which of them it is.
    at: usize,
    /// Whether it has to know where values come from: on an input that several edges feed.
    follows_edges: bool,
    when: Option<Box<StopCondition>>,
    log: Option<Box<Template>>,
    pub scope: StopScope,
}

/// The values that a place has.
#[derive(Clone, Copy)]
pub enum Values<'a> {
    Inputs(&'a NodeOutputs),
    Outputs(&'a NodeOutputs),
    Error(&'a Fault),
    /// Those of a call are in its prompt.
    None,
}

/// By input, where its values come from.
pub(crate) type Sources = BTreeMap<PortName, Vec<SourceRef>>;

/// A place that an activation has come to, as breakpoints see it.
pub(crate) struct Place<'a> {
    pub plan: &'a Plan,
    pub node: NodeIx,
    pub point: &'a StopPoint,
    pub values: Values<'a>,
    /// Those of its calls so far, if it made any.
    pub facts: Option<&'a CallFacts>,
    /// If they are known. Before a start only.
    pub sources: Option<&'a Sources>,
    /// Computed for the first breakpoint that reads them.
    variables: OnceLock<Arc<Value>>,
}

/// What a breakpoint does at a place.
pub(crate) enum Reached {
    No,
    Stop,
    Text(String),
}

impl Armed {
    /// The breakpoint `at` of these, which is at a node or one of those at every node.
    pub fn new(all: &Arc<[Breakpoint]>, at: usize, plan: &Plan, node: Option<NodeIx>) -> Self {
        let breakpoint = &all[at];
        let has_single_edge =
            |port: &PortName| node.is_some_and(|node| edges_into(plan, node, port).nth(1).is_none());
        Self {
            all: Arc::clone(all),
            at,
            follows_edges: breakpoint.from.is_some()
                && !breakpoint.port.as_ref().is_some_and(has_single_edge),
            when: breakpoint.when.as_deref().map(StopCondition::new).map(Box::new),
            log: breakpoint.log.as_deref().map(Template::new).map(Box::new),
            scope: match node {
                Some(node) if holds_no_branch(plan, node, breakpoint) => StopScope::Tree,
                _ => breakpoint.scope,
            },
        }
    }

    fn breakpoint(&self) -> &Breakpoint {
        &self.all[self.at]
    }

    /// Its name.
    pub fn id(&self) -> &str {
        &self.breakpoint().id
    }

    pub fn is_on(&self, side: Side) -> bool {
        let breakpoint = self.breakpoint();
        match &breakpoint.event {
            None => breakpoint.side == side,
            Some(event) => facts::is_held_on(event, side),
        }
    }

    /// Whether it waits for an event.
    pub fn waits_for_event(&self) -> bool {
        self.breakpoint().event.is_some()
    }

    /// Whether it has to know where values come from.
    pub fn follows_edges(&self) -> bool {
        self.follows_edges
    }

    /// What it does at a place on one of its sides. The fault of a condition or text that can't be evaluated there.
    pub async fn judge(&self, place: &Place<'_>, evaluator: &dyn Evaluator) -> Result<Reached, Fault> {
        let Breakpoint { event, port, from, kind, .. } = self.breakpoint();
        if event.as_ref().is_some_and(|event| !facts::has_happened(event, place.point, place.facts)) {
            return Ok(Reached::No);
        }
        let narrowed = match (port, *kind) {
            (None, None) => None,
            (Some(port), _) => match place.value_on(port, from.as_ref().filter(|_| self.follows_edges)) {
                None => return Ok(Reached::No),
                value => value,
            },
            (None, Some(kind)) => match place.value_of_kind(kind) {
                None => return Ok(Reached::No),
                value => value,
            },
        };
        if self.when.is_none() && self.log.is_none() {
            return Ok(Reached::Stop);
        }
        let variables = match &narrowed {
            None => place.variables(),
            Some(value) => &Arc::new(with_value(place.variables(), value)),
        };
        if let Some(when) = &self.when
            && !when.is_true(variables, evaluator).await?
        {
            return Ok(Reached::No);
        }
        let Some(log) = &self.log else { return Ok(Reached::Stop) };
        let values = variables.as_object().cloned().unwrap_or_default();
        Ok(Reached::Text(log.render(values, evaluator).await?))
    }
}

impl<'a> Place<'a> {
    pub fn new(
        plan: &'a Plan,
        node: NodeIx,
        point: &'a StopPoint,
        values: Values<'a>,
        facts: Option<&'a CallFacts>,
        sources: Option<&'a Sources>,
    ) -> Self {
        Self { plan, node, point, values, facts, sources, variables: OnceLock::new() }
    }

    /// What conditions and texts can read here.
    fn variables(&self) -> &Arc<Value> {
        self.variables.get_or_init(|| Arc::new(variables_of(self.point, self.values, self.facts)))
    }

    /// The value on a port; of an input, only that which comes from an output, if one is named. That on `error`, of a node that has
    /// failed, is its fault.
    fn value_on(&self, port: &PortName, from: Option<&OutputRef>) -> Option<Arc<Value>> {
        match self.values {
            Values::Inputs(ports) | Values::Outputs(ports) => {
                let value = ports.get(port)?;
                let Some(from) = from else { return Some(Arc::clone(value)) };
                let sources = self.sources?.get(port)?;
                let at = sources.iter().position(|it| it.node == from.node && it.port == from.port)?;
                match (&**value, sources.len()) {
                    // In the order of the sources.
                    (Value::Array(values), 2..) => values.get(at).cloned().map(Arc::new),
                    _ => Some(Arc::clone(value)),
                }
            }
            Values::Error(fault) => (port.as_str() == ERROR_PORT).then(|| Arc::new(error_value(fault))),
            Values::None => None,
        }
    }

    /// The value on the edges of a kind, by port if there are several.
    fn value_of_kind(&self, kind: PortKind) -> Option<Arc<Value>> {
        let spec = &self.plan.nodes[self.node];
        let ports = spec.node.ports();
        let names: Vec<&PortName> = match self.values {
            Values::Inputs(_) => {
                ports.inputs.iter().filter(|port| port.kind == kind).map(|port| &port.name).collect()
            }
            Values::Outputs(_) | Values::Error(_) => {
                let is_wired =
                    |port: &PortName| spec.outgoing.iter().any(|edge| self.plan.edges[*edge].port == *port);
                let of_kind = ports.outputs.iter().filter(|port| port.kind == kind);
                of_kind.map(|port| &port.name).filter(|port| is_wired(port)).collect()
            }
            Values::None => return None,
        };
        let mut values: Vec<(&PortName, Arc<Value>)> =
            names.into_iter().filter_map(|port| Some((port, self.value_on(port, None)?))).collect();
        match values.len() {
            0 | 1 => values.pop().map(|(_, value)| value),
            _ => {
                let by_port =
                    values.into_iter().map(|(port, value)| (port.to_string(), Value::clone(&value)));
                Some(Arc::new(Value::Object(by_port.collect())))
            }
        }
    }
}

/// The edges into an input.
fn edges_into<'p>(plan: &'p Plan, node: NodeIx, port: &PortName) -> impl Iterator<Item = &'p PlanEdge> {
    let index = plan.nodes[node].node.ports().inputs.iter().position(|input| input.name == *port);
    plan.edges.iter().filter(move |edge| edge.target == node && Some(edge.target_port) == index)
}

/// Whether a node has an input, on the side before it, or an output, on the side after it. Calls have no ports.
fn has_port(node: &PlanNode, side: Side, port: &PortName) -> bool {
    let ports = node.node.ports();
    match side {
        Side::Before => ports.inputs.iter().any(|input| input.name == *port),
        Side::Call => false,
        Side::After => port.as_str() == ERROR_PORT || ports.outputs.iter().any(|output| output.name == *port),
    }
}

/// The variables with the value of one port as `value`.
fn with_value(variables: &Value, value: &Value) -> Value {
    let mut variables = variables.clone();
    variables["value"] = value.clone();
    variables
}

/// A failure, as expressions read it.
pub fn error_value(fault: &Fault) -> Value {
    json!({ "code": fault.code, "message": fault.message })
}

/// What conditions and texts can read at a place. `facts` are those of its activation's calls so far, if it made any.
pub fn variables_of(point: &StopPoint, values: Values<'_>, facts: Option<&CallFacts>) -> Value {
    let mut variables = Map::new();
    let mut add = |name: &str, ports: &NodeOutputs| {
        let by_port: Map<String, Value> =
            ports.iter().map(|(port, value)| (port.to_string(), Value::clone(value))).collect();
        let value = match ports.len() {
            1 => by_port.values().next().cloned().unwrap_or_default(),
            _ => Value::Object(by_port.clone()),
        };
        variables.insert("value".to_owned(), value);
        variables.insert(name.to_owned(), Value::Object(by_port));
    };
    match values {
        Values::Inputs(ports) => add("inputs", ports),
        Values::Outputs(ports) => add("outputs", ports),
        Values::Error(fault) => {
            variables.insert("error".to_owned(), error_value(fault));
        }
        Values::None => {}
    }
    variables.insert("iteration".to_owned(), json!(point.epoch.0.last()));
    variables.insert("attempt".to_owned(), json!(point.attempt));
    facts.unwrap_or(&CallFacts::default()).add_to(&mut variables);
    Value::Object(variables)
}

/// What a breakpoint behind an activation that has ended can read, with the calls of a replay counted as what they cost when they were
/// bought.
pub fn facts_after(Activation { node, epoch }: Activation, view: &EpochView) -> Value {
    let attempt = view.attempts.last().map_or(1, |last| last.attempt);
    let point = StopPoint { node, epoch, attempt, side: Side::After, call: None };
    let values = view.error.as_ref().map_or(Values::Outputs(&view.outputs), Values::Error);
    variables_of(&point, values, Some(&CallFacts::bought(&view.calls)))
}

/// The values on inputs, by port: the value itself where there is one, a list where there are several.
pub(crate) fn input_values(inputs: &Inputs) -> NodeOutputs {
    let value = |data: &[Datum]| match data {
        [datum] => Arc::clone(&datum.value),
        several => Arc::new(Value::Array(several.iter().map(|datum| Value::clone(&datum.value)).collect())),
    };
    inputs.iter().map(|(port, data)| (port.clone(), value(data))).collect()
}
