//! The system's implementation of the engine's [`Clock`]: time, timers and random numbers. No deadlines, no time zones.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::future::BoxFuture;
use plait_run::host::Clock;

/// The machine's clock, tokio's timers and a pseudo-random generator (for jitter; not for secrets).
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    /// A clock set before 1970 reads 0; one set past the year 584,000,000 reads the largest number.
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn random(&self) -> f64 {
        fastrand::f64()
    }
}

#[cfg(test)]
mod tests;
