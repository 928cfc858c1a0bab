//! A clock whose sleepers stand still while the run tree does: no timeout, retry delay or `delay` passes at a stop. Where only a branch
//! stands still, that holds for the time limits of what is held.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, Either, FutureExt as _, select, select_all};
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

/// The time limit of one activation, whose clock stands still while the tree does, and while the activation is held alone. `clock` is
/// that of the tree.
pub(crate) fn sleep_unless_held(
    clock: &Arc<dyn Clock>,
    debugger: &Debugger,
    duration: Duration,
    hold: Option<&BranchHold>,
) -> BoxFuture<'static, ()> {
    match hold {
        None => clock.sleep(duration),
        // Both, so that the time in which the tree stands still does not count as passed when the activation is held after it.
        Some(hold) => sleep_while_moving(Arc::clone(clock), vec![debugger.moving(), hold.moving()], duration),
    }
}

/// Sleeps, and stands still while one of these says that time does not pass.
fn sleep_while_moving(
    clock: Arc<dyn Clock>,
    mut moving: Vec<watch::Receiver<bool>>,
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
            for one in &mut moving {
                becomes(one, true).await;
            }
            sleep = clock.sleep(left);
        }
    })
}

/// Sleeps, unless time stops to pass before the sleep is over. Says whether it is over.
async fn passes(sleep: BoxFuture<'static, ()>, moving: &mut [watch::Receiver<bool>]) -> bool {
    let stopped = select_all(moving.iter_mut().map(|one| becomes(one, false).boxed()));
    match select(sleep, stopped).await {
        Either::Left(_) => true,
        Either::Right(((true, ..), _)) => false,
        // The tree or the activation is gone: nothing can hold it any more.
        Either::Right(((false, ..), sleep)) => {
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
        sleep_while_moving(Arc::clone(&self.clock), vec![self.debugger.moving()], duration)
    }

    fn random(&self) -> f64 {
        self.clock.random()
    }
}

#[cfg(test)]
mod tests;
