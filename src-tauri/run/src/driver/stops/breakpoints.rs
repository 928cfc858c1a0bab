//! Whether a place is one to stop at: breakpoints with their conditions and texts.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::facts::Facts;
use super::{Driver, Key};
use crate::codes;
use crate::driver::attempt::Outcome;
use crate::journal::{Breakpoint, DebugEvent, Event, NodeOutputs, Side, StopCause, StopPoint};
use crate::plan::{NodeIx, Plan};
use plait_core::error::Fault;
use plait_core::expression::condition::StopCondition;
use plait_core::expression::template::Template;
use plait_core::id::{Activation, Epoch};

/// A breakpoint, compiled.
pub(super) struct Armed {
    id: String,
    side: Side,
    when: Option<StopCondition>,
    log: Option<Template>,
}

/// The values that a place has.
#[derive(Clone, Copy)]
pub(super) enum Values<'a> {
    Inputs(&'a NodeOutputs),
    Outcome(&'a Outcome),
    Outputs(&'a NodeOutputs),
    /// Those of a call are in its prompt.
    None,
}

impl From<&Breakpoint> for Armed {
    fn from(breakpoint: &Breakpoint) -> Self {
        Self {
            id: breakpoint.id.clone(),
            side: breakpoint.side,
            when: breakpoint.when.as_deref().map(StopCondition::new),
            log: breakpoint.log.as_deref().map(Template::new),
        }
    }
}

impl Driver {
    /// Takes over the breakpoints of the tree if they were changed.
    pub(in crate::driver) fn arm(&mut self) {
        let edits = self.host.debugger.edits();
        if self.stops.edits == edits {
            return;
        }
        self.stops.edits = edits;
        self.stops.armed.clear();
        for breakpoint in self.host.debugger.own_breakpoints() {
            // A node that the flow does not have holds nothing.
            if let Some(node) = self.plan.find(&breakpoint.node) {
                self.stops.armed.entry(node).or_default().push(Armed::from(&breakpoint));
            }
        }
    }

    /// Why to stop at a place, if there is a reason. Notes the texts of breakpoints that have one.
    pub(super) async fn reached(
        &mut self,
        key: &Key,
        point: &StopPoint,
        values: Values<'_>,
    ) -> Result<Option<StopCause>, Fault> {
        let Some(armed) = self.stops.armed.get(&key.0).filter(|_| !self.stops.left.contains(point)) else {
            return Ok(None);
        };
        let mut variables = None;
        let mut texts = Vec::new();
        let mut cause = None;
        for breakpoint in armed.iter().filter(|breakpoint| breakpoint.side == point.side) {
            let variables = &*variables
                .get_or_insert_with(|| Arc::new(variables_of(point, values, self.stops.facts.get(key))));
            // Boxed, so that runs without conditions do not carry its state.
            match Box::pin(breakpoint.judge(variables, &*self.host.evaluator)).await {
                Ok(Reached::No) => {}
                Ok(Reached::Text(text)) => texts.push((breakpoint.id.clone(), text)),
                Ok(Reached::Stop) => cause = Some(StopCause::Breakpoint { id: breakpoint.id.clone() }),
                Err(error) => cause = Some(StopCause::Condition { id: breakpoint.id.clone(), error }),
            }
            if cause.is_some() {
                break;
            }
        }
        for (id, text) in texts {
            let logged = DebugEvent::Logged { id, point: point.clone(), text: text.into() };
            self.recorder.append([Event::Debug(logged)])?;
        }
        Ok(cause)
    }

    /// The loops with breakpoints that begin with an activation, since it is in their first iterations, and the places before them. The
    /// outermost comes first.
    pub(super) fn loops_that_begin(&self, key: &Key) -> Vec<(Key, StopPoint)> {
        if self.stops.armed.is_empty() {
            return Vec::new();
        }
        let around = |key: &Key| iteration_around(&self.plan, key.0, &key.1);
        let first = |key: &Key| around(key).filter(|(_, index)| *index == 0).map(|(of_loop, _)| of_loop);
        let armed =
            std::iter::successors(first(key), first).filter(|key| self.has_breakpoint(key, Side::Before));
        let mut begin: Vec<(Key, StopPoint)> =
            armed.map(|key| (key.clone(), self.point(&key, 1, Side::Before))).collect();
        begin.reverse();
        begin
    }
}

/// What a breakpoint does at a place.
enum Reached {
    No,
    Stop,
    Text(String),
}

impl Armed {
    pub fn is_on(&self, side: Side) -> bool {
        self.side == side
    }

    async fn judge(
        &self,
        variables: &Arc<Value>,
        evaluator: &dyn plait_core::expression::evaluation::Evaluator,
    ) -> Result<Reached, Fault> {
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

/// What conditions and texts can read.
fn variables_of(point: &StopPoint, values: Values<'_>, facts: Option<&Facts>) -> Value {
    let mut variables = Map::new();
    let mut add = |name: &str, ports: Option<&NodeOutputs>| {
        let Some(ports) = ports else { return };
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
        Values::Inputs(ports) => add("inputs", Some(ports)),
        Values::Outputs(ports) => add("outputs", Some(ports)),
        Values::Outcome(Outcome::Finished { output, .. }) => add("outputs", Some(&output.outputs)),
        Values::Outcome(Outcome::Failed(fault)) => {
            variables.insert("error".to_owned(), json!({ "code": fault.code, "message": fault.message }));
        }
        Values::Outcome(_) | Values::None => {}
    }
    variables.insert("iteration".to_owned(), json!(point.epoch.0.last()));
    variables.insert("attempt".to_owned(), json!(point.attempt));
    facts.unwrap_or(&Facts::default()).add_to(&mut variables);
    Value::Object(variables)
}

/// Refuses breakpoints that can never hold anything. `debug.unknown_node`, `debug.bad_breakpoint`.
pub fn check_breakpoints(plan: &Plan, breakpoints: &[Breakpoint]) -> Result<(), Fault> {
    for (index, breakpoint) in breakpoints.iter().enumerate() {
        let known = breakpoint.path.first().unwrap_or(&breakpoint.node);
        if plan.find(known).is_none() {
            let message =
                format!("The breakpoint `{}` is at `{known}`, which this flow does not have.", breakpoint.id);
            return Err(Fault::new(codes::DEBUG_UNKNOWN_NODE, message)
                .hint("Remove it, or name a node of the flow; `plait check` lists them."));
        }
        let problem = breakpoint.when.as_deref().map(StopCondition::new);
        let problem = problem.and_then(|when| when.problem().map(str::to_owned));
        let log = breakpoint.log.as_deref().map(Template::new);
        let problem = problem.or_else(|| log.and_then(|log| log.problem().map(ToString::to_string)));
        if let Some(problem) = problem {
            return Err(bad(format!("The breakpoint `{}` can't be used: {problem}", breakpoint.id)));
        }
        if breakpoints[..index].iter().any(|other| other.id == breakpoint.id) {
            return Err(bad(format!("Two breakpoints are called `{}`.", breakpoint.id)));
        }
    }
    Ok(())
}

fn bad(message: String) -> Fault {
    Fault::new(codes::DEBUG_BAD_BREAKPOINT, message)
        .hint("Conditions are CEL over `value`, `inputs`, `outputs`, `error`, `iteration`, `attempt`, `tokens`, `cost` and `trimmed`; each breakpoint has an ID of its own.")
}

/// Whether an activation is in a loop that another one is, at any depth.
pub(super) fn is_inside(plan: &Plan, key: &Key, container: &Key) -> bool {
    std::iter::successors(loop_around(plan, key.0, &key.1), |(node, epoch)| loop_around(plan, *node, epoch))
        .any(|around| around == *container)
}

/// The loop directly around an activation. The test of a loop's condition is in that loop.
pub(super) fn loop_around(plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<Key> {
    iteration_around(plan, node, epoch).map(|(of_loop, _)| of_loop)
}

/// The same with the iteration, from 0.
fn iteration_around(plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<(Key, u32)> {
    let (container, inner) = if plan.is_test(node, epoch) {
        (node, epoch.clone())
    } else {
        let (scope, inner) = plan.iteration_of(node, epoch)?;
        (plan.scopes[scope].container?.node, inner)
    };
    let index = *inner.0.last()?;
    Some(((container, inner.outer()), index))
}

/// What follows from an event by itself and is a place to stop at: a loop has ended.
pub(super) fn ended_loop(plan: &Plan, event: &Event) -> Option<(Key, NodeOutputs)> {
    let Event::Node(Activation { node, epoch }, crate::journal::NodeEvent::Finished { outputs, .. }) = event
    else {
        return None;
    };
    let node = plan.find(node)?;
    plan.nodes[node].body.map(|_| ((node, epoch.clone()), outputs.clone()))
}
