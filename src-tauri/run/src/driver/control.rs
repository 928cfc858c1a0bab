//! How a person steers a run: answers, pins and cancel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use super::Driver;
use super::attempt::Done;
use super::stops::{DebugCommand, DebugReply};
use crate::codes;
use crate::debugger::{Debugger, Registration};
use crate::scheduler::RunPhase;
use plait_core::attachment::{Attachment, takes_attachments};
use plait_core::error::Fault;
use plait_core::expression::schema::check_answer;
use plait_core::id::{Activation, MessageId};
use plait_journal::{
    Answer, Event, EventRef, LoopEvent, MAX_NESTING_DEPTH, NodeEvent, RunEvent, is_too_deep,
};

/// What a person wants of a run.
pub enum Control {
    /// An answer to a pause, or its end.
    Answer {
        /// Which pause.
        activation: Activation,
        answer: Answer,
        /// Whether it was taken.
        reply: oneshot::Sender<Result<(), Fault>>,
    },
    /// To pin a turn of a loop's conversation, or to take the pin off.
    Pin {
        /// The loop.
        owner: Activation,
        turn: MessageId,
        /// Whether it is to be pinned.
        pinned: bool,
        /// Whether that was done.
        reply: oneshot::Sender<Result<(), Fault>>,
    },
    /// To stop, to go on, and where to stop.
    Debug {
        command: DebugCommand,
        /// Whether it was done.
        reply: DebugReply,
    },
    /// To look at what the run tree has in common: something about it has changed.
    Look,
    /// To end.
    Cancel,
}

/// Steers a driven run. Cheap to clone.
#[derive(Clone)]
pub struct RunHandle {
    controls: ControlSender,
    idle: watch::Receiver<bool>,
}

/// Sends controls, and knows what became of them.
#[derive(Clone)]
struct ControlSender {
    sender: mpsc::UnboundedSender<Control>,
    standing: Arc<Standing>,
}

/// What handles know of the driver.
#[derive(Default)]
struct Standing {
    /// How many controls it has not taken yet.
    pending: AtomicUsize,
    /// Whether it drove the run to its end.
    has_ended: AtomicBool,
}

impl ControlSender {
    fn send(&self, control: Control) -> Result<(), Fault> {
        self.standing.pending.fetch_add(1, Ordering::AcqRel);
        self.sender.send(control).map_err(|_| {
            self.standing.pending.fetch_sub(1, Ordering::AcqRel);
            self.gone()
        })
    }

    /// Why a control was not taken: there is no driver any more.
    fn gone(&self) -> Fault {
        if self.standing.has_ended.load(Ordering::Acquire) {
            return Fault::new(codes::RUN_ENDED, "This run has ended.").hint("Run the flow again.");
        }
        Fault::new(codes::RUN_NOT_RUNNING, "This run is not running any more.")
            .hint("Resume it, then answer.")
    }
}

/// The controls that wait for the driver.
pub(super) struct Controls {
    receiver: mpsc::UnboundedReceiver<Control>,
    standing: Arc<Standing>,
}

impl Controls {
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<Control>> {
        let received = self.receiver.poll_recv(cx);
        if matches!(received, Poll::Ready(Some(_))) {
            self.standing.pending.fetch_sub(1, Ordering::AcqRel);
        }
        received
    }

    pub fn try_recv(&mut self) -> Option<Control> {
        let received = self.receiver.try_recv().ok()?;
        self.standing.pending.fetch_sub(1, Ordering::AcqRel);
        Some(received)
    }

    /// From now on controls are refused because the run has ended.
    pub fn note_end(&self) {
        self.standing.has_ended.store(true, Ordering::Release);
    }
}

/// What the driver has of its handles.
pub(super) struct Steering {
    pub controls: Controls,
    pub idle: watch::Sender<bool>,
}

impl RunHandle {
    pub(super) fn new() -> (Self, Steering) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (idle, is_idle) = watch::channel(false);
        let standing = Arc::<Standing>::default();
        let controls = Controls { receiver, standing: Arc::clone(&standing) };
        (Self { controls: ControlSender { sender, standing }, idle: is_idle }, Steering { controls, idle })
    }

    /// Whether the run is idle: it waits for a person, and has worked off what its nodes and child runs reported. Closed when it is not
    /// driven any more.
    pub fn idle(&self) -> watch::Receiver<bool> {
        self.idle.clone()
    }

    /// Whether the driver has still to look at something that was sent to it: it is not idle, though it does not know yet.
    pub fn has_pending(&self) -> bool {
        self.controls.standing.pending.load(Ordering::Acquire) > 0
    }

    /// Answers a pause. Resolves when the answer survives a crash; faults `answer.not_waiting`, `answer.invalid`.
    pub async fn answer(&self, activation: Activation, value: Value) -> Result<(), Fault> {
        self.give(activation, Answer::Value(Arc::new(value))).await
    }

    /// The same with images and files. Fault `attachment.not_asked` as well.
    pub async fn answer_with(
        &self,
        activation: Activation,
        value: Value,
        attachments: Vec<Attachment>,
    ) -> Result<(), Fault> {
        self.give(activation, Answer::Attached { value: Arc::new(value), attachments }).await
    }

    /// Ends a pause: its outputs are dead, and the run goes on by the ordinary rules.
    pub async fn end(&self, activation: Activation) -> Result<(), Fault> {
        self.give(activation, Answer::End).await
    }

    /// Pins a turn of the conversation of a loop, or takes the pin off, while the run waits for a person: no bound leaves a pinned turn
    /// out of the calls that follow. Resolves when that survives a crash; faults `history.not_waiting`, `history.no_turn`.
    pub async fn pin(&self, owner: Activation, turn: MessageId, pinned: bool) -> Result<(), Fault> {
        let (reply, taken) = oneshot::channel();
        self.controls.send(Control::Pin { owner, turn, pinned, reply })?;
        taken.await.map_err(|_| self.controls.gone())?
    }

    /// Stops the run tree, lets it go on, or sets its breakpoints. Resolves when that survives a crash; faults `debug.*`.
    pub async fn debug(&self, command: DebugCommand) -> Result<(), Fault> {
        let (reply, done) = oneshot::channel();
        self.controls.send(Control::Debug { command, reply })?;
        done.await.map_err(|_| self.controls.gone())?
    }

    /// Wakes the run whenever something changes that its tree has in common, until what this returns is dropped.
    pub(super) fn follow(&self, debugger: &Debugger) -> Registration {
        let controls = self.controls.clone();
        debugger.register(Box::new(move || {
            let _ = controls.send(Control::Look);
        }))
    }

    /// Cancels the run. A run that has ended already stays as it is.
    pub fn cancel(&self) {
        let _ = self.controls.send(Control::Cancel);
    }

    async fn give(&self, activation: Activation, answer: Answer) -> Result<(), Fault> {
        let (reply, taken) = oneshot::channel();
        self.controls.send(Control::Answer { activation, answer, reply })?;
        taken.await.map_err(|_| self.controls.gone())?
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
                    let answered = self.answer_event(activation, answer, None).await?;
                    self.record_events([answered])?;
                    self.recorder.flush().await?;
                }
                // Who asked may have gone.
                let _ = reply.send(taken);
            }
            Control::Pin { owner, turn, pinned, reply } => {
                let was_pinned = self.may_pin(&owner, &turn);
                if was_pinned.as_ref().is_ok_and(|was_pinned| *was_pinned != pinned) {
                    self.record_events([Event::Loop(owner, LoopEvent::HistoryPinned { turn, pinned })])?;
                    self.recorder.flush().await?;
                }
                let _ = reply.send(was_pinned.map(drop));
            }
            Control::Debug { command, reply } => {
                let done = Box::pin(self.on_debug(command, running)).await?;
                let _ = reply.send(done);
            }
            Control::Look | Control::Cancel if self.has_ended() => {}
            Control::Look => Box::pin(self.look(running)).await?,
            Control::Cancel => {
                running.clear();
                self.restart_queue.clear();
                self.stops.clear();
                // A reply that was paid for is kept, though nobody waits for it any more.
                self.handle_pending_signals().await?;
                self.record_events([Event::Run(RunEvent::Canceling)])?;
            }
        }
        Ok(())
    }

    /// The event of an answer. `reused` is the event of an earlier run that it is taken from.
    pub(super) async fn answer_event(
        &mut self,
        activation: Activation,
        answer: Answer,
        reused: Option<EventRef>,
    ) -> Result<Event, Fault> {
        let is_target = self.plan.target.is_some_and(|target| self.plan.nodes[target].id == activation.node);
        if is_target && answer == Answer::End {
            // The run ends with it.
            self.handle_pending_signals().await?;
        }
        if let Some(node) = self.plan.find(&activation.node) {
            *self.answer_counts.entry((node, activation.epoch.clone())).or_default() += 1;
        }
        let answered = Event::Node(activation, NodeEvent::Answered { answer, reused });
        self.recorded.keep(&self.plan, &answered);
        Ok(answered)
    }

    /// Whether a turn is pinned, if a person may change that now: no call is under way that it could come too late for.
    fn may_pin(&self, owner: &Activation, turn: &MessageId) -> Result<bool, Fault> {
        if self.scheduler.phase() != RunPhase::Waiting {
            let message = "A turn can be pinned only while the run waits for a person.";
            return Err(Fault::new(codes::HISTORY_NOT_WAITING, message)
                .hint("Pin it when the run asks, before you answer."));
        }
        self.conversations.is_pinned(&self.plan, owner, turn).ok_or_else(|| {
            let message = format!("The conversation of `{owner}` has no turn `{turn}`.");
            Fault::new(codes::HISTORY_NO_TURN, message)
                .hint("Only turns of a loop that has not ended can be pinned, from the iteration after they were said.")
        })
    }

    fn may_answer(&self, activation: &Activation, answer: &Answer) -> Result<(), Fault> {
        let Some(schema) = self.questions.get(activation).filter(|_| !self.has_ended()) else {
            return Err(Fault::new(
                codes::ANSWER_NOT_WAITING,
                format!("`{activation}` is not waiting for an answer."),
            )
            .hint("It may have been answered elsewhere; look at the run's open pauses."));
        };
        if matches!(answer, Answer::Attached { .. }) && !takes_attachments(schema) {
            let message = format!("The question of `{activation}` takes no images and files.");
            return Err(Fault::new(codes::ATTACHMENT_NOT_ASKED, message)
                .hint("Turn on `attachments` in the settings of the `userInput`, or answer without files."));
        }
        match answer.value() {
            None => Ok(()),
            Some(value) if is_too_deep(value) => {
                let message =
                    format!("This answer is nested deeper than {MAX_NESTING_DEPTH} lists and objects.");
                Err(Fault::new(codes::ANSWER_INVALID, message).hint("Answer with a value that is flatter."))
            }
            Some(value) => check_answer(schema, value),
        }
    }
}
