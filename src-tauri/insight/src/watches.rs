//! What expressions read at a moment of a run: the activation that a person looks at, as breakpoints see it, and the latest outputs of
//! every node.

use std::sync::Arc;

use plait_core::id::Activation;
use plait_journal::view::{EpochView, RunView, StopView};
use plait_journal::{Entry, Event, NodeOutputs, Side, StopPoint};
use plait_run::breakpoint::{CallFacts, Values, error_value, variables_of};
use serde_json::{Map, Value};

use crate::lineage::RecordedRun;

/// The variables of a watch ([`Watch`](plait_core::expression::condition::Watch)) where the journal ends.
///
/// Those of an activation are of `focus` or, without it, of what the run stands still at, by its newest stop. `value` is what a stop holds or, where nothing is
/// held, what the activation gave. Without an activation they are of the run, as far as it has come: `outputs` by node, `value` the only one
/// of them, `error`, `tokens` and `cost`.
pub fn watched_variables(journal: &[Entry], run: &RecordedRun, focus: Option<&Activation>) -> Arc<Value> {
    let view = run.view();
    let mut held = view.outline.stops.iter().rev().filter_map(|stop| Some((stop, stop.at.as_ref()?)));
    let held = held.find(|(_, at)| focus.is_none_or(|focus| *focus == at.activation()));
    let mut variables = match (held, focus) {
        (Some((stop, at)), _) => held_variables(stop, at, journal, run),
        (None, Some(focus)) => recorded_variables(focus, journal, run),
        (None, None) => run_variables(view),
    };
    variables.insert("nodes".to_owned(), latest_outputs(view));
    Arc::new(Value::Object(variables))
}

/// Of a run as a whole.
fn run_variables(view: &RunView) -> Map<String, Value> {
    let of_node = |outputs: &NodeOutputs| match outputs.len() {
        1 => outputs.values().next().map_or(Value::Null, |value| Value::clone(value)),
        _ => by_port(outputs),
    };
    let outputs: Map<String, Value> =
        view.outline.outputs.iter().map(|(node, ports)| (node.to_string(), of_node(ports))).collect();
    let value = if outputs.len() == 1 { outputs.values().next().cloned() } else { None };
    let value = value.unwrap_or_else(|| Value::Object(outputs.clone()));
    let tokens = view.totals.tokens.input.saturating_add(view.totals.tokens.output);
    let mut variables = Map::from_iter([
        ("value".to_owned(), value),
        ("outputs".to_owned(), Value::Object(outputs)),
        ("tokens".to_owned(), tokens.into()),
        ("cost".to_owned(), view.totals.cost.usd().into()),
    ]);
    if let Some(failed) = &view.outline.error {
        variables.insert("error".to_owned(), error_value(&failed.error));
    }
    variables
}

/// Of an activation that is held: what can be changed at the stop is as it stands there.
fn held_variables(
    stop: &StopView,
    at: &StopPoint,
    journal: &[Entry],
    run: &RecordedRun,
) -> Map<String, Value> {
    let values = match (at.side, &stop.error) {
        (Side::Before, _) => Values::Inputs(&stop.values),
        (Side::Call, _) => Values::None,
        (Side::After, Some(error)) => Values::Error(error),
        (Side::After, None) => Values::Outputs(&stop.values),
    };
    let mut variables = point_variables(at, values, journal);
    if at.side != Side::Before {
        variables.insert("inputs".to_owned(), by_port(&recorded_inputs(&at.activation(), run)));
    }
    variables
}

/// Of an activation as far as the journal tells of it.
fn recorded_variables(at: &Activation, journal: &[Entry], run: &RecordedRun) -> Map<String, Value> {
    let inputs = recorded_inputs(at, run);
    let epoch = run.epoch(at);
    let values = match epoch {
        Some(EpochView { error: Some(error), .. }) => Values::Error(error),
        Some(epoch) if !epoch.outputs.is_empty() => Values::Outputs(&epoch.outputs),
        _ => Values::Inputs(&inputs),
    };
    let attempt = epoch.map_or(1, |epoch| u32::try_from(epoch.attempts.len()).unwrap_or(u32::MAX).max(1));
    let point =
        StopPoint { node: at.node.clone(), epoch: at.epoch.clone(), attempt, side: Side::After, call: None };
    let mut variables = point_variables(&point, values, journal);
    variables.insert("inputs".to_owned(), by_port(&inputs));
    variables
}

fn point_variables(point: &StopPoint, values: Values<'_>, journal: &[Entry]) -> Map<String, Value> {
    let of_activation = |event: &&Event| matches!(event, Event::Call(at, _) if at.node == point.node && at.epoch == point.epoch);
    let calls = CallFacts::of(journal.iter().map(|entry| &entry.event).filter(of_activation));
    match variables_of(point, values, Some(&calls)) {
        Value::Object(variables) => variables,
        _ => Map::new(),
    }
}

/// The values that came in: the value itself where there is one on an input, a list where there are several.
fn recorded_inputs(at: &Activation, run: &RecordedRun) -> NodeOutputs {
    let Some(epoch) = run.epoch(at) else { return NodeOutputs::new() };
    let values = epoch.inputs.iter().filter_map(|(port, sources)| {
        if let Some((_, changed)) = run.changed(at, port, true) {
            return Some((port.clone(), Arc::clone(changed)));
        }
        let value_of = |index| {
            let (from, output) = run.source_of(at, port, index)?;
            run.output_value(&from, &output)
        };
        let value = match sources.len() {
            1 => value_of(0)?,
            count => {
                Arc::new((0..count).filter_map(value_of).map(|value| Value::clone(&value)).collect::<Value>())
            }
        };
        Some((port.clone(), value))
    });
    values.collect()
}

/// By node, the outputs of its latest activation by port; `error` if it failed.
fn latest_outputs(view: &RunView) -> Value {
    let nodes = view.nodes.iter().filter_map(|(node, view)| {
        let epoch = view.shown()?;
        let mut outputs = by_port(&epoch.outputs);
        if let Some(error) = &epoch.error {
            outputs["error"] = error_value(error);
        }
        Some((node.to_string(), outputs))
    });
    Value::Object(nodes.collect())
}

fn by_port(values: &NodeOutputs) -> Value {
    Value::Object(values.iter().map(|(port, value)| (port.to_string(), Value::clone(value))).collect())
}
