//! A world that answers nothing new: what is not recorded is waited for, for ever. Nothing is sent, read, started or stored.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::{self, BoxFuture};

use plait_core::error::Fault;
use plait_llm::quota::QuotaChain;
use plait_run::debugger::Debugger;
use plait_run::host::{Clock, Host, Refusal};

/// The host with which a fork is rehearsed, in place of this one: the same tools are offered, requests have the same keys, and the same
/// limits hold the tree. No quota does.
pub fn standing_host(host: Host) -> Host {
    let host = host.with_closed_world(Arc::new(Standing));
    Host {
        clock: Arc::new(StandingClock(host.clock)),
        debugger: Debugger::default(),
        quotas: QuotaChain { tree: host.quotas.tree, ..QuotaChain::default() },
        ..host
    }
}

struct Standing;

#[async_trait]
impl Refusal for Standing {
    async fn refuse(&self, _: &str) -> Fault {
        future::pending().await
    }
}

/// No time passes: calls that wait must not time out.
struct StandingClock(Arc<dyn Clock>);

impl Clock for StandingClock {
    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(future::pending())
    }

    fn random(&self) -> f64 {
        0.0
    }
}
