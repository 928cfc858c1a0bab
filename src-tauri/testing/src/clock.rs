//! A clock that advances only by sleeping.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use plait_run::host::Clock;

/// Starts at a fixed time. Sleeping returns at once and advances it, unless the clock is stopped.
#[derive(Default)]
pub struct FakeClock {
    sleeps: Mutex<Vec<Duration>>,
    is_stopped: AtomicBool,
}

/// 1 January 2026, in milliseconds since the Unix epoch.
const START_MS: u64 = 1_767_225_600_000;

impl FakeClock {
    pub fn sleeps(&self) -> Vec<Duration> {
        self.sleeps.lock().clone()
    }

    /// From now on, sleeping never ends.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

impl Clock for FakeClock {
    fn now_ms(&self) -> u64 {
        START_MS
            + u64::try_from(self.sleeps().iter().sum::<Duration>().as_millis()).unwrap_or(u64::MAX - START_MS)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Box::pin(std::future::pending());
        }
        self.sleeps.lock().push(duration);
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> f64 {
        0.5
    }
}
