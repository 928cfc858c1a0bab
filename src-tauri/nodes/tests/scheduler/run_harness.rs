//! Runs a flow to its end: polls the driver by hand, while a seed decides which sleeper wakes next and when a pause is
//! answered.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::future::BoxFuture;
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::{Activation, NodeId};
use plait_journal::earlier_run::EarlierRun;
use plait_journal::view::RunOutline;
use plait_journal::{Answer, Breakpoint, DebugVerb, Entry, Event, FreshFrom, NodeEvent, RunEnd};
use plait_run::host::RunInfo;
use plait_run::plan::Plan;
use plait_run::{DebugCommand, Driver, RunHandle, RunSetup};
use plait_testing::RunStart;

use crate::nodes::Settings;
use crate::nodes::semantics::Script;
use crate::simulation::{ExternalCalls, Simulation, TestJournal};

/// What a run's timing depends on.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    pub seed: u64,
    /// How many of eight naps take time, on average: 0 runs everything inline.
    pub asynchrony: u8,
    /// Whether pauses may be answered while other nodes still run, and not only when nothing else can go on.
    pub eager: bool,
    pub stop: Option<Stop>,
}

/// How a run is stopped, and after how many steps; with a full disk, after how many entries.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    Cancel(usize),
    CancelTwice(usize),
    Crash(usize),
    DiskFull(usize),
    /// By the debugger, as a whole or a branch of it. It goes on again whenever it comes to rest.
    Debug(usize),
}

impl Schedule {
    pub fn seeded(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let asynchrony = [0, 2, 4, 7, 8][rng.usize(..5)];
        Self { seed, asynchrony, eager: rng.bool(), stop: None }
    }

    pub fn stop(self, stop: Stop) -> Self {
        Self { stop: Some(stop), ..self }
    }
}

/// How driving a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    Ended(RunEnd),
    /// Pauses are open that the script does not answer.
    Waiting,
    Crashed,
    /// It has not ended, although there are no sleepers and no open pauses.
    Stuck,
    /// It has taken more steps or written more events than any run should.
    StepLimitReached,
    Faulted(Fault),
}

/// The rest of a run.
pub struct RunRecord {
    pub entries: Vec<Entry>,
    /// How many of the entries are certain to survive a crash.
    pub flushed: usize,
    pub ending: Ending,
    pub external_calls: ExternalCalls,
    /// The pauses with acknowledged answers.
    pub acknowledged: Vec<Activation>,
    /// How often the driver was polled.
    pub steps: usize,
    /// At how many stops it stood at once, at most.
    pub most_stops: usize,
}

/// No run of these tests needs more steps or events, unless it goes on forever.
const MAX_STEPS: usize = 50_000;
const MAX_EVENTS: usize = 500_000;

/// The run's input: a plan, and the answers to its pauses.
#[derive(Clone)]
pub struct Scenario {
    pub plan: Arc<Plan>,
    pub settings: Arc<BTreeMap<NodeId, Settings>>,
    pub script: Script,
}

impl Scenario {
    pub fn new(plan: Plan, flow: &Flow, script: Script) -> Self {
        let settings = flow.nodes.iter().filter_map(|(id, node)| {
            Some((id.clone(), serde_json::from_value(node.config.clone().into()).ok()?))
        });
        Self { plan: Arc::new(plan), settings: Arc::new(settings.collect()), script }
    }

    /// The setup of a driver.
    pub fn setup(&self, simulation: &Simulation, journal: &TestJournal) -> RunSetup {
        RunSetup {
            plan: Arc::clone(&self.plan),
            info: RunInfo {
                run: "run".into(),
                user: plait_core::user::UserName::default(),
                flow_name: "flow".to_owned(),
                folder: None,
                input: None,
                conversation: None,
                grants: None,
                ignores_pins: false,
                earlier: None,
            },
            host: simulation.host(),
            spent_by_children: std::collections::BTreeMap::new(),
            trials: None,
            journal: Box::new(journal.clone()),
            watcher: Box::new(|_| ()),
        }
    }

    /// Runs it from the start.
    pub fn run(&self, schedule: Schedule) -> RunRecord {
        self.resume(&[], schedule)
    }

    /// Resumes it after the entries `before`; from the start if there are none.
    pub fn resume(&self, before: &[Entry], schedule: Schedule) -> RunRecord {
        let simulation = Simulation::new(schedule.seed, schedule.asynchrony);
        self.resume_in(&simulation, before, schedule)
    }

    /// Runs it from the start with these breakpoints. At each stop the seed decides how it goes on, and after `pause` polls it is stopped
    /// wherever it is.
    pub fn debug(&self, breakpoints: Vec<Breakpoint>, pause: usize, schedule: Schedule) -> RunRecord {
        let simulation = Simulation::new(schedule.seed, schedule.asynchrony);
        let journal = TestJournal::new(&simulation, &[]);
        let (mut driver, handle) = Driver::start(self.setup(&simulation, &journal), started()).unwrap();
        driver.set_breakpoints(breakpoints).unwrap();
        let schedule = Schedule { stop: Some(Stop::Debug(pause)), ..schedule };
        self.drive(&simulation, journal, Ok((driver, handle)), schedule)
    }

    /// Runs it from the start with these breakpoints, and continues from each.
    pub fn stop_at(&self, breakpoints: Vec<Breakpoint>, schedule: Schedule) -> RunRecord {
        let simulation = Simulation::new(schedule.seed, schedule.asynchrony);
        let journal = TestJournal::new(&simulation, &[]);
        let (mut driver, handle) = Driver::start(self.setup(&simulation, &journal), started()).unwrap();
        driver.set_breakpoints(breakpoints).unwrap();
        self.drive(&simulation, journal, Ok((driver, handle)), schedule)
    }

    /// Runs it from the start, as a fork of a run with these entries.
    pub fn fork(&self, earlier: &[Entry], schedule: Schedule) -> RunRecord {
        let simulation = Simulation::new(schedule.seed, schedule.asynchrony);
        let journal = TestJournal::new(&simulation, &[]);
        let mut setup = self.setup(&simulation, &journal);
        setup.info.earlier = Some(EarlierRun::of(&"earlier".into(), earlier));
        self.drive(&simulation, journal, Driver::start(setup, started()), schedule)
    }

    /// The same, without what an activation recorded and what follows from it.
    pub fn fork_without(&self, earlier: &[Entry], fresh: &FreshFrom, schedule: Schedule) -> RunRecord {
        let simulation = Simulation::new(schedule.seed, schedule.asynchrony);
        let journal = TestJournal::new(&simulation, &[]);
        let mut setup = self.setup(&simulation, &journal);
        let fresh = self.plan.fresh_from(fresh).unwrap();
        setup.info.earlier = Some(EarlierRun::of(&"earlier".into(), earlier).without(fresh));
        self.drive(&simulation, journal, Driver::start(setup, started()), schedule)
    }

    pub fn resume_in(&self, simulation: &Simulation, before: &[Entry], schedule: Schedule) -> RunRecord {
        let journal = TestJournal::new(simulation, before);
        if let Some(Stop::DiskFull(room)) = schedule.stop {
            journal.limit_entries(before.len() + room);
        }
        let setup = self.setup(simulation, &journal);
        let started =
            if before.is_empty() { Driver::start(setup, started()) } else { Driver::resume(setup, before) };
        self.drive(simulation, journal, started, schedule)
    }

    fn drive(
        &self,
        simulation: &Simulation,
        journal: TestJournal,
        started: Result<(Driver, RunHandle), Fault>,
        schedule: Schedule,
    ) -> RunRecord {
        let mut execution = Execution {
            scenario: self,
            schedule,
            simulation,
            pauses: Pauses::default(),
            answers: Vec::new(),
            acknowledged: Vec::new(),
            debugging: Vec::new(),
            steps: 0,
            most_stops: 0,
            journal,
        };
        let ending = match started {
            Ok((driver, handle)) => execution.drive(Box::pin(driver.drive()), &handle),
            Err(fault) => Ending::Faulted(fault),
        };
        RunRecord {
            entries: execution.journal.entries(),
            flushed: execution.journal.flushed(),
            ending,
            external_calls: simulation.external_calls(),
            acknowledged: execution.acknowledged,
            steps: execution.steps,
            most_stops: execution.most_stops,
        }
    }
}

/// The first event of every run.
pub fn started() -> Event {
    RunStart::new("run").into()
}

struct Execution<'a> {
    scenario: &'a Scenario,
    schedule: Schedule,
    simulation: &'a Simulation,
    journal: TestJournal,
    pauses: Pauses,
    answers: Vec<(Activation, BoxFuture<'a, Result<(), Fault>>)>,
    acknowledged: Vec<Activation>,
    /// Commands to the debugger. Whether they come in time is not of interest.
    debugging: Vec<BoxFuture<'a, Result<(), Fault>>>,
    steps: usize,
    most_stops: usize,
}

/// The open pauses, as far as the journal tells.
#[derive(Default)]
struct Pauses {
    seen: usize,
    open: BTreeMap<Activation, u32>,
    answered: BTreeMap<Activation, u32>,
    /// Pauses that were stopped with the iteration of a loop around them, before or while they were answered.
    stopped: BTreeSet<Activation>,
}

impl Pauses {
    fn look(&mut self, journal: &TestJournal) {
        journal.each_from(self.seen, |event| match event {
            Event::Node(Activation { node, epoch }, NodeEvent::Paused { .. }) => {
                let at = Activation { node: node.clone(), epoch: epoch.clone() };
                let before = self.answered.get(&at).copied().unwrap_or_default();
                self.open.insert(at, before);
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Answered { .. }) => {
                let at = Activation { node: node.clone(), epoch: epoch.clone() };
                self.open.remove(&at);
                *self.answered.entry(at).or_default() += 1;
            }
            Event::Node(at, NodeEvent::Failed { .. } | NodeEvent::Skipped { .. }) => {
                self.open.remove(at);
                self.stopped.insert(at.clone());
            }
            _ => {}
        });
        self.seen = journal.len();
    }
}

#[derive(Default)]
struct WakeFlag(AtomicBool);

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

type Drive<'a> = Pin<Box<dyn Future<Output = Result<RunEnd, Fault>> + Send + 'a>>;

impl<'a> Execution<'a> {
    fn drive(&mut self, mut drive: Drive<'_>, handle: &RunHandle) -> Ending {
        let wake_flag = Arc::new(WakeFlag::default());
        let waker = Waker::from(Arc::clone(&wake_flag));
        let mut cx = Context::from_waker(&waker);
        loop {
            self.steps += 1;
            if self.steps > MAX_STEPS || self.journal.len() > MAX_EVENTS {
                return Ending::StepLimitReached;
            }
            match self.schedule.stop {
                Some(Stop::Cancel(at)) if at == self.steps => handle.cancel(),
                Some(Stop::CancelTwice(at)) if at == self.steps => {
                    handle.cancel();
                    handle.cancel();
                }
                Some(Stop::Debug(at)) if at == self.steps => {
                    let command = self.pause();
                    self.debug(handle, command, &mut cx);
                }
                Some(Stop::Crash(at)) if at == self.steps => return Ending::Crashed,
                _ => {}
            }
            match drive.as_mut().poll(&mut cx) {
                Poll::Ready(Ok(end)) => {
                    self.poll_answers(&mut cx, true);
                    return Ending::Ended(end);
                }
                Poll::Ready(Err(fault)) => return Ending::Faulted(fault),
                Poll::Pending => {}
            }
            self.poll_answers(&mut cx, false);
            if wake_flag.0.swap(false, Ordering::Relaxed) {
                // Sleepers may also wake while the driver yields.
                if self.simulation.sleeping_count() > 0 && self.simulation.choose(2) == 1 {
                    self.wake_some();
                }
                continue;
            }
            if self.wake_or_answer(handle, &mut cx) || self.go_on(handle, &mut cx) {
                continue;
            }
            match self.schedule.stop {
                Some(Stop::Cancel(at) | Stop::CancelTwice(at)) if at > self.steps => {
                    // It came to rest before that step, so cancel it now.
                    self.schedule.stop = None;
                    handle.cancel();
                }
                _ => return self.ending_at_rest(),
            }
        }
    }

    /// Goes on from a stop, if the run or a branch of it stands still.
    fn go_on(&mut self, handle: &RunHandle, cx: &mut Context<'_>) -> bool {
        let mut stops = RunOutline::of(&self.journal.entries()).stops;
        if stops.is_empty() {
            return false;
        }
        self.most_stops = self.most_stops.max(stops.len());
        let verbs = [DebugVerb::Continue, DebugVerb::Over, DebugVerb::Into, DebugVerb::Out, DebugVerb::All];
        let (stop, verb) = match self.schedule.stop {
            Some(Stop::Debug(_)) => {
                let stop = stops.swap_remove(self.simulation.choose(stops.len()));
                (stop, verbs[self.simulation.choose(verbs.len())])
            }
            _ => (stops.swap_remove(0), DebugVerb::Continue),
        };
        self.debug(handle, DebugCommand::Go { verb, stop: stop.number }, cx);
        true
    }

    /// Pauses the whole run, or the branch of some node if it runs.
    fn pause(&self) -> DebugCommand {
        let nodes = &self.scenario.plan.nodes;
        match self.simulation.choose(nodes.len() * 2) {
            node if node < nodes.len() => {
                DebugCommand::PauseBranch { node: nodes[node].id.clone(), epoch: None }
            }
            _ => DebugCommand::Pause,
        }
    }

    fn debug(&mut self, handle: &RunHandle, command: DebugCommand, cx: &mut Context<'_>) {
        let handle = handle.clone();
        let mut debugging: BoxFuture<'a, _> = Box::pin(async move { handle.debug(command).await });
        assert!(debugging.as_mut().poll(cx).is_pending(), "a command is taken by the run alone");
        self.debugging.push(debugging);
    }

    /// Wakes sleepers or answers a pause, if there are any.
    fn wake_or_answer(&mut self, handle: &RunHandle, cx: &mut Context<'_>) -> bool {
        self.pauses.look(&self.journal);
        let sleeping_count = self.simulation.sleeping_count();
        let mut answers = Vec::new();
        if sleeping_count == 0 || self.schedule.eager {
            for (at, before) in &self.pauses.open {
                let underway = self.answers.iter().any(|(other, _)| other == at);
                let answer = self.scenario.script.answer(&self.scenario.settings[&at.node], at, *before);
                if let (Some(answer), false) = (answer, underway) {
                    answers.push((at.clone(), answer));
                }
            }
        }
        let choices = sleeping_count + answers.len();
        if choices == 0 {
            return false;
        }
        // Without eager answers, the first pause is answered first.
        let choice = if self.schedule.eager { self.simulation.choose(choices) } else { 0 };
        if choice < sleeping_count {
            self.wake_some();
            return true;
        }
        let (at, answer) = answers.swap_remove(choice - sleeping_count);
        let (handle, activation) = (handle.clone(), at.clone());
        let mut answering: BoxFuture<'a, _> = Box::pin(async move {
            match answer {
                Answer::Value(value) => handle.answer(activation, (*value).clone()).await,
                Answer::Attached { value, attachments } => {
                    handle.answer_with(activation, (*value).clone(), attachments).await
                }
                Answer::End => handle.end(activation).await,
            }
        });
        let poll = answering.as_mut().poll(cx);
        assert!(poll.is_pending(), "an answer is taken by the run alone");
        self.answers.push((at, answering));
        true
    }

    /// Wakes one sleeper or several.
    fn wake_some(&self) {
        let most = [1, 1, 2, 20][self.simulation.choose(4)];
        for _ in 0..most.min(self.simulation.sleeping_count()) {
            self.simulation.wake_one();
        }
    }

    /// Polls the answers that are not acknowledged yet.
    fn poll_answers(&mut self, cx: &mut Context<'_>, ended: bool) {
        self.pauses.look(&self.journal);
        let mut waiting = Vec::new();
        for (at, mut answering) in self.answers.drain(..) {
            match answering.as_mut().poll(cx) {
                Poll::Ready(Ok(())) => self.acknowledged.push(at),
                Poll::Ready(Err(fault)) => {
                    let is_late = ended || self.pauses.stopped.contains(&at);
                    assert!(is_late, "an answer was refused: {fault}");
                }
                Poll::Pending => waiting.push((at, answering)),
            }
        }
        self.answers = waiting;
    }

    fn ending_at_rest(&self) -> Ending {
        let is_asked = !self.pauses.open.is_empty() && self.answers.is_empty();
        if is_asked { Ending::Waiting } else { Ending::Stuck }
    }
}
