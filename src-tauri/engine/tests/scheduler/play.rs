//! Playing a run to its end: the driver is polled by hand, and a seed decides who wakes next and when a person answers.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::future::BoxFuture;
use plait_engine::error::Fault;
use plait_engine::flow::Flow;
use plait_engine::id::{Activation, NodeId};
use plait_engine::journal::{Answer, Entry, Event, FlowRef, NodeEvent, RunEnd, RunEvent};
use plait_engine::node::RunInfo;
use plait_engine::plan::Plan;
use plait_engine::run::{Driver, RunHandle, RunSetup};

use crate::nodes::Settings;
use crate::nodes::meaning::Script;
use crate::world::{Outside, Tape, World};

/// How a run is played.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    pub seed: u64,
    /// Of eight naps, so many take time: 0 runs everything inline.
    pub asynchrony: u8,
    /// A person may answer while other nodes still run, not only when nothing else can go on.
    pub eager: bool,
    pub stop: Option<Stop>,
}

/// How a run is stopped from outside, and after how many steps.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    Cancel(usize),
    CancelTwice(usize),
    Crash(usize),
    DiskFull(usize),
}

impl Schedule {
    pub fn seeded(seed: u64) -> Self {
        let mut chance = fastrand::Rng::with_seed(seed);
        let asynchrony = [0, 2, 4, 7, 8][chance.usize(..5)];
        Self { seed, asynchrony, eager: chance.bool(), stop: None }
    }

    pub fn stop(self, stop: Stop) -> Self {
        Self { stop: Some(stop), ..self }
    }
}

/// How it came out.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    Ended(RunEnd),
    /// Pauses are open which nobody will answer.
    Waiting,
    Crashed,
    /// Nobody sleeps, nobody is asked, and yet it has not ended.
    Hanging,
    /// It goes on for ever.
    Endless,
    Broken(Fault),
}

/// A run that was played.
pub struct Played {
    pub entries: Vec<Entry>,
    /// How many of the entries a crash would certainly have left.
    pub flushed: usize,
    pub ending: Ending,
    pub outside: Outside,
    /// Pauses whose answer was acknowledged.
    pub acknowledged: Vec<Activation>,
    /// How often the driver was polled or somebody woken.
    pub steps: usize,
}

/// No run of these tests takes so many steps, or tells of so many events, unless it goes on for ever.
const MOST_STEPS: usize = 50_000;
const MAX_EVENTS: usize = 500_000;

/// What is played: a plan, and what is known of its people.
#[derive(Clone)]
pub struct Piece {
    pub plan: Arc<Plan>,
    pub settings: Arc<BTreeMap<NodeId, Settings>>,
    pub script: Script,
}

impl Piece {
    pub fn new(plan: Plan, flow: &Flow, script: Script) -> Self {
        let settings = flow.nodes.iter().filter_map(|(id, node)| {
            Some((id.clone(), serde_json::from_value(node.config.clone().into()).ok()?))
        });
        Self { plan: Arc::new(plan), settings: Arc::new(settings.collect()), script }
    }

    /// What a driver needs to play it in a world, onto a tape.
    pub fn setup(&self, world: &World, tape: &Tape) -> RunSetup {
        RunSetup {
            plan: Arc::clone(&self.plan),
            info: RunInfo {
                run: "run".into(),
                flow_name: "flow".to_owned(),
                folder: None,
                input: None,
                conversation: None,
            },
            host: world.host(),
            journal: Box::new(tape.clone()),
            watcher: Box::new(|_| ()),
        }
    }

    /// Plays it from its start.
    pub fn play(&self, schedule: Schedule) -> Played {
        self.resume(&[], schedule)
    }

    /// Plays what follows on `before`; from its start where that is empty.
    pub fn resume(&self, before: &[Entry], schedule: Schedule) -> Played {
        let world = World::new(schedule.seed, schedule.asynchrony);
        self.resume_in(&world, before, schedule)
    }

    /// The same in a given world.
    pub fn resume_in(&self, world: &World, before: &[Entry], schedule: Schedule) -> Played {
        let tape = Tape::new(world, before);
        if let Some(Stop::DiskFull(room)) = schedule.stop {
            tape.room_for(before.len() + room);
        }
        let setup = self.setup(world, &tape);
        let started =
            if before.is_empty() { Driver::start(setup, started()) } else { Driver::resume(setup, before) };
        let mut stage = Stage {
            piece: self,
            schedule,
            world,
            people: People { seen: 0, open: BTreeMap::new(), given: BTreeMap::new() },
            answers: Vec::new(),
            acknowledged: Vec::new(),
            steps: 0,
            tape,
        };
        let ending = match started {
            Ok((driver, handle)) => stage.perform(Box::pin(driver.drive()), &handle),
            Err(fault) => Ending::Broken(fault),
        };
        Played {
            entries: stage.tape.entries(),
            flushed: stage.tape.flushed(),
            ending,
            outside: world.outside(),
            acknowledged: stage.acknowledged,
            steps: stage.steps,
        }
    }
}

/// The first event of every run here.
pub fn started() -> Event {
    Event::Run(RunEvent::Started {
        run: "run".into(),
        flow: FlowRef { name: "flow".to_owned(), path: None, hash: "hash".to_owned() },
        to: None,
        input: None,
        set: BTreeMap::new(),
        parent_run_id: None,
        conversation: None,
        models: std::sync::Arc::default(),
    })
}

struct Stage<'a> {
    piece: &'a Piece,
    schedule: Schedule,
    world: &'a World,
    tape: Tape,
    people: People,
    answers: Vec<(Activation, BoxFuture<'a, Result<(), Fault>>)>,
    acknowledged: Vec<Activation>,
    steps: usize,
}

/// What people know of the pauses, from the journal alone.
struct People {
    seen: usize,
    open: BTreeMap<Activation, u32>,
    given: BTreeMap<Activation, u32>,
}

impl People {
    fn look(&mut self, tape: &Tape) {
        tape.each_from(self.seen, |event| match event {
            Event::Node(Activation { node, epoch }, NodeEvent::Paused { .. }) => {
                let at = Activation { node: node.clone(), epoch: epoch.clone() };
                let before = self.given.get(&at).copied().unwrap_or_default();
                self.open.insert(at, before);
            }
            Event::Node(Activation { node, epoch }, NodeEvent::Answered { .. }) => {
                let at = Activation { node: node.clone(), epoch: epoch.clone() };
                self.open.remove(&at);
                *self.given.entry(at).or_default() += 1;
            }
            _ => {}
        });
        self.seen = tape.len();
    }
}

#[derive(Default)]
struct Alarm(AtomicBool);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

type Drive<'a> = Pin<Box<dyn Future<Output = Result<RunEnd, Fault>> + Send + 'a>>;

impl<'a> Stage<'a> {
    fn perform(&mut self, mut drive: Drive<'_>, handle: &RunHandle) -> Ending {
        let alarm = Arc::new(Alarm::default());
        let waker = Waker::from(Arc::clone(&alarm));
        let mut cx = Context::from_waker(&waker);
        loop {
            self.steps += 1;
            if self.steps > MOST_STEPS || self.tape.len() > MAX_EVENTS {
                return Ending::Endless;
            }
            match self.schedule.stop {
                Some(Stop::Cancel(at)) if at == self.steps => handle.cancel(),
                Some(Stop::CancelTwice(at)) if at == self.steps => {
                    handle.cancel();
                    handle.cancel();
                }
                Some(Stop::Crash(at)) if at == self.steps => return Ending::Crashed,
                _ => {}
            }
            match drive.as_mut().poll(&mut cx) {
                Poll::Ready(Ok(end)) => {
                    self.hear(&mut cx, true);
                    return Ending::Ended(end);
                }
                Poll::Ready(Err(fault)) => return Ending::Broken(fault),
                Poll::Pending => {}
            }
            self.hear(&mut cx, false);
            if alarm.0.swap(false, Ordering::Relaxed) {
                // The world does not stand still while the driver lets others have a turn.
                if self.world.asleep() > 0 && self.world.choose(2) == 1 {
                    self.wake_some();
                }
                continue;
            }
            if self.let_something_happen(handle, &mut cx) {
                continue;
            }
            match self.schedule.stop {
                Some(Stop::Cancel(at) | Stop::CancelTwice(at)) if at > self.steps => {
                    // It came to rest before; so it is cancelled there.
                    self.schedule.stop = None;
                    handle.cancel();
                }
                _ => return self.nothing_happens(),
            }
        }
    }

    /// Wakes sleepers, or lets a person answer.
    fn let_something_happen(&mut self, handle: &RunHandle, cx: &mut Context<'_>) -> bool {
        self.people.look(&self.tape);
        let asleep = self.world.asleep();
        let mut answers = Vec::new();
        if asleep == 0 || self.schedule.eager {
            for (at, before) in &self.people.open {
                let underway = self.answers.iter().any(|(other, _)| other == at);
                let answer = self.piece.script.answer(&self.piece.settings[&at.node], at, *before);
                if let (Some(answer), false) = (answer, underway) {
                    answers.push((at.clone(), answer));
                }
            }
        }
        let choices = asleep + answers.len();
        if choices == 0 {
            return false;
        }
        // Where people answer only when all is quiet, they answer the first question first.
        let choice = if self.schedule.eager { self.world.choose(choices) } else { 0 };
        if choice < asleep {
            self.wake_some();
            return true;
        }
        let (at, answer) = answers.swap_remove(choice - asleep);
        let (handle, activation) = (handle.clone(), at.clone());
        let mut giving: BoxFuture<'a, _> = Box::pin(async move {
            match answer {
                Answer::Value(value) => handle.answer(activation, (*value).clone()).await,
                Answer::End => handle.end(activation).await,
            }
        });
        let given = giving.as_mut().poll(cx);
        assert!(given.is_pending(), "an answer is taken by the run alone");
        self.answers.push((at, giving));
        true
    }

    /// Often just one; at times many at once.
    fn wake_some(&self) {
        let most = [1, 1, 2, 20][self.world.choose(4)];
        for _ in 0..most.min(self.world.asleep()) {
            self.world.wake_one();
        }
    }

    /// Who answered may have been heard by now.
    fn hear(&mut self, cx: &mut Context<'_>, ended: bool) {
        let mut waiting = Vec::new();
        for (at, mut giving) in self.answers.drain(..) {
            match giving.as_mut().poll(cx) {
                Poll::Ready(Ok(())) => self.acknowledged.push(at),
                Poll::Ready(Err(fault)) => assert!(ended, "an answer was refused: {fault}"),
                Poll::Pending => waiting.push((at, giving)),
            }
        }
        self.answers = waiting;
    }

    fn nothing_happens(&self) -> Ending {
        let is_asked = !self.people.open.is_empty() && self.answers.is_empty();
        if is_asked { Ending::Waiting } else { Ending::Hanging }
    }
}
