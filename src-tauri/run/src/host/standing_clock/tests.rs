use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::watch;

use super::{Clock, StandingClock, sleep_unless_held};
use crate::debugger::{BranchHold, Debugger};
use plait_journal::DebugVerb;

/// A clock that the test sets, in milliseconds.
struct SetClock(watch::Sender<u64>);

impl Clock for SetClock {
    fn now_ms(&self) -> u64 {
        *self.0.borrow()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let due = self.now_ms() + u64::try_from(duration.as_millis()).unwrap();
        let mut now = self.0.subscribe();
        Box::pin(async move {
            let _ = now.wait_for(|now| *now >= due).await;
        })
    }

    fn random(&self) -> f64 {
        0.5
    }
}

#[test]
fn time_in_which_the_tree_stood_still_does_not_count_for_an_activation_held_after_it() {
    let set = Arc::new(SetClock(watch::channel(0).0));
    let (debugger, hold) = (Debugger::default(), BranchHold::default());
    let clock: Arc<dyn Clock> =
        Arc::new(StandingClock::new(Arc::clone(&set) as Arc<dyn Clock>, debugger.clone()));
    let mut sleep = sleep_unless_held(&clock, &debugger, Duration::from_secs(2), Some(&hold));
    let mut is_over_at = |now: u64| {
        set.0.send_replace(now);
        (&mut sleep).now_or_never().is_some()
    };
    assert!(!is_over_at(0));
    assert!(!is_over_at(500));
    debugger.hold(&"run".into());
    assert!(!is_over_at(500));
    let call = hold.hold();
    assert!(!is_over_at(100_000));
    debugger.release(DebugVerb::Continue);
    assert!(!is_over_at(100_000));
    drop(call);
    assert!(!is_over_at(100_000));
    assert!(!is_over_at(101_499));
    assert!(is_over_at(101_500));
}
