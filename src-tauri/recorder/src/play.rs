//! Has the driver run a drafted flow with what was observed: its chats tell what the program's calls were, the person gives the messages of
//! its turns, and time is that of the calls. The journal is that of any run, since the driver writes it.

mod observed_chat;
mod timeline;

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::future::{self, BoxFuture, FutureExt as _};
use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::flow::RetryPolicy;
use plait_core::id::{Activation, NodeId};
use plait_journal::{Entry, Event, Journal, NodeEvent};
use plait_run::host::{Clock, Host, RunInfo};
use plait_run::plan::Plan;
use plait_run::{Driver, RunHandle, RunSetup};
use serde_json::Value;

use crate::conversation::{ObservedConversation, ObservedTurn};
use crate::draft::Draft;
use crate::observed::ObservedCall;
use observed_chat::ObservedChat;
use timeline::{Edge, Timeline};

/// What a turn without a message is given as its message.
const NO_MESSAGE: &str = "(no message)";

/// What is observed, as a flow and its calls.
pub struct Observation {
    pub calls: Vec<ObservedCall>,
    pub conversations: Vec<ObservedConversation>,
    pub draft: Draft,
}

/// A run that was played.
pub struct Played {
    pub entries: Vec<Entry>,
    /// Whether it came to its end. It does not if nobody knows what came of a call.
    pub has_ended: bool,
}

impl Observation {
    /// Runs `plan`, which is that of the drafted flow, with what was observed. `first` is its `run.started`; `host` gives what computing
    /// needs and is asked for nothing else.
    pub fn play(
        self,
        mut plan: Plan,
        info: RunInfo,
        host: Host,
        first: Event,
        begun_ms: u64,
    ) -> Result<Played, Fault> {
        let calls: Arc<[ObservedCall]> = self.calls.into();
        let timeline = Arc::new(Timeline::new(&calls, begun_ms));
        let chats: BTreeMap<NodeId, ObservedConversation> =
            self.draft.chats.into_iter().zip(self.conversations).collect();
        let mut turns: BTreeMap<NodeId, Vec<SaidTurn>> = BTreeMap::new();
        for node in &mut plan.nodes {
            let Some(conversation) = chats.get(&node.id) else { continue };
            let of_turns = conversation.turns.iter().map(SaidTurn::of);
            turns.insert(format!("{}-ask", node.id).into(), of_turns.collect());
            // Every attempt that was made is made.
            node.retry = Some(RetryPolicy { attempts: u32::MAX, backoff_ms: 0, ..RetryPolicy::default() });
            node.node = Arc::new(ObservedChat::new(
                Arc::clone(&node.node),
                conversation.turns.clone(),
                Arc::clone(&calls),
                Arc::clone(&timeline),
            ));
        }
        plan.max_concurrency = plan.nodes.len().max(1);
        let entries: Arc<Mutex<Vec<Entry>>> = Arc::default();
        let setup = RunSetup {
            plan: Arc::new(plan),
            info,
            host: Host { clock: Arc::clone(&timeline) as Arc<dyn Clock>, ..host },
            journal: Box::new(Collector(Arc::clone(&entries))),
            watcher: Box::new(|_| ()),
            spent_by_children: BTreeMap::new(),
            trials: None,
        };
        let (driver, handle) = Driver::start(setup, first)?;
        let person = Person {
            handle,
            timeline: Arc::clone(&timeline),
            turns,
            asked: Vec::new(),
            seen: 0,
            entries: Arc::clone(&entries),
        };
        let has_ended = drive(driver, person, &timeline)?;
        let entries = std::mem::take(&mut *entries.lock());
        Ok(Played { entries, has_ended })
    }
}

/// Drives a run to its end, or to where nothing goes on. All that a node waits for is a moment of the timeline, or the person.
fn drive(driver: Driver, mut person: Person, timeline: &Timeline) -> Result<bool, Fault> {
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    let mut driving = pin!(driver.drive());
    loop {
        woken.0.store(false, Ordering::Relaxed);
        match driving.as_mut().poll(&mut context) {
            Poll::Ready(end) => return end.map(|_| true),
            Poll::Pending if woken.0.load(Ordering::Relaxed) => {}
            Poll::Pending => {
                if !person.answer() && !timeline.advance() {
                    return Ok(false);
                }
            }
        }
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What the program said in a turn.
struct SaidTurn {
    message: String,
    /// The call that it said it with.
    call: Option<usize>,
}

impl SaidTurn {
    fn of(turn: &ObservedTurn) -> Self {
        let call = turn.steps.first().and_then(|attempts| attempts.first()).copied();
        Self { message: turn.message.clone(), call }
    }
}

/// Gives what the program said, when it said it: until then the run waits for a person, and its chat has not begun.
struct Person {
    handle: RunHandle,
    timeline: Arc<Timeline>,
    /// What was said, by the node that asks for it.
    turns: BTreeMap<NodeId, Vec<SaidTurn>>,
    /// The questions that are open, each with the moment of its answer.
    asked: Vec<(Activation, BoxFuture<'static, ()>)>,
    /// How many entries were looked at.
    seen: usize,
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Person {
    /// Answers the questions whose moment has come. False if there are none.
    fn answer(&mut self) -> bool {
        self.hear();
        let mut due = Vec::new();
        for (activation, mut moment) in std::mem::take(&mut self.asked) {
            match (&mut moment).now_or_never() {
                Some(()) => due.push(activation),
                None => self.asked.push((activation, moment)),
            }
        }
        for activation in &due {
            let given = match self.turn(activation) {
                None => self.handle.end(activation.clone()).boxed(),
                Some(SaidTurn { message, .. }) => {
                    let text = if message.trim().is_empty() { NO_MESSAGE } else { message };
                    self.handle.answer(activation.clone(), Value::from(text)).boxed()
                }
            };
            // What it resolves to is in the journal.
            let _ = given.now_or_never();
        }
        !due.is_empty()
    }

    /// Takes the questions that were asked since the last time.
    fn hear(&mut self) {
        let new: Vec<Activation> = {
            let entries = self.entries.lock();
            let new = entries[self.seen..].iter().filter_map(|entry| match &entry.event {
                Event::Node(activation, NodeEvent::Paused { .. }) => Some(activation.clone()),
                _ => None,
            });
            let new = new.collect();
            self.seen = entries.len();
            new
        };
        for activation in new {
            let moment = match self.turn(&activation).and_then(|turn| turn.call) {
                Some(call) => self.timeline.reach(call, Edge::Said),
                // The program said nothing more.
                None => future::ready(()).boxed(),
            };
            self.asked.push((activation, moment));
        }
    }

    fn turn(&self, asked: &Activation) -> Option<&SaidTurn> {
        let turn = asked.epoch.0.last().map_or(0, |counter| *counter as usize);
        self.turns.get(&asked.node)?.get(turn)
    }
}

/// Keeps the entries.
struct Collector(Arc<Mutex<Vec<Entry>>>);

impl Journal for Collector {
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        self.0.lock().extend_from_slice(entries);
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Fault>> {
        future::ready(Ok(())).boxed()
    }
}
