//! What comes of running nodes: what they say on the way, and how their tries end.

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;

use super::attempt::{self, Attempt, Done, Outcome};
use super::scoped_state::is_unordered;
use super::{Driver, turns};
use crate::codes;
use crate::node::{Pause, Signal};
use crate::plan::NodeIx;
use plait_core::error::Fault;
use plait_core::id::{Activation, ContextId, Epoch};
use plait_journal::{Event, NodeEvent};
use plait_llm::quota::is_limit_of_tree;

/// What is left to do with an outcome before anything follows from it.
enum Remaining {
    Nothing,
    /// It was paid for or done outside: it has to survive a crash.
    Flush,
    /// It asks a person, and nothing of it is in the journal.
    Question {
        key: (NodeIx, Epoch),
        activation: Activation,
        question: Box<Pause>,
    },
}

impl Driver {
    /// Takes the outcome of an attempt.
    pub(super) async fn settle(
        &mut self,
        done: Box<Done>,
        running: &mut FuturesUnordered<BoxFuture<'_, Done>>,
    ) -> Result<(), Fault> {
        self.sleeping -= usize::from(done.was_sleeping);
        if self.has_ended() || matches!(done.outcome, Outcome::Stopped) {
            return Ok(());
        }
        // What the node had to say comes before its outcome.
        self.handle_pending_signals().await?;
        let done = if self.is_debugged() && !self.is_delivery_passing(&done) {
            // Boxed, so that runs without a debugger do not carry its state.
            Box::pin(self.hold_delivery(*done)).await?.map(Box::new)
        } else {
            Some(done)
        };
        match done {
            Some(done) => self.deliver(done, running).await,
            None => Ok(()),
        }
    }

    /// Passes on the outcome of an attempt.
    pub(super) async fn deliver(
        &mut self,
        done: Box<Done>,
        running: &mut FuturesUnordered<BoxFuture<'_, Done>>,
    ) -> Result<(), Fault> {
        match self.record_outcome(done, running)? {
            Remaining::Nothing => Ok(()),
            Remaining::Flush => self.recorder.flush().await,
            // Boxed, so that outcomes without a question do not carry its state.
            Remaining::Question { key, activation, question } => {
                Box::pin(self.record_question(key, activation, *question)).await
            }
        }
    }

    /// Records the outcome of an attempt, except a question.
    fn record_outcome(
        &mut self,
        mut done: Box<Done>,
        running: &mut FuturesUnordered<BoxFuture<'_, Done>>,
    ) -> Result<Remaining, Fault> {
        if self.has_ended() {
            return Ok(Remaining::Nothing);
        }
        let activation = self.activation(done.attempt.node, &done.attempt.epoch);
        let key = (done.attempt.node, done.attempt.epoch.clone());
        if !self.aborts.is_empty() {
            self.aborts.remove(&key);
        }
        if self.plan.is_in_loop(key.0) && !self.scheduler.is_open(key.0, &key.1) {
            // The iteration has ended without it.
            return Ok(Remaining::Nothing);
        }
        if let Some(refusal) = self.refuse_unordered_changes(&key, &done.outcome) {
            done.outcome = Outcome::Failed(refusal);
        }
        match done.outcome {
            Outcome::Finished { output, written, duration_ms } => {
                let pending = self.plan.is_in_loop(key.0);
                let mut events =
                    turns::events(&activation, &written, self.run.info.earlier_of(&activation), pending);
                let mut known = 0;
                if !self.uncommitted.is_empty()
                    && let Some(journaled) = self.uncommitted.remove(&key)
                {
                    // What was journaled before a crash counts, also where this attempt came to another result.
                    known = journaled.len().min(events.len());
                    events.splice(..known, journaled.into_iter().take(known));
                }
                for event in &events {
                    self.state.apply(&self.plan, event);
                }
                events.drain(..known);
                let bought = self.recorded.forget(&key);
                self.forget_answers(&key);
                let durable = bought || !events.is_empty();
                let finished = attempt::finished(activation, output, done.origins, duration_ms);
                self.turns.close(done.attempt.node, &done.attempt.epoch);
                self.stops.close(&key);
                self.recorder.begin();
                for event in events {
                    self.stage_event(event)?;
                }
                self.stage_event(finished)?;
                self.commit_events()?;
                if durable {
                    return Ok(Remaining::Flush);
                }
            }
            Outcome::Paused(question) => return Ok(Remaining::Question { key, activation, question }),
            Outcome::Retrying { delay_ms, error } => {
                let attempt = done.attempt.number;
                let given_up = self.turns.discard(&self.plan, done.attempt.node, &done.attempt.epoch);
                let retrying = Event::Node(
                    activation,
                    NodeEvent::Retrying { attempt, delay_ms, error: Box::new(error), dropped: None },
                );
                self.recorded.keep(&self.plan, &retrying);
                self.record_events(given_up.into_iter().chain([retrying]))?;
                self.sleep_before_retry(done.attempt, delay_ms, running);
            }
            Outcome::Stopped => {}
            Outcome::RetryDue => {
                self.restart_queue.extend(self.scheduler.running(done.attempt.node, &done.attempt.epoch));
            }
            Outcome::Failed(error) => {
                self.recorded.forget(&key);
                self.forget_answers(&key);
                self.uncommitted.remove(&key);
                self.stops.close(&key);
                let handled =
                    self.plan.nodes[done.attempt.node].handles_error && !is_limit_of_tree(&error.code);
                // A node that gave its turn up itself has none any more; one that ran out of time or broke down has.
                let given_up = self.turns.discard(&self.plan, done.attempt.node, &done.attempt.epoch);
                let failed = Event::Node(
                    activation,
                    NodeEvent::Failed { error: Box::new(error), handled, origins: done.origins },
                );
                self.record_events(given_up.into_iter().chain([failed]))?;
            }
        }
        Ok(Remaining::Nothing)
    }

    /// Forgets how many answers an activation got that has ended.
    fn forget_answers(&mut self, key: &(NodeIx, Epoch)) {
        // Most runs ask nobody, and an empty map would be asked by hash.
        if !self.answer_counts.is_empty() {
            self.answer_counts.remove(key);
        }
    }

    /// Iterations for items of a list can't reset a context that all of them have, or change its settings: it would be
    /// undefined which change holds.
    fn refuse_unordered_changes(&self, (node, epoch): &(NodeIx, Epoch), outcome: &Outcome) -> Option<Fault> {
        let Outcome::Finished { written, .. } = outcome else { return None };
        let is_refused = |context: &ContextId| {
            !written.created.iter().any(|created| created.context_id == *context)
                && self.state.shares_context(&self.plan, *node, epoch, context)
        };
        let mut changes = written.changes.iter().filter(|(_, change)| is_unordered(change));
        let (context, _) = changes.find(|(context, _)| is_refused(context))?;
        let message = format!(
            "A `forEach` loop can't clear the context `{context}` or change its settings: its iterations share it."
        );
        Some(
            Fault::new(codes::LOOP_CONTEXT_CHANGED, message).hint(
                "Do that before the loop, or work in a context that `newContext` makes inside the loop.",
            ),
        )
    }

    /// Asks a person, or takes what was answered to the same question in the run that this one is forked from.
    async fn record_question(
        &mut self,
        key: (NodeIx, Epoch),
        activation: Activation,
        pause: Pause,
    ) -> Result<(), Fault> {
        let Pause { prompt, schema, tool } = pause;
        let index = self.answer_counts.get(&key).copied().unwrap_or_default();
        let earlier = self.run.info.earlier_of(&activation);
        let known = earlier.and_then(|earlier| earlier.answer(&activation, index, &prompt, &schema));
        let answered = known.is_some();
        if !answered {
            self.questions.insert(activation.clone(), schema.clone());
        }
        let question = Event::Node(activation.clone(), NodeEvent::Paused { prompt, schema, answered, tool });
        self.recorded.keep(&self.plan, &question);
        let mut events = vec![question];
        if let Some((answer, event)) = known {
            events.push(self.answer_event(activation, answer, Some(event)).await?);
        }
        self.record_events(events)?;
        self.recorder.flush().await
    }

    /// Lets an activation wait before its next try.
    pub(super) fn sleep_before_retry(
        &mut self,
        attempt: Attempt,
        delay_ms: u64,
        running: &mut FuturesUnordered<BoxFuture<'_, Done>>,
    ) {
        self.sleeping += 1;
        let key = (attempt.node, attempt.epoch.clone());
        self.stops.retry_waits.insert(key.clone());
        let wait = attempt::retry_after(attempt, delay_ms, &self.host);
        running.push(self.stoppable(key, wait, true));
    }

    /// Handles the signals that running nodes have sent so far.
    pub(super) async fn handle_pending_signals(&mut self) -> Result<(), Fault> {
        while let Ok(signal) = self.signals.try_recv() {
            self.on_signal(signal).await?;
        }
        Ok(())
    }

    /// Handles one signal of a running node.
    pub(super) async fn on_signal(&mut self, signal: Signal) -> Result<(), Fault> {
        if self.has_ended() || self.is_of_ended_iteration(&signal) {
            return Ok(());
        }
        match signal {
            Signal::Call { at, call, tools, open } => {
                self.stops.note_tools(&self.plan, &at, &tools);
                Box::pin(self.hold_call(&at, call, open)).await?;
            }
            Signal::Delta(event) => {
                self.turns.stream(&self.plan, &event);
                self.recorder.show(event);
            }
            Signal::Note(event) => {
                self.turns.note(&self.plan, &event);
                self.recorded.keep(&self.plan, &event);
                self.follow_child(&event);
                self.stops.note(&self.plan, &event);
                // Most of these events are only recorded. A child run that waits also needs action.
                self.record_events([event])?;
            }
            Signal::Durable(event, done) => {
                self.recorded.keep(&self.plan, &event);
                self.stops.note(&self.plan, &event);
                // What is taken from an earlier run is taken from there again after a crash.
                let is_irreplaceable = event.reused().is_none();
                self.recorder.append([event])?;
                if is_irreplaceable {
                    self.recorder.flush().await?;
                }
                // A node that was dropped meanwhile does not listen.
                let _ = done.send(());
            }
        }
        Ok(())
    }

    /// Whether a signal comes from a node in an iteration that has ended. What such a node bought is not kept either: the
    /// activation has its final state.
    fn is_of_ended_iteration(&self, signal: &Signal) -> bool {
        if self.plan.scopes.len() == 1 {
            return false;
        }
        let at = match signal {
            Signal::Call { at, .. } => Some(at),
            Signal::Delta(event) | Signal::Note(event) | Signal::Durable(event, _) => event.activation(),
        };
        at.is_some_and(|at| {
            let node = self.plan.find(&at.node);
            node.is_some_and(|node| self.plan.is_in_loop(node) && !self.scheduler.is_open(node, &at.epoch))
        })
    }
}
