//! What two activations that correspond did otherwise.

use std::collections::HashMap;

use plait_core::id::{Activation, NodeId};
use plait_journal::view::{EpochView, NodeState};
use plait_llm::context::Role;
use serde_json::{Value, json};
use similar::{Algorithm, capture_diff_slices};

use super::nodes::duration;
use super::{ActivationChange, ComparedActivation};
use crate::flow_diff::ValueChange;
use crate::lineage::RecordedRun;

/// An activation as it is shown.
pub(super) fn shown(run: &RecordedRun, at: &Activation) -> ComparedActivation {
    let epoch = run.epoch(at);
    ComparedActivation {
        run: run.id().clone(),
        at: at.clone(),
        tokens: epoch.map(|epoch| epoch.usage).unwrap_or_default(),
        cost: epoch.map(|epoch| epoch.cost).unwrap_or_default(),
        duration_ms: epoch.and_then(duration),
    }
}

/// A text that differs.
pub(super) fn text_change(before: Option<&str>, after: Option<&str>) -> Option<ValueChange> {
    let (before, after) = (before.map(Value::from), after.map(Value::from));
    change(before.as_ref(), after.as_ref())
}

fn change(before: Option<&Value>, after: Option<&Value>) -> Option<ValueChange> {
    (before != after).then(|| ValueChange::new(String::new(), before, after))
}

/// What differs between an activation of the first run and its counterpart.
pub(super) fn changes(
    (before, old): (&RecordedRun, &Activation),
    (after, new): (&RecordedRun, &Activation),
    edits: &HashMap<&NodeId, Vec<&ValueChange>>,
) -> Vec<ActivationChange> {
    let (Some(old_epoch), Some(new_epoch)) = (before.epoch(old), after.epoch(new)) else { return Vec::new() };
    let mut changes = Vec::new();
    // A result that was taken over is a result.
    let as_done = |state| if state == NodeState::Cached { NodeState::Done } else { state };
    if as_done(old_epoch.state) != as_done(new_epoch.state) {
        changes.push(ActivationChange::State { before: old_epoch.state, after: new_epoch.state });
    }
    of_outputs(old_epoch, new_epoch, &mut changes);
    let error =
        |epoch: &EpochView| epoch.error.as_ref().map(|error| format!("{} [{}]", error.message, error.code));
    if let Some(change) = text_change(error(old_epoch).as_deref(), error(new_epoch).as_deref()) {
        changes.push(ActivationChange::Error { change });
    }
    of_answers(old_epoch, new_epoch, &mut changes);
    of_calls((before, old, old_epoch), (after, new, new_epoch), &mut changes);
    of_tools(old_epoch, new_epoch, &mut changes);
    let sets = |run: &RecordedRun, at: &Activation| {
        run.view().outline.set.get(&at.node).cloned().unwrap_or_default()
    };
    let (old_set, new_set) = (sets(before, old), sets(after, new));
    for port in old_set.keys().chain(new_set.keys().filter(|port| !old_set.contains_key(*port))) {
        let (before, after) =
            (old_set.get(port).map(|value| &**value), new_set.get(port).map(|value| &**value));
        changes
            .extend(change(before, after).map(|change| ActivationChange::Set { port: port.clone(), change }));
    }
    // A change of the node counts where the node did something otherwise. Its title does nothing.
    if !changes.is_empty() {
        let of_node = edits.get(&new.node).into_iter().flatten();
        let edits = of_node.filter(|change| change.pointer != "/title");
        changes.extend(edits.map(|change| ActivationChange::Config { change: ValueChange::clone(change) }));
    }
    changes
}

/// The order in which the changes of an activation are shown: causes first.
pub(super) fn rank(change: &ActivationChange) -> (u8, usize) {
    match change {
        ActivationChange::Config { .. } => (0, 0),
        ActivationChange::Set { .. } => (1, 0),
        ActivationChange::Answer { .. } => (2, 0),
        ActivationChange::Model { call, .. } => (3, *call),
        ActivationChange::Message { call, .. } => (4, *call),
        ActivationChange::Reply { call, .. } => (5, *call),
        ActivationChange::Tool { tool, .. } => (6, *tool),
        ActivationChange::State { .. } => (7, 0),
        ActivationChange::Error { .. } => (8, 0),
        ActivationChange::Output { .. } => (9, 0),
    }
}

fn of_outputs(old: &EpochView, new: &EpochView, changes: &mut Vec<ActivationChange>) {
    let added = new.outputs.keys().filter(|port| !old.outputs.contains_key(*port));
    for port in old.outputs.keys().chain(added) {
        let (before, after) = (old.outputs.get(port), new.outputs.get(port));
        let is_context = |value: &Value| value.get("contextId").is_some();
        if before.is_some_and(|value| is_context(value)) && after.is_some_and(|value| is_context(value)) {
            continue;
        }
        let found = change(before.map(|value| &**value), after.map(|value| &**value));
        changes.extend(found.map(|change| ActivationChange::Output { port: port.clone(), change }));
    }
}

fn of_answers(old: &EpochView, new: &EpochView, changes: &mut Vec<ActivationChange>) {
    let answer = |epoch: &EpochView, index: usize| {
        epoch
            .pauses
            .get(index)
            .and_then(|pause| pause.answer.as_ref())
            .and_then(|answer| answer.value().cloned())
    };
    for index in 0..old.pauses.len().max(new.pauses.len()) {
        let (before, after) = (answer(old, index), answer(new, index));
        let found = change(before.as_deref(), after.as_deref());
        changes.extend(found.map(|change| ActivationChange::Answer { change }));
    }
}

fn of_calls(
    (before, old, old_epoch): (&RecordedRun, &Activation, &EpochView),
    (after, new, new_epoch): (&RecordedRun, &Activation, &EpochView),
    changes: &mut Vec<ActivationChange>,
) {
    for call in 0..old_epoch.calls.len().max(new_epoch.calls.len()) {
        let model = |epoch: &EpochView| {
            let prompt = epoch.calls.get(call)?.prompt.as_ref()?;
            Some(format!("{}/{}", prompt.provider, prompt.model))
        };
        let found = text_change(model(old_epoch).as_deref(), model(new_epoch).as_deref());
        changes.extend(found.map(|change| ActivationChange::Model { call, change }));
        let messages = |run: &RecordedRun, at: &Activation| -> Vec<String> {
            run.messages(at, call)
                .into_iter()
                .map(|(message, _)| format!("{}: {}", role_word(message.role), message.text))
                .collect()
        };
        let (old_messages, new_messages) = (messages(before, old), messages(after, new));
        for operation in capture_diff_slices(Algorithm::Myers, &old_messages, &new_messages) {
            let (from, to) = (&old_messages[operation.old_range()], &new_messages[operation.new_range()]);
            for index in 0..from.len().max(to.len()) {
                let found =
                    text_change(from.get(index).map(String::as_str), to.get(index).map(String::as_str));
                changes.extend(found.map(|change| ActivationChange::Message { call, change }));
            }
        }
        let reply = |epoch: &EpochView| epoch.calls.get(call)?.reply.as_ref().map(|reply| reply.text.clone());
        let found = text_change(reply(old_epoch).as_deref(), reply(new_epoch).as_deref());
        changes.extend(found.map(|change| ActivationChange::Reply { call, change }));
    }
}

fn of_tools(old: &EpochView, new: &EpochView, changes: &mut Vec<ActivationChange>) {
    let tool = |epoch: &EpochView, index: usize| {
        let tool = epoch.tools.get(index)?;
        let error = tool.error.as_ref().map(|error| &error.message);
        // The ids of calls are of the provider's making.
        Some(
            json!({ "name": tool.call.name, "arguments": tool.call.arguments, "result": tool.result, "error": error }),
        )
    };
    for index in 0..old.tools.len().max(new.tools.len()) {
        let found = change(tool(old, index).as_ref(), tool(new, index).as_ref());
        changes.extend(found.map(|change| ActivationChange::Tool { tool: index, change }));
    }
}

fn role_word(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}
