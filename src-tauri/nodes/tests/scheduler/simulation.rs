//! The simulated environment of a run: a clock that wakes sleepers in an order set by a seed, a tool host that records its
//! calls, and a journal that knows what would survive a crash.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use plait_core::Value;
use plait_core::error::{ErrorCode, Fault};
use plait_core::id::Activation;
use plait_journal::{Entry, Event, Journal};
use plait_llm::provider::{Provider, Providers};
use plait_llm::retriever::NoRetriever;
use plait_llm::tool::{ToolHost, ToolInvocation, ToolSpec};
use plait_nodes::codes;
use plait_run::host::subflow::NoSubflows;
use plait_run::host::{Clock, Host};

use crate::nodes::semantics;

/// A deterministic environment. Clones share it.
#[derive(Clone)]
pub struct Simulation(Arc<Mutex<State>>);

struct State {
    rng: fastrand::Rng,
    /// How many of eight naps take time, on average.
    asynchrony: u8,
    /// Whether sleepers wake when they are due, rather than in random order.
    punctual: bool,
    now: u64,
    sleepers: BTreeMap<u64, Sleeper>,
    next: u64,
    external_calls: ExternalCalls,
}

#[derive(Default)]
struct Sleeper {
    due: u64,
    fired: bool,
    waker: Option<Waker>,
}

/// The calls to the outside that a run made.
#[derive(Clone, Debug, Default)]
pub struct ExternalCalls {
    /// Every call, by activation and step.
    pub calls: Vec<(Activation, u32)>,
    /// The calls that a node was assured are flushed to the journal.
    pub safe: Vec<(Activation, u32)>,
}

impl Simulation {
    pub fn new(seed: u64, asynchrony: u8) -> Self {
        Self(Arc::new(Mutex::new(State {
            rng: fastrand::Rng::with_seed(seed),
            asynchrony,
            punctual: false,
            now: 1_000,
            sleepers: BTreeMap::new(),
            next: 0,
            external_calls: ExternalCalls::default(),
        })))
    }

    /// An environment in which every sleep takes exactly its duration.
    pub fn punctual() -> Self {
        let simulation = Self::new(0, 8);
        simulation.lock().punctual = true;
        simulation
    }

    pub fn host(&self) -> Host {
        Host {
            providers: Arc::new(NoProviders),
            tools: Arc::new(self.clone()),
            retriever: Arc::new(NoRetriever),
            memories: plait_llm::long_term_memory::NoMemoryStore::shared(),
            attachments: plait_core::attachment::NoAttachmentStore::shared(),
            clock: Arc::new(self.clone()),
            evaluator: Arc::new(plait_core::expression::in_process::InProcess),
            subflows: Arc::new(NoSubflows),
            earlier: plait_journal::earlier_run::EarlierTree::default(),
            debugger: plait_run::debugger::Debugger::default(),
            quotas: plait_llm::quota::QuotaChain::default(),
        }
    }

    /// A random number below `bound`; 0 in a punctual environment.
    pub fn choose(&self, bound: usize) -> usize {
        let mut state = self.lock();
        if state.punctual { 0 } else { state.rng.usize(..bound) }
    }

    pub fn external_calls(&self) -> ExternalCalls {
        self.lock().external_calls.clone()
    }

    pub fn sleeping_count(&self) -> usize {
        self.lock().sleepers.values().filter(|sleeper| !sleeper.fired).count()
    }

    /// Wakes one sleeper.
    pub fn wake_one(&self) {
        let mut state = self.lock();
        let sleeping: Vec<(u64, u64)> =
            state.sleepers.iter().filter(|(_, it)| !it.fired).map(|(id, it)| (it.due, *id)).collect();
        let at = if state.punctual { 0 } else { state.rng.usize(..sleeping.len()) };
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
        let fired = state.rng.u8(..8) >= state.asynchrony;
        let due = state.now + u64::try_from(duration.as_millis()).unwrap();
        state.sleepers.insert(id, Sleeper { due, fired, waker: None });
        Sleep { id, simulation: self.clone() }
    }
}

struct Sleep {
    id: u64,
    simulation: Simulation,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.simulation.lock();
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
        self.simulation.lock().sleepers.remove(&self.id);
    }
}

impl Clock for Simulation {
    fn now_ms(&self) -> u64 {
        let mut state = self.lock();
        // Times differ between schedules, so nothing may depend on them.
        if !state.punctual {
            state.now += state.rng.u64(0..50);
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
impl ToolHost for Simulation {
    fn list(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        let at: Activation = serde_json::from_value(call.arguments["activation"].clone()).unwrap();
        let step = u32::try_from(call.arguments["step"].as_u64().unwrap()).unwrap();
        let value = semantics::external_reply(&at, step);
        let mut state = self.lock();
        match call.tool.name.as_str() {
            "call" => state.external_calls.calls.push((at, step)),
            _ => state.external_calls.safe.push((at, step)),
        }
        Ok(value)
    }
}

struct NoProviders;

impl Providers for NoProviders {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        Err(Fault::new(codes::PROVIDER_UNKNOWN, format!("There is no provider `{name}`.")))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A journal in memory that knows how much of it is flushed. Clones share it.
#[derive(Clone)]
pub struct TestJournal {
    state: Arc<Mutex<JournalState>>,
    simulation: Simulation,
}

#[derive(Default)]
struct JournalState {
    entries: Vec<Entry>,
    flushed: usize,
    /// The number of entries after which the disk is full.
    max_entries: Option<usize>,
}

impl TestJournal {
    pub fn new(simulation: &Simulation, before: &[Entry]) -> Self {
        let state = JournalState { entries: before.to_vec(), flushed: before.len(), max_entries: None };
        Self { state: Arc::new(Mutex::new(state)), simulation: simulation.clone() }
    }

    /// Fails appends beyond this many entries.
    pub fn limit_entries(&self, entries: usize) {
        self.state.lock().unwrap().max_entries = Some(entries);
    }

    pub fn entries(&self) -> Vec<Entry> {
        self.state.lock().unwrap().entries.clone()
    }

    pub fn len(&self) -> usize {
        self.state.lock().unwrap().entries.len()
    }

    /// How many entries are certain to survive a crash.
    pub fn flushed(&self) -> usize {
        self.state.lock().unwrap().flushed
    }

    /// Calls `look` with each event from number `from` on.
    pub fn each_from(&self, from: usize, mut look: impl FnMut(&Event)) {
        self.state.lock().unwrap().entries[from..].iter().for_each(|entry| look(&entry.event));
    }
}

impl Journal for TestJournal {
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        let mut state = self.state.lock().unwrap();
        if state.max_entries.is_some_and(|max_entries| state.entries.len() + entries.len() > max_entries) {
            return Err(Fault::new(ErrorCode::from_wire("test.disk_full"), "The disk is full."));
        }
        state.entries.extend_from_slice(entries);
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Fault>> {
        let (simulation, state) = (self.simulation.clone(), Arc::clone(&self.state));
        let appended = state.lock().unwrap().entries.len();
        Box::pin(async move {
            simulation.sleep(Duration::ZERO).await;
            let mut state = state.lock().unwrap();
            state.flushed = state.flushed.max(appended);
            Ok(())
        })
    }
}
