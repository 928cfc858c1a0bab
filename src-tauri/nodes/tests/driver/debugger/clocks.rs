//! The time limit of a node at a stop: what passes there does not count.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::json;
use tokio::sync::watch;

use super::{chat, session_of, tool_round};
use crate::{Stage, of, types};
use plait_journal::DebugVerb;
use plait_journal::view::{RunStatus, RunView};
use plait_run::host::Clock;

/// A clock that a test sets.
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
fn timeout_of_two_seconds_outlasts_a_stop_of_ten() {
    for (at, stopped_ms) in [("c:call", 10_000), ("c:call:branch", 0)] {
        let mut flow = chat();
        flow.0["c"]["limits"] = json!({ "timeoutMs": 2000 });
        let clock = Arc::new(SetClock(watch::channel(0).0));
        let stage = Stage::with(Arc::clone(&clock) as Arc<dyn Clock>);
        tool_round(&stage, 0);
        let mut session = session_of(&stage, &flow, &[at]);
        assert_eq!(session.place(), "c call model call 1");
        clock.0.send_replace(10_000);
        session.pool.run_until_stalled();
        session.go(DebugVerb::Continue);
        session.continue_to_end();
        assert_eq!(session.outline().status, RunStatus::Finished);
        assert!(!types(&of("c", &stage.events())).contains(&"node.failed".to_owned()));
        // Of a branch, the time goes on for the rest of the run.
        assert_eq!(RunView::of(&stage.entries()).totals.stopped_ms, stopped_ms, "{at}");
    }
}
