//! How a person steers a run: answers and cancel.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::Driver;
use super::attempt::Done;
use crate::error::{ErrorCode, Fault};
use crate::expression::schema::check_answer;
use crate::id::Activation;
use crate::journal::{Answer, Event, EventRef, MAX_NESTING_DEPTH, NodeEvent, RunEvent, is_too_deep};

/// What a person wants of a run.
pub enum Control {
    /// An answer to a pause, or its end.
    Answer {
        /// Which pause.
        activation: Activation,
        /// The answer.
        answer: Answer,
        /// Whether it was taken.
        reply: oneshot::Sender<Result<(), Fault>>,
    },
    /// To stop.
    Cancel,
}

/// Steers a driven run. Cheap to clone.
#[derive(Clone)]
pub struct RunHandle(mpsc::UnboundedSender<Control>);

impl RunHandle {
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<Control>) {
        let (controls, received) = mpsc::unbounded_channel();
        (Self(controls), received)
    }

    /// Answers a pause. Resolves when the answer survives a crash; faults `answer.not_waiting`, `answer.invalid`.
    pub async fn answer(&self, activation: Activation, value: Value) -> Result<(), Fault> {
        self.give(activation, Answer::Value(Arc::new(value))).await
    }

    /// Ends a pause: its outputs are dead, and the run goes on by the ordinary rules.
    pub async fn end(&self, activation: Activation) -> Result<(), Fault> {
        self.give(activation, Answer::End).await
    }

    /// Cancels the run. A run that has ended already stays as it is.
    pub fn cancel(&self) {
        let _ = self.0.send(Control::Cancel);
    }

    async fn give(&self, activation: Activation, answer: Answer) -> Result<(), Fault> {
        let gone = || {
            Fault::new(ErrorCode::RunNotRunning, "This run is not running any more.")
                .hint("Resume it, then answer.")
        };
        let (reply, taken) = oneshot::channel();
        self.0.send(Control::Answer { activation, answer, reply }).map_err(|_| gone())?;
        taken.await.map_err(|_| gone())?
    }
}

impl Driver {
    /// Takes what a person wants.
    pub(super) async fn on_control(
        &mut self,
        control: Control,
        running: &mut FuturesUnordered<BoxFuture<'_, Done>>,
    ) -> Result<(), Fault> {
        match control {
            Control::Answer { activation, answer, reply } => {
                let taken = self.may_answer(&activation, &answer);
                if taken.is_ok() {
                    self.questions.remove(&activation);
                    let events = self.answer_events(activation, answer, None).await?;
                    self.record_events(events)?;
                    self.recorder.flush().await?;
                }
                // Who asked may have gone.
                let _ = reply.send(taken);
            }
            Control::Cancel if self.has_ended() => {}
            Control::Cancel => {
                self.cancel.cancel();
                running.clear();
                self.restart_queue.clear();
                // A reply that was paid for is kept, though nobody waits for it any more.
                self.handle_pending_signals().await?;
                let mut events = self.turns.discard_all(&self.plan);
                events.push(Event::Run(RunEvent::Canceling));
                self.record_events(events)?;
            }
        }
        Ok(())
    }

    /// The events of an answer. `reused` is the event of an earlier run that it is taken from.
    pub(super) async fn answer_events(
        &mut self,
        activation: Activation,
        answer: Answer,
        reused: Option<EventRef>,
    ) -> Result<Vec<Event>, Fault> {
        let is_target = self.plan.target.is_some_and(|target| self.plan.nodes[target].id == activation.node);
        let mut events = Vec::new();
        if is_target && answer == Answer::End {
            // The run ends with it.
            self.handle_pending_signals().await?;
            events = self.turns.discard_all(&self.plan);
        }
        if let Some(node) = self.plan.find(&activation.node) {
            *self.answer_counts.entry((node, activation.epoch.clone())).or_default() += 1;
        }
        let answered = Event::Node(activation, NodeEvent::Answered { answer, reused });
        self.recorded.keep(&self.plan, &answered);
        events.push(answered);
        Ok(events)
    }

    fn may_answer(&self, activation: &Activation, answer: &Answer) -> Result<(), Fault> {
        let Some(schema) = self.questions.get(activation).filter(|_| !self.has_ended()) else {
            return Err(Fault::new(
                ErrorCode::AnswerNotWaiting,
                format!("`{activation}` is not waiting for an answer."),
            )
            .hint("It may have been answered elsewhere; look at the run's open pauses."));
        };
        match answer {
            Answer::End => Ok(()),
            Answer::Value(value) if is_too_deep(value) => {
                let message =
                    format!("This answer is nested deeper than {MAX_NESTING_DEPTH} lists and objects.");
                Err(Fault::new(ErrorCode::AnswerInvalid, message)
                    .hint("Answer with a value that is flatter."))
            }
            Answer::Value(value) => check_answer(schema, value),
        }
    }
}
