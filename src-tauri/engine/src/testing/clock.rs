//! A clock that only moves when somebody sleeps.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::host::Clock;

/// Starts at a fixed moment. Sleeping takes no time and moves it on.
#[derive(Default)]
pub struct FakeClock(Mutex<Vec<Duration>>);

/// When it starts: 1 January 2026, in milliseconds since the Unix epoch.
const START: u64 = 1_767_225_600_000;

impl FakeClock {
    /// How long was slept, each time.
    pub fn sleeps(&self) -> Vec<Duration> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Clock for FakeClock {
    fn now_ms(&self) -> u64 {
        START + u64::try_from(self.sleeps().iter().sum::<Duration>().as_millis()).unwrap_or(u64::MAX - START)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(duration);
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> f64 {
        0.5
    }
}
