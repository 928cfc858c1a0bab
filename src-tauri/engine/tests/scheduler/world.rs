//! The world around a run in these tests: a clock whose sleepers wake in an order that a seed decides, an outside that
//! counts its calls, and a journal that knows what a crash would leave.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use plait_engine::Value;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::host::{Clock, Host};
use plait_engine::id::Activation;
use plait_engine::journal::{Entry, Event, Journal};
use plait_engine::provider::{Provider, Providers};
use plait_engine::subflow::NoSubflows;
use plait_engine::tool::{ToolHost, ToolInvocation, ToolSpec};

use crate::nodes::meaning;

/// The world. Clones share it.
#[derive(Clone)]
pub struct World(Arc<Mutex<State>>);

struct State {
    chance: fastrand::Rng,
    /// Of eight naps, so many take time.
    asynchrony: u8,
    /// Sleepers wake when they are due, rather than in any order.
    punctual: bool,
    now: u64,
    sleepers: BTreeMap<u64, Sleeper>,
    next: u64,
    outside: Outside,
}

#[derive(Default)]
struct Sleeper {
    due: u64,
    fired: bool,
    waker: Option<Waker>,
}

/// What the outside saw of a run.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// Every call that was made to it, by activation and step.
    pub calls: Vec<(Activation, u32)>,
    /// Those of which a node was told that they are on record.
    pub safe: Vec<(Activation, u32)>,
}

impl World {
    pub fn new(seed: u64, asynchrony: u8) -> Self {
        Self(Arc::new(Mutex::new(State {
            chance: fastrand::Rng::with_seed(seed),
            asynchrony,
            punctual: false,
            now: 1_000,
            sleepers: BTreeMap::new(),
            next: 0,
            outside: Outside::default(),
        })))
    }

    /// A world in which everything takes exactly as long as it says.
    pub fn punctual() -> Self {
        let world = Self::new(0, 8);
        world.lock().punctual = true;
        world
    }

    pub fn host(&self) -> Host {
        Host {
            providers: Arc::new(Nobody),
            tools: Arc::new(self.clone()),
            clock: Arc::new(self.clone()),
            subflows: Arc::new(NoSubflows),
        }
    }

    /// A number below `bound`; 0 in a punctual world.
    pub fn choose(&self, bound: usize) -> usize {
        let mut state = self.lock();
        if state.punctual { 0 } else { state.chance.usize(..bound) }
    }

    pub fn outside(&self) -> Outside {
        self.lock().outside.clone()
    }

    /// How many sleep.
    pub fn asleep(&self) -> usize {
        self.lock().sleepers.values().filter(|sleeper| !sleeper.fired).count()
    }

    /// Wakes one.
    pub fn wake_one(&self) {
        let mut state = self.lock();
        let sleeping: Vec<(u64, u64)> =
            state.sleepers.iter().filter(|(_, it)| !it.fired).map(|(id, it)| (it.due, *id)).collect();
        let at = if state.punctual { 0 } else { state.chance.usize(..sleeping.len()) };
        let mut sleeping = sleeping;
        sleeping.sort_unstable();
        let (due, id) = sleeping[at];
        state.now = state.now.max(due);
        let sleeper = state.sleepers.get_mut(&id).unwrap();
        sleeper.fired = true;
        if let Some(waker) = sleeper.waker.take() {
            drop(state);
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn sleep_for(&self, duration: Duration) -> Sleep {
        let mut state = self.lock();
        let id = state.next;
        state.next += 1;
        let fired = state.chance.u8(..8) >= state.asynchrony;
        let due = state.now + u64::try_from(duration.as_millis()).unwrap();
        state.sleepers.insert(id, Sleeper { due, fired, waker: None });
        Sleep { id, world: self.clone() }
    }
}

struct Sleep {
    id: u64,
    world: World,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.world.lock();
        let sleeper = state.sleepers.get_mut(&self.id).unwrap();
        if sleeper.fired {
            return Poll::Ready(());
        }
        sleeper.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.world.lock().sleepers.remove(&self.id);
    }
}

impl Clock for World {
    fn now_ms(&self) -> u64 {
        let mut state = self.lock();
        // No two schedules see the same times.
        if !state.punctual {
            state.now += state.chance.u64(0..50);
        }
        state.now
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(self.sleep_for(duration))
    }

    fn random(&self) -> f64 {
        0.5
    }
}

#[async_trait]
impl ToolHost for World {
    fn list(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        let at: Activation = serde_json::from_value(call.arguments["activation"].clone()).unwrap();
        let step = u32::try_from(call.arguments["step"].as_u64().unwrap()).unwrap();
        let value = meaning::outside(&at, step);
        let mut state = self.lock();
        match call.name.as_str() {
            "call" => state.outside.calls.push((at, step)),
            _ => state.outside.safe.push((at, step)),
        }
        Ok(value)
    }
}

struct Nobody;

impl Providers for Nobody {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        Err(Fault::new(ErrorCode::ProviderUnknown, format!("Nobody is called {name}.")))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A journal that knows how much of it is flushed. Clones share it.
#[derive(Clone)]
pub struct Tape {
    kept: Arc<Mutex<Kept>>,
    world: World,
}

#[derive(Default)]
struct Kept {
    entries: Vec<Entry>,
    flushed: usize,
    /// After so many entries the disk is full.
    room: Option<usize>,
}

impl Tape {
    pub fn new(world: &World, before: &[Entry]) -> Self {
        let kept = Kept { entries: before.to_vec(), flushed: before.len(), room: None };
        Self { kept: Arc::new(Mutex::new(kept)), world: world.clone() }
    }

    /// Lets no more than this many entries in.
    pub fn room_for(&self, entries: usize) {
        self.kept.lock().unwrap().room = Some(entries);
    }

    pub fn entries(&self) -> Vec<Entry> {
        self.kept.lock().unwrap().entries.clone()
    }

    pub fn len(&self) -> usize {
        self.kept.lock().unwrap().entries.len()
    }

    /// How many entries would survive a crash for certain.
    pub fn flushed(&self) -> usize {
        self.kept.lock().unwrap().flushed
    }

    /// Looks at the events from number `from` on.
    pub fn each_from(&self, from: usize, mut look: impl FnMut(&Event)) {
        self.kept.lock().unwrap().entries[from..].iter().for_each(|entry| look(&entry.event));
    }
}

impl Journal for Tape {
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        let mut kept = self.kept.lock().unwrap();
        if kept.room.is_some_and(|room| kept.entries.len() + entries.len() > room) {
            return Err(Fault::new(ErrorCode::from_wire("test.disk_full"), "The disk is full."));
        }
        kept.entries.extend_from_slice(entries);
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async {
            self.world.sleep(Duration::ZERO).await;
            let mut kept = self.kept.lock().unwrap();
            kept.flushed = kept.entries.len();
            Ok(())
        })
    }
}
