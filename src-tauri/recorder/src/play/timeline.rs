//! The time of a run that is played: it passes from one observed moment to the next, whenever nothing else goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{self, BoxFuture, FutureExt as _};
use parking_lot::Mutex;
use plait_run::host::Clock;

use crate::observed::{ObservedCall, Outcome};

/// What happens at a moment of a call, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Edge {
    /// The program has what it says with the call.
    Said,
    Begin,
    End,
}

type Moment = (u64, usize, Edge);

pub(super) struct Timeline {
    now: AtomicU64,
    /// The moments that nobody has reached yet.
    moments: Mutex<BTreeSet<Moment>>,
    waiting: Mutex<BTreeMap<(usize, Edge), oneshot::Sender<()>>>,
}

impl Timeline {
    pub(super) fn new(calls: &[ObservedCall], begun_ms: u64) -> Self {
        let mut moments = BTreeSet::new();
        for (at, call) in calls.iter().enumerate() {
            moments.extend([Edge::Said, Edge::Begin].map(|edge| (call.begun_ms, at, edge)));
            // What nobody knows the end of never ends.
            if call.outcome != Outcome::Open {
                moments.insert((call.ended_ms, at, Edge::End));
            }
        }
        Self { now: AtomicU64::new(begun_ms), moments: Mutex::new(moments), waiting: Mutex::default() }
    }

    /// Waits until time has come to a moment of a call.
    pub(super) fn reach(&self, call: usize, edge: Edge) -> BoxFuture<'static, ()> {
        let (reached, when) = oneshot::channel();
        self.waiting.lock().insert((call, edge), reached);
        async move {
            // A moment that never comes leaves the call open.
            if when.await.is_err() {
                future::pending::<()>().await;
            }
        }
        .boxed()
    }

    /// Passes to the next moment that a call waits for. False if none waits for one that comes.
    pub(super) fn advance(&self) -> bool {
        let mut moments = self.moments.lock();
        let mut waiting = self.waiting.lock();
        let next = moments.iter().find(|(_, call, edge)| waiting.contains_key(&(*call, *edge))).copied();
        let Some((at, call, edge)) = next else { return false };
        moments.remove(&(at, call, edge));
        self.now.fetch_max(at, Ordering::Relaxed);
        waiting.remove(&(call, edge)).is_some_and(|reached| reached.send(()).is_ok() || !moments.is_empty())
    }
}

impl Clock for Timeline {
    fn now_ms(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        future::ready(()).boxed()
    }

    fn random(&self) -> f64 {
        0.0
    }
}
