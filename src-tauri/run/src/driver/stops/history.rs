//! What a person edits in the history of a context, at a stop before a turn there.

use super::{Driver, Key, Start};
use crate::codes;
use crate::plan::ROOT_SCOPE;
use plait_core::error::Fault;
use plait_core::id::{ContextId, MessageId};
use plait_journal::{ContextEvent, Event, Side, StopPoint};
use plait_llm::context::{Content, ContextChange, MessageEdit, ToolCall, edited_messages};
use plait_llm::tokens;

impl Driver {
    /// Edits the history of the context that the node uses which is held before its start. Faults `debug.moved_on`, `debug.no_history`,
    /// `debug.bad_history`.
    pub(super) async fn edit_history(
        &mut self,
        stop: u64,
        edits: &[MessageEdit],
    ) -> Result<Result<(), Fault>, Fault> {
        let change = match self.held_activation(stop).and_then(|(point, key)| {
            let change = self.change_of_history(&point, &key, edits)?;
            Ok((key, change))
        }) {
            Ok((key, (context_id, change))) => {
                let changed = ContextEvent::Changed { context_id, change, pending: false };
                Event::Context(self.activation(key.0, &key.1), changed)
            }
            Err(fault) => return Ok(Err(fault)),
        };
        // It counts at once, and not with the success of the activation.
        self.state.apply(&self.plan, &change);
        self.record_events([change])?;
        self.recorder.flush().await?;
        Ok(Ok(()))
    }

    fn change_of_history(
        &self,
        point: &StopPoint,
        key: &Key,
        edits: &[MessageEdit],
    ) -> Result<(ContextId, ContextChange), Fault> {
        let held = self
            .held_start(key)
            .filter(|_| point.side == Side::Before && self.plan.nodes[key.0].node.behavior().uses_context);
        let Some(start) = held.map(|start| self.with_changed_inputs(start)) else { return Err(no_history()) };
        if self.plan.nodes[key.0].scope != ROOT_SCOPE {
            return Err(no_history().hint("Histories can't be edited inside of loops. Stop before the loop."));
        }
        let handle = start.inputs.context()?.ok_or_else(no_history)?;
        let contexts = &self.state.of(&self.plan, key.0, &key.1).contexts;
        let is_hidden = start.hidden_context.as_ref() == Some(&handle.context_id);
        let context = contexts.get(&handle.context_id).filter(|_| !is_hidden).ok_or_else(no_history)?;
        let answered = answered_by(&start, handle.message_id);
        if let Some(edit) = edits.iter().find(|edit| answered.contains(&edit.message)) {
            let message = format!("`{}` is the message that the node answers.", edit.message);
            return Err(Fault::new(codes::DEBUG_BAD_HISTORY, message)
                .hint("Change the input of the node first: then the message is a part of the history."));
        }
        let count = |content: &Content, calls: &[ToolCall]| {
            let of_calls = if calls.is_empty() { 0 } else { tokens::count_tool_calls(&context.model, calls) };
            tokens::count_message(&context.model, content).saturating_add(of_calls)
        };
        let edited = edited_messages(context, edits, self.recorder.next_seq(), count)?;
        Ok((handle.context_id, ContextChange::Edited { edits: edited }))
    }
}

/// The messages that an activation answers: those on its inputs, or without any the one that comes with its context.
fn answered_by(start: &Start, with_context: Option<MessageId>) -> Vec<MessageId> {
    let data =
        || start.inputs.iter().filter(|(port, _)| port.as_str() != "context").flat_map(|(_, data)| data);
    if data().next().is_none() {
        return with_context.into_iter().collect();
    }
    data().filter_map(|datum| datum.message.clone()).collect()
}

fn no_history() -> Fault {
    Fault::new(codes::DEBUG_NO_HISTORY, "There is no history here that can be edited.")
        .hint("Stop before a node that calls a model in a context, outside of loops.")
}
