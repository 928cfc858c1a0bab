//! What one event does to the activation it tells of.

use super::node::{
    AttemptView, DroppedSpending, EpochView, ForcedWay, ModelCallView, NodeState, PauseView, ToolCallView,
    TurnState, TurnView,
};
use crate::{CallEvent, ChildEvent, ContextEvent, Event, FinishMetadata, NodeEvent, NodeOutputs};
use plait_core::error::Fault;
use plait_core::id::{ContextId, MessageId};
use plait_core::origin::Origins;
use plait_llm::models::Cost;
use plait_llm::provider::ModelReply;
use plait_llm::tool::SamplingRef;

impl EpochView {
    /// Applies an event of this activation that happened at `at`.
    pub(super) fn apply(&mut self, event: &Event, at: u64) {
        match event {
            Event::Run(_) | Event::Loop(..) | Event::Memory(..) | Event::Debug(_) => {}
            Event::Node(_, event) => self.apply_node_event(event, at),
            Event::Context(_, event) => self.apply_context_event(event),
            Event::Call(_, event) => self.apply_call_event(event, at),
            Event::Child(_, event) => self.apply_child_event(event),
        }
    }

    fn apply_node_event(&mut self, event: &NodeEvent, at: u64) {
        match event {
            NodeEvent::Ready { inputs } => {
                self.state = NodeState::Ready;
                self.inputs.clone_from(inputs);
                self.ready_at = Some(at);
            }
            NodeEvent::Started { attempt } => self.start(*attempt, at),
            NodeEvent::Delta { text, reasoning } => {
                self.streamed.push_str(text);
                self.reasoning.push_str(reasoning);
            }
            NodeEvent::Progressed { progress } => self.progress = Some(progress.clone()),
            NodeEvent::Noticed { notice } => self.notices.push(Fault::clone(notice)),
            NodeEvent::Finished { outputs, messages, metadata } => {
                self.outputs.clone_from(outputs);
                self.messages.clone_from(messages);
                self.origins.clone_from(&metadata.origins);
                self.finish(metadata, at);
            }
            NodeEvent::Skipped { reason, failed } => {
                self.end(NodeState::Skipped, at);
                self.skipped = Some(*reason);
                self.skipped_after.clone_from(failed);
            }
            NodeEvent::Failed { error, handled, origins } => {
                self.origins.clone_from(origins);
                self.fail(error, *handled, at);
            }
            NodeEvent::Retrying { attempt, delay_ms, error, dropped } => {
                self.retry(*attempt, *delay_ms, error, at);
                if let Some(outputs) = dropped {
                    self.drop_outcome(*attempt, outputs);
                }
            }
            NodeEvent::Paused { prompt, schema, tool, .. } => {
                self.state = NodeState::Paused;
                self.pauses.push(PauseView {
                    prompt: prompt.clone(),
                    schema: schema.clone(),
                    tool: tool.clone(),
                    asked_at: at,
                    answered_at: None,
                    answer: None,
                });
            }
            NodeEvent::Answered { answer, .. } => {
                self.state = NodeState::Running;
                if let Some(pause) = self.pauses.last_mut() {
                    pause.answered_at = Some(at);
                    pause.answer = Some(answer.clone());
                }
            }
        }
    }

    fn apply_context_event(&mut self, event: &ContextEvent) {
        match event {
            ContextEvent::Created { context } => self.touch(&context.context_id),
            ContextEvent::Changed { context_id, .. } => self.touch(context_id),
            ContextEvent::TurnStarted { context_id } => {
                self.turn(context_id, TurnState::Started, Vec::new(), None);
            }
            ContextEvent::TurnCommitted { context_id, messages, .. } => {
                let ids = messages.iter().map(|message| message.id.clone()).collect();
                self.turn(context_id, TurnState::Committed, ids, None);
            }
            ContextEvent::TurnDiscarded { context_id, partial } => {
                self.turn(context_id, TurnState::Discarded, Vec::new(), Some(partial.clone()));
            }
            // These are about other activations.
            ContextEvent::Merged { .. } | ContextEvent::Discarded { .. } => {}
        }
    }

    fn apply_call_event(&mut self, event: &CallEvent, at: u64) {
        match event {
            CallEvent::PromptRendered { step, prompt, sampling } => {
                // Each call streams from the start; what an earlier one streamed is in its reply.
                self.streamed.clear();
                self.reasoning.clear();
                let prompt = Some((**prompt).clone());
                self.calls
                    .push(ModelCallView { prompt, ..ModelCallView::begun(*step, sampling.clone(), at) });
            }
            CallEvent::ModelReplied { step, reply, account, origins, sampling, reused, .. } => {
                let call = self.open_call(*step, sampling.as_ref(), at);
                call.ended_at = Some(at);
                call.reply = Some(ModelReply::clone(reply));
                call.account = account.as_deref().cloned();
                call.origins.clone_from(origins);
                call.reused.clone_from(reused);
                if reused.is_some() {
                    return;
                }
                self.usage += reply.usage.unwrap_or_default();
                // Journals of early versions have no accounts, so the price of their calls is unknown.
                self.cost += Cost::of_call(account.as_ref().and_then(|account| account.cost_nano_usd));
            }
            CallEvent::ModelFailed { .. } => self.cost += Cost::of_call(None),
            CallEvent::KnowledgeRetrieved { retrieval, .. } => self.retrieval = Some((**retrieval).clone()),
            // The run's view has the quotas, and the node's outputs hold the memories.
            CallEvent::QuotaReserved { .. }
            | CallEvent::QuotaReconciled { .. }
            | CallEvent::MemoryRecalled { .. }
            | CallEvent::MemoryRemembered { .. } => {}
            CallEvent::ToolCalled { step, call, .. } => {
                let new = ToolCallView {
                    step: *step,
                    call: call.clone(),
                    started_at: at,
                    ended_at: None,
                    progress: None,
                    result: None,
                    error: None,
                    origins: Origins::NONE,
                    reused: None,
                };
                // A call that was interrupted is made again.
                match self.open_tool_call(*step, &call.id) {
                    Some(interrupted) => *interrupted = new,
                    None => self.tools.push(new),
                }
            }
            CallEvent::ToolProgressed { step, call_id, progress } => {
                if let Some(tool) = self.open_tool_call(*step, call_id) {
                    tool.progress = Some(progress.clone());
                }
            }
            CallEvent::ToolFinished { step, call_id, result, error, origins, reused } => {
                if let Some(tool) = self.open_tool_call(*step, call_id) {
                    tool.ended_at = Some(at);
                    tool.progress = None;
                    tool.result.clone_from(result);
                    tool.error = error.as_deref().cloned();
                    tool.origins.clone_from(origins);
                    tool.reused.clone_from(reused);
                }
            }
        }
    }

    /// The call that has not ended yet.
    fn open_tool_call(&mut self, step: u32, id: &str) -> Option<&mut ToolCallView> {
        let mut latest = self.tools.iter_mut().rev();
        latest.find(|tool| tool.step == step && tool.call.id == id && tool.ended_at.is_none())
    }

    fn apply_child_event(&mut self, event: &ChildEvent) {
        match event {
            ChildEvent::Started { run } => {
                if self.children.last() != Some(run) {
                    self.children.push(run.clone());
                }
            }
            ChildEvent::Asked { .. } => {}
            ChildEvent::Waiting { .. } => self.state = NodeState::Paused,
            ChildEvent::Resumed { .. } => self.state = NodeState::Running,
        }
    }

    fn start(&mut self, attempt: u32, at: u64) {
        self.state = NodeState::Running;
        self.started_at.get_or_insert(at);
        if !self.goes_on_with(attempt) {
            self.attempts.push(AttemptView {
                attempt,
                started_at: at,
                ended_at: None,
                error: None,
                delay_ms: None,
                dropped: None,
            });
        }
        self.error = None;
        self.progress = None;
        self.streamed.clear();
        self.reasoning.clear();
    }

    /// Whether the start of this attempt is that of one which a pause or a crash had interrupted.
    pub(super) fn goes_on_with(&self, attempt: u32) -> bool {
        self.attempts.last().is_some_and(|last| last.attempt == attempt && last.error.is_none())
    }

    fn finish(&mut self, metadata: &FinishMetadata, at: u64) {
        self.end(if metadata.cached { NodeState::Cached } else { NodeState::Done }, at);
        // What the node says of itself goes before what was added up; what came from a cache cost nothing.
        if metadata.cached {
            (self.usage, self.cost) =
                self.dropped.map(|dropped| (dropped.usage, dropped.cost)).unwrap_or_default();
        } else if let Some(usage) = metadata.token_usage {
            self.usage = usage;
            self.usage += self.dropped.map(|dropped| dropped.usage).unwrap_or_default();
        }
        // The end of a loop is derived, so nobody has measured it.
        let duration_ms = self.iterating_since.map_or(metadata.duration_ms, |since| at.saturating_sub(since));
        self.metadata = Some(FinishMetadata { duration_ms, ..metadata.clone() });
    }

    /// A person chose another way. Of several choices, the first names what the node chose.
    pub(super) fn force(&mut self, way: ForcedWay) {
        let from = self.forced.take().map_or(way.from, |first| first.from);
        self.forced = Some(ForcedWay { from, ..way }).filter(|way| way.from != way.to);
    }

    pub(super) fn begin_iteration(&mut self, at: u64) {
        self.iterating_since.get_or_insert(at);
    }

    fn fail(&mut self, error: &Fault, handled: bool, at: u64) {
        self.end(NodeState::Failed, at);
        if let Some(last) = self.attempts.last_mut() {
            last.error = Some(error.clone());
        }
        self.error = Some(error.clone());
        self.handled = handled;
    }

    fn retry(&mut self, attempt: u32, delay_ms: u64, error: &Fault, at: u64) {
        self.state = NodeState::Retrying;
        self.progress = None;
        self.error = Some(error.clone());
        if let Some(last) = self.attempts.last_mut().filter(|last| last.attempt == attempt) {
            last.ended_at = Some(at);
            last.error = Some(error.clone());
            last.delay_ms = Some(delay_ms);
        }
    }

    /// A person has it run again: what it has used so far adds to what the next attempt uses.
    fn drop_outcome(&mut self, attempt: u32, outputs: &NodeOutputs) {
        if let Some(last) = self.attempts.last_mut().filter(|last| last.attempt == attempt) {
            last.dropped = Some(outputs.clone());
        }
        self.dropped = Some(DroppedSpending { usage: self.usage, cost: self.cost });
        self.forced = None;
    }

    fn end(&mut self, state: NodeState, at: u64) {
        self.state = state;
        self.ended_at = Some(at);
        self.error = None;
        self.progress = None;
        if let Some(last) = self.attempts.last_mut() {
            last.ended_at.get_or_insert(at);
        }
    }

    fn turn(&mut self, id: &ContextId, state: TurnState, messages: Vec<MessageId>, partial: Option<String>) {
        self.touch(id);
        self.turn = Some(TurnView { context_id: id.clone(), state, messages, partial });
    }

    fn touch(&mut self, id: &ContextId) {
        if !self.contexts.contains(id) {
            self.contexts.push(id.clone());
        }
    }

    /// The call of that step, or for that request of a tool, that has no reply yet; made up where tracing had left it out.
    fn open_call(&mut self, step: u32, sampling: Option<&SamplingRef>, at: u64) -> &mut ModelCallView {
        let is_open = |call: &ModelCallView| {
            call.step == step && call.sampling.as_ref() == sampling && call.reply.is_none()
        };
        let index = self.calls.iter().rposition(is_open).unwrap_or_else(|| {
            self.calls.push(ModelCallView::begun(step, sampling.cloned(), at));
            self.calls.len() - 1
        });
        &mut self.calls[index]
    }
}
