//! Breakpoints, compiled: which facts a condition sees at a place, and whether the place is reached.
//!
//! The driver asks here where it stops ([`crate::driver`]), and a replay of a journal where it would have stopped. Refuses to decide
//! what a stop holds.

mod check;
mod facts;
mod loops;
mod replay;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::journal::{Breakpoint, NodeOutputs, Side, StopPoint, StopScope};
use crate::node::{Datum, Inputs};
use crate::plan::{NodeIx, PlanNode};
use plait_core::error::Fault;
use plait_core::expression::condition::StopCondition;
use plait_core::expression::evaluation::Evaluator;
use plait_core::expression::template::Template;
use plait_core::id::{Epoch, PortName};
use plait_core::port::ERROR_PORT;

pub use check::check_breakpoints;
pub(crate) use check::holds_no_branch;
pub(crate) use facts::{ActivationFacts, CallFacts};
pub(crate) use loops::{ended_loop, is_inside, loop_around, loops_that_begin};
pub use replay::{BreakpointQuestion, BreakpointReplay, ReachedPlace};

/// An activation: its node's place in the plan, and its epoch.
pub(crate) type Key = (NodeIx, Epoch);

/// A breakpoint, compiled.
pub(crate) struct Armed {
    pub id: String,
    side: Side,
    port: Option<PortName>,
    when: Option<StopCondition>,
    log: Option<Template>,
    pub scope: StopScope,
}

/// The values that a place has.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    Inputs(&'a NodeOutputs),
    Outputs(&'a NodeOutputs),
    Error(&'a Fault),
    /// Those of a call are in its prompt.
    None,
}

/// What a breakpoint does at a place.
pub(crate) enum Reached {
    No,
    Stop,
    Text(String),
}

impl From<&Breakpoint> for Armed {
    fn from(breakpoint: &Breakpoint) -> Self {
        Self {
            id: breakpoint.id.clone(),
            side: breakpoint.side,
            port: breakpoint.port.clone(),
            when: breakpoint.when.as_deref().map(StopCondition::new),
            log: breakpoint.log.as_deref().map(Template::new),
            scope: breakpoint.scope,
        }
    }
}

impl Armed {
    pub fn is_on(&self, side: Side) -> bool {
        self.side == side
    }

    /// What it does at a place with these values and variables. The fault of a condition or text that can't be evaluated there.
    pub async fn judge(
        &self,
        values: Values<'_>,
        variables: &Arc<Value>,
        evaluator: &dyn Evaluator,
    ) -> Result<Reached, Fault> {
        let variables = match &self.port {
            None => variables,
            Some(port) => match values.on(port, variables) {
                None => return Ok(Reached::No),
                Some(value) => &Arc::new(with_value(variables, value)),
            },
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

impl Values<'_> {
    /// The value on a port. That on `error`, of a node that has failed, is the variable of that name.
    fn on<'v>(&'v self, port: &PortName, variables: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Inputs(ports) | Self::Outputs(ports) => ports.get(port).map(|value| &**value),
            Self::Error(_) if port.as_str() == ERROR_PORT => variables.get(ERROR_PORT),
            Self::Error(_) | Self::None => None,
        }
    }
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

/// What conditions and texts can read at a place. `facts` are those of its activation's calls so far, if it made any.
pub(crate) fn variables_of(point: &StopPoint, values: Values<'_>, facts: Option<&CallFacts>) -> Value {
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
            variables.insert("error".to_owned(), json!({ "code": fault.code, "message": fault.message }));
        }
        Values::None => {}
    }
    variables.insert("iteration".to_owned(), json!(point.epoch.0.last()));
    variables.insert("attempt".to_owned(), json!(point.attempt));
    facts.unwrap_or(&CallFacts::default()).add_to(&mut variables);
    Value::Object(variables)
}

/// The values on inputs, by port: the value itself where there is one, a list where there are several.
pub(crate) fn input_values(inputs: &Inputs) -> NodeOutputs {
    let value = |data: &[Datum]| match data {
        [datum] => Arc::clone(&datum.value),
        several => Arc::new(Value::Array(several.iter().map(|datum| Value::clone(&datum.value)).collect())),
    };
    inputs.iter().map(|(port, data)| (port.clone(), value(data))).collect()
}
