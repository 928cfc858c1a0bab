//! The driver: carries out what the scheduler allows, and feeds it what happens.
//!
//! Owns the run's journal, contexts and running nodes. Write-ahead: an event is appended before its successors act on it,
//! and what was bought or done outside is flushed before anything follows.

mod aborts;
mod answers;
mod attempt;
mod body_path;
mod control;
mod conversations;
mod effects;
mod outcome;
mod quotas;
mod recorder;
mod restore;
mod scoped_state;
mod stops;
mod trials;
mod turns;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::Poll;

use futures::StreamExt;
use futures::future::{AbortHandle, BoxFuture, FutureExt};
use futures::stream::FuturesUnordered;
use rustc_hash::FxHashMap;
use serde_json::Value;
use tokio::sync::mpsc;

use super::scheduler::{RunPhase, Scheduler, Start};
use crate::codes;
use crate::debugger::Registration;
use crate::host::RunInfo;
use crate::host::{Host, StandingClock};
use crate::node::{RunContext, Signal};
use crate::plan::{NodeIx, Plan};
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch, RunId};
use plait_core::origin::Origins;
use plait_core::quota::Amount;
use plait_journal::{Entry, Event, Journal, MAX_NESTING_DEPTH, NodeEvent, RunEnd, RunEvent, is_too_deep};
use plait_llm::quota::TreeCount;

use attempt::{Attempt, Begun, Done, Outcome};
use control::Steering;
pub use control::{Control, RunHandle};
use conversations::Conversations;
use effects::RecordedEffects;
use quotas::Quotas;
use recorder::Recorder;
use restore::{Restored, restore};
use scoped_state::ScopedState;
use stops::Stops;
pub use stops::{DebugCommand, DebugReply};
use trials::Trials;
pub use trials::{TrialConfigs, TrialPlanner};
use turns::OpenTurns;

/// Sees every entry as it is appended, and every delta. Called in order; must not block.
pub type Watcher = Box<dyn FnMut(&[Entry]) + Send>;

/// What a run needs.
pub struct RunSetup {
    pub plan: Arc<Plan>,
    /// What does not change during it.
    pub info: RunInfo,
    /// The world.
    pub host: Host,
    /// Where its events go.
    pub journal: Box<dyn Journal>,
    /// Who sees them.
    pub watcher: Watcher,
    /// What child runs that have ended have used, with the runs below them. Empty for a new run.
    pub spent_by_children: BTreeMap<RunId, Amount>,
    /// Plans the run with configs that persons try. Without one, nobody can.
    pub trials: Option<Arc<dyn TrialPlanner>>,
}

/// How many activations run inline before the driver yields: enough that yielding costs nothing, few enough that
/// a person's cancel takes effect at once.
const YIELD_BUDGET: usize = 256;

/// A run as it is driven.
pub struct Driver {
    plan: Arc<Plan>,
    /// What its nodes are given, with the models of `run.started`.
    run: Arc<RunContext>,
    host: Arc<Host>,
    scheduler: Scheduler,
    recorder: Recorder,
    /// Contexts and the workflow's memory.
    state: ScopedState,
    /// The conversations of loops.
    conversations: Conversations,
    /// What its model calls may use.
    quotas: Quotas,
    /// What open activations paid for or did outside, for restarts.
    recorded: RecordedEffects,
    /// How to abort what runs in iterations of loops, which may end before the run does.
    aborts: FxHashMap<(NodeIx, Epoch), AbortHandle>,
    /// Context events of activations without a journaled success before a crash: not to be journaled twice.
    uncommitted: FxHashMap<(NodeIx, Epoch), Vec<Event>>,
    turns: OpenTurns,
    /// How many answers open activations got.
    answer_counts: FxHashMap<(NodeIx, Epoch), usize>,
    /// JSON Schemas of the answers to the open pauses.
    questions: BTreeMap<Activation, Value>,
    /// Activations to start again, the last one first: after a crash, or to retry.
    restart_queue: Vec<Start>,
    /// Activations that waited for a retry when the journal ended, and how many milliseconds are left.
    pending_retries: Vec<(Attempt, u64)>,
    /// How many running activations only wait for time to pass. They do not count against the concurrency limit.
    sleeping: usize,
    /// What follows from an event; kept to reuse the allocation.
    derived: Vec<Event>,
    signals: mpsc::UnboundedReceiver<Signal>,
    steering: Steering,
    /// Where the run stands still.
    stops: Stops,
    /// What persons try.
    trials: Trials,
    _registration: Registration,
}

/// What a driver waits for.
#[allow(
    clippy::large_enum_variant,
    reason = "it is taken apart where it is made; a box would cost every node one"
)]
enum Input {
    Signal(Signal),
    Control(Control),
    Done(Done),
    /// All that was appended before is on disk.
    Flushed(Result<(), Fault>),
}

impl Driver {
    /// A new run, `first` being its `run.started`; and the handle to steer it by. A value that is given to it and nested
    /// too deep is a fault `input.too_deep`.
    pub fn start(setup: RunSetup, first: Event) -> Result<(Self, RunHandle), Fault> {
        let mut restored = restore(&setup.plan, &[])?;
        if let Event::Run(RunEvent::Started { models, .. }) = &first {
            restored.models = Arc::clone(models);
        }
        let (mut driver, handle) = Self::prepare(setup, restored, &[])?;
        if let Event::Run(RunEvent::Started { set, conversation, .. }) = &first {
            driver.state.set_memory(restore::first_memory(conversation.as_deref()));
            if set.values().flat_map(BTreeMap::values).any(|value| is_too_deep(value)) {
                let message = format!(
                    "A value given to this run is nested deeper than {MAX_NESTING_DEPTH} lists and objects."
                );
                return Err(
                    Fault::new(codes::INPUT_TOO_DEEP, message).hint("Give it a value that is flatter.")
                );
            }
        }
        driver.record_events([first])?;
        Ok((driver, handle))
    }

    /// A run that continues from any prefix of its journal.
    ///
    /// An empty journal is a fault `journal.empty`: such a run never started.
    pub fn resume(setup: RunSetup, entries: &[Entry]) -> Result<(Self, RunHandle), Fault> {
        if entries.is_empty() {
            return Err(Fault::new(codes::JOURNAL_EMPTY, "This run's journal is empty: it never started.")
                .hint("Start the flow again."));
        }
        let mut restored = restore(&setup.plan, entries)?;
        let waits = std::mem::take(&mut restored.waits);
        let (mut driver, handle) = Self::prepare(setup, restored, entries)?;
        let now = driver.host.clock.now_ms();
        for start in driver.scheduler.interrupted() {
            match waits.get(&(start.node, start.epoch.clone())).map(|wait| wait.left(now)) {
                None | Some(0) => driver.restart_queue.push(start),
                Some(left) => driver.pending_retries.push((Attempt::from(&start), left)),
            }
        }
        driver.restart_queue.reverse();
        driver.stops.reentering = driver.restart_queue.len();
        Ok((driver, handle))
    }

    /// Whether a run of `plan` can go on from a journal: whether each entry follows from those before it. Faults
    /// `journal.diverged`, `journal.other_revision`, `journal.impossible`.
    pub fn check_journal(plan: &Arc<Plan>, entries: &[Entry]) -> Result<(), Fault> {
        restore(plan, entries).map(drop)
    }

    fn prepare(
        mut setup: RunSetup,
        restored: Restored,
        entries: &[Entry],
    ) -> Result<(Self, RunHandle), Fault> {
        let (handle, steering) = RunHandle::new();
        let debugger = setup.host.debugger.clone();
        let registration = handle.follow(&debugger);
        setup.host.clock = Arc::new(StandingClock::new(setup.host.clock, debugger));
        let spent_by_children = setup.spent_by_children.values().map(|spent| spent.nano_usd).sum();
        let trials = Trials::restore(setup.trials, &setup.plan, &restored.stops.trials)?;
        let stops = Stops::restore(restored.stops, &setup.plan, &setup.host.debugger, &setup.info.run);
        let info = Arc::new(setup.info);
        let (sender, signals) = mpsc::unbounded_channel();
        let run = RunContext {
            info: Arc::clone(&info),
            models: restored.models,
            flow_window: setup.plan.context_window,
            folders: Arc::clone(&setup.plan.folders),
            memory_settings: Arc::clone(&setup.plan.memory),
            signals: sender,
        };
        let mut quotas = Quotas::new(&setup.plan, info, setup.host.quotas.clone());
        quotas.restore(&setup.plan, &restored.scheduler, entries, &setup.spent_by_children);
        for event in &restored.missing {
            quotas.follow(&setup.plan, &restored.scheduler, event, || setup.host.clock.now_ms());
        }
        let mut driver = Self {
            recorder: Recorder::new(
                setup.journal,
                setup.watcher,
                Arc::clone(&setup.host.clock),
                Arc::clone(&setup.host.quotas.tree),
                entries,
            ),
            plan: setup.plan,
            run: Arc::new(run),
            host: Arc::new(setup.host),
            scheduler: restored.scheduler,
            state: restored.state,
            conversations: restored.conversations,
            quotas,
            recorded: restored.recorded,
            aborts: FxHashMap::default(),
            uncommitted: restored.uncommitted,
            turns: restored.turns,
            answer_counts: restored.answer_counts,
            questions: restored.questions,
            restart_queue: Vec::new(),
            pending_retries: Vec::new(),
            sleeping: 0,
            derived: Vec::new(),
            signals,
            steering,
            stops,
            trials,
            _registration: registration,
        };
        driver.host.debugger.spending().add(spent_by_children);
        if driver.host.debugger.is_active() {
            driver.arm();
            for entry in entries {
                driver.stops.note_recorded(&driver.plan, &entry.event);
            }
        } else {
            for entry in entries {
                driver.stops.count(&entry.event);
            }
        }
        driver.recorder.append(restored.missing)?;
        Ok((driver, handle))
    }

    /// Drives the run to its end. While it waits for a person this stays pending; dropping it then, or at any time, loses
    /// nothing: the run can be resumed from its journal.
    pub async fn drive(mut self) -> Result<RunEnd, Fault> {
        let plan = Arc::clone(&self.plan);
        let mut running: FuturesUnordered<BoxFuture<'_, Done>> = FuturesUnordered::new();
        let mut inline_starts = 0;
        // Controls that came before the loop: a run that is resumed in order to be canceled starts nothing.
        while let Some(control) = self.steering.controls.try_recv() {
            self.on_control(control, &mut running).await?;
        }
        for (attempt, delay_ms) in std::mem::take(&mut self.pending_retries) {
            self.sleep_before_retry(attempt, delay_ms, &mut running);
        }
        loop {
            if self.has_ended() {
                running.clear();
                self.host.debugger.release_branches(&self.run.info.run);
                self.recorder.flush().await?;
                self.steering.controls.note_end();
                return self.recorder.end();
            }
            let mut start = self.next_start(&plan, running.len());
            if start.is_none() && self.is_debugged() {
                let busy = self.busy(running.len());
                // Boxed, so that runs without a debugger do not carry its state.
                start = Box::pin(self.next_start_or_stop(self.has_room(&plan, busy), busy)).await?;
            }
            if let Some(start) = start {
                if let Some(done) = self.begin(&plan, start, &mut running)? {
                    self.settle(done, &mut running).await?;
                }
                inline_starts += 1;
                if inline_starts < YIELD_BUDGET {
                    continue;
                }
            } else if inline_starts < YIELD_BUDGET {
                self.recorder.begin_flush();
                match self.next_input(&mut running).await {
                    Input::Flushed(flushed) => flushed?,
                    Input::Signal(signal) => self.on_signal(signal).await?,
                    Input::Control(control) => self.on_control(control, &mut running).await?,
                    Input::Done(done) => self.settle(Box::new(done), &mut running).await?,
                }
                continue;
            }
            inline_starts = 0;
            self.yield_now(&mut running).await?;
        }
    }

    /// Waits for what happens next. The run is idle as long as nothing happens and only a person can make it go on.
    async fn next_input(&mut self, running: &mut FuturesUnordered<BoxFuture<'_, Done>>) -> Input {
        let is_waiting = self.scheduler.phase() == RunPhase::Waiting && self.restart_queue.is_empty();
        let may_idle = is_waiting || self.is_standing(running.len());
        let (signals, Steering { controls, idle }) = (&mut self.signals, &mut self.steering);
        let recorder = &mut self.recorder;
        futures::future::poll_fn(|cx| {
            idle.send_if_modified(std::mem::take);
            if let Poll::Ready(Some(signal)) = signals.poll_recv(cx) {
                return Poll::Ready(Input::Signal(signal));
            }
            if let Poll::Ready(Some(control)) = controls.poll_recv(cx) {
                return Poll::Ready(Input::Control(control));
            }
            if let Poll::Ready(Some(done)) = running.poll_next_unpin(cx) {
                return Poll::Ready(Input::Done(done));
            }
            if let Poll::Ready(flushed) = recorder.poll_flush(cx) {
                return Poll::Ready(Input::Flushed(flushed));
            }
            // A node that was just polled may have said something. That wakes this task again.
            if may_idle && signals.is_empty() && !recorder.is_flushing() {
                idle.send_replace(true);
            }
            Poll::Pending
        })
        .await
    }

    /// Yields to other tasks, then handles the controls that came meanwhile.
    async fn yield_now(&mut self, running: &mut FuturesUnordered<BoxFuture<'_, Done>>) -> Result<(), Fault> {
        let mut yielded = false;
        futures::future::poll_fn(|cx| {
            if std::mem::replace(&mut yielded, true) {
                return std::task::Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            std::task::Poll::Pending
        })
        .await;
        while let Some(control) = self.steering.controls.try_recv() {
            self.on_control(control, running).await?;
        }
        while let Some(Some(done)) = running.next().now_or_never() {
            self.settle(Box::new(done), running).await?;
        }
        Ok(())
    }

    /// The next activation to start. With a debugger, only one that no place to stop at can be before.
    fn next_start(&mut self, plan: &Plan, running: usize) -> Option<Start> {
        let has_room = self.has_room(plan, self.busy(running));
        if self.is_debugged() {
            return if has_room { self.next_passing() } else { None };
        }
        self.stops.ended_loops.clear();
        if has_room { self.restart_queue.pop().or_else(|| self.scheduler.next_ready()) } else { None }
    }

    /// How many of the running activations do not wait for somebody else. Those hold no place.
    fn busy(&self, running: usize) -> usize {
        running.saturating_sub(self.scheduler.blocked_on_child() + self.stops.held_calls())
    }

    /// Whether another activation may start beside those that are busy.
    fn has_room(&self, plan: &Plan, busy: usize) -> bool {
        busy.saturating_sub(self.sleeping) < plan.max_concurrency
    }

    /// Begins an activation. Gives its outcome at once where it takes no waiting.
    fn begin<'p>(
        &mut self,
        plan: &'p Plan,
        start: Start,
        running: &mut FuturesUnordered<BoxFuture<'p, Done>>,
    ) -> Result<Option<Box<Done>>, Fault> {
        let activation = self.activation(start.node, &start.epoch);
        let may_start = self.host.quotas.tree.check(TreeCount::Events);
        self.record_events([Event::Node(activation, NodeEvent::Started { attempt: start.attempt })])?;
        if let Err(fault) = may_start {
            return Ok(Some(Box::new(Done {
                attempt: Attempt::from(&start),
                outcome: Outcome::Failed(fault),
                origins: Origins::NONE,
                was_sleeping: false,
            })));
        }
        let began_ms = self.recorder.now_ms();
        let cx = self.cx(&start);
        let node = &plan.nodes[start.node];
        let key = (start.node, start.epoch.clone());
        if !self.stops.retry_waits.is_empty() {
            self.stops.retry_waits.remove(&key);
        }
        let begun = match self.trials.plan_of(&start) {
            None => attempt::begin(node, start, cx, &self.host, began_ms),
            Some(trial) => {
                Begun::Waiting(attempt::begin_of(trial, start, cx, Arc::clone(&self.host), began_ms))
            }
        };
        match begun {
            Begun::Done(done) => Ok(Some(done)),
            Begun::Waiting(attempt) => {
                self.sleeping += usize::from(attempt::is_timer(node));
                running.push(self.stoppable(key, attempt, attempt::is_timer(node)));
                Ok(None)
            }
        }
    }

    /// Appends events and their derived events, all of it or none.
    fn record_events(&mut self, events: impl IntoIterator<Item = Event>) -> Result<(), Fault> {
        self.recorder.begin();
        for event in events {
            self.stage_event(event)?;
        }
        self.commit_events()
    }

    /// Adds an event and its derived events to the group that the recorder has begun.
    fn stage_event(&mut self, event: Event) -> Result<(), Fault> {
        let derived = &mut self.derived;
        // Breakpoints are set behind `run.started`, from which loops without anything to do end at once.
        let may_stop = self.stops.is_armed() || self.recorder.next_seq() == 0;
        self.scheduler.apply(&event, derived)?;
        self.conversations.follow(&self.plan, &self.scheduler, &event, derived);
        // Before the event that ends them: nothing else holds their text, so a run resumed behind that event could
        // not discard them in the same way.
        for given_up in self.turns.discard_ended(&self.plan, derived) {
            self.recorder.stage(given_up);
        }
        for event in std::iter::once(&event).chain(derived.iter()) {
            self.quotas.follow(&self.plan, &self.scheduler, event, || self.host.clock.now_ms());
        }
        for follows in derived.iter() {
            self.state.apply(&self.plan, follows);
            if may_stop {
                self.stops.note_derived(&self.plan, follows);
            }
        }
        self.recorder.stage(event);
        self.recorder.stage_derived(derived.drain(..));
        Ok(())
    }

    /// Appends the events that were staged, all or none.
    fn commit_events(&mut self) -> Result<(), Fault> {
        let appended = self.recorder.commit();
        if self.scheduler.take_stopped() {
            self.stop_closed();
        }
        appended
    }

    /// Nothing that comes after a run's end belongs to it.
    fn has_ended(&self) -> bool {
        self.scheduler.phase() == RunPhase::Ended
    }

    fn activation(&self, node: NodeIx, epoch: &Epoch) -> Activation {
        Activation { node: self.plan.nodes[node].id.clone(), epoch: epoch.clone() }
    }
}
