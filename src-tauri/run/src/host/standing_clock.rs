//! A clock whose sleepers stand still while the run tree does: no timeout, retry delay or `delay` passes at a stop. Where only a branch
//! stands still, that holds for the time limits of what is held.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, Either, select};

use tokio::sync::watch;

use super::Clock;
use crate::debugger::{BranchHold, Debugger};

pub(crate) struct StandingClock {
    clock: Arc<dyn Clock>,
    debugger: Debugger,
}

impl StandingClock {
    /// The clock of a run of this tree. What time it is does not change by a stop.
    pub fn new(clock: Arc<dyn Clock>, debugger: Debugger) -> Self {
        Self { clock, debugger }
    }
}

/// The time limit of one activation, of which a hold may stop the clock.
pub(crate) fn sleep_unless_held(
    clock: &Arc<dyn Clock>,
    duration: Duration,
    hold: Option<&BranchHold>,
) -> BoxFuture<'static, ()> {
    match hold {
        None => clock.sleep(duration),
        Some(hold) => sleep_while_moving(Arc::clone(clock), hold.moving(), duration),
    }
}

/// Sleeps, and stands still while time does not pass.
fn sleep_while_moving(
    clock: Arc<dyn Clock>,
    mut moving: watch::Receiver<bool>,
    mut left: Duration,
) -> BoxFuture<'static, ()> {
    // Begun at once, so that a fake clock sees it when it is asked for.
    let mut sleep = clock.sleep(left);
    Box::pin(async move {
        loop {
            let began = clock.now_ms();
            if passes(sleep, &mut moving).await {
                return;
            }
            let passed = Duration::from_millis(clock.now_ms().saturating_sub(began));
            left = left.saturating_sub(passed);
            becomes(&mut moving, true).await;
            sleep = clock.sleep(left);
        }
    })
}

/// Sleeps, unless time stops to pass before the sleep is over. Says whether it is over.
async fn passes(sleep: BoxFuture<'static, ()>, moving: &mut watch::Receiver<bool>) -> bool {
    let stopped = pin!(becomes(moving, false));
    match select(sleep, stopped).await {
        Either::Left(_) => true,
        Either::Right((true, _)) => false,
        // The tree is gone: nothing can stop it any more.
        Either::Right((false, sleep)) => {
            sleep.await;
            true
        }
    }
}

/// Resolves when time passes, or does not, as `wanted`. Gives `false` if that never happens.
async fn becomes(moving: &mut watch::Receiver<bool>, wanted: bool) -> bool {
    while *moving.borrow_and_update() != wanted {
        if moving.changed().await.is_err() {
            return false;
        }
    }
    true
}

impl Clock for StandingClock {
    fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        sleep_while_moving(Arc::clone(&self.clock), self.debugger.moving(), duration)
    }

    fn random(&self) -> f64 {
        self.clock.random()
    }
}
