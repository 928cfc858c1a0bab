//! The world around a measured run: the machine's clock and nothing else; and one way to drive a plan to its end.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use futures::executor::block_on;
use futures::future::BoxFuture;
use plait_engine::Value;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::host::RunInfo;
use plait_engine::host::subflow::NoSubflows;
use plait_engine::host::{Clock, Host};
use plait_engine::journal::{Event, FlowRef, Journal, RunEnd, RunEvent};
use plait_engine::plan::Plan;
use plait_engine::provider::{Provider, Providers};
use plait_engine::run::{Driver, RunSetup};
use plait_engine::tool::{ToolHost, ToolInvocation, ToolSpec};

use super::failure::Wrong;

/// The run's id where there is but one.
pub const RUN: &str = "0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10";

/// The machine's clock.
pub struct Wall;

impl Clock for Wall {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }

    fn random(&self) -> f64 {
        0.5
    }
}

struct Nobody;

impl Providers for Nobody {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        Err(Fault::new(ErrorCode::ProviderUnknown, name))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

#[async_trait]
impl ToolHost for Nobody {
    fn list(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        Err(Fault::new(ErrorCode::ToolUnknown, call.name))
    }
}

/// The first event of a run.
pub fn first(run: &str) -> Event {
    Event::Run(RunEvent::Started {
        run: run.into(),
        flow: FlowRef { name: "benchmark".to_owned(), path: None, hash: "0".repeat(64) },
        to: None,
        input: None,
        set: std::collections::BTreeMap::new(),
        parent_run_id: None,
        conversation: None,
        models: std::sync::Arc::default(),
    })
}

/// Runs a plan from its first event to its last, which says that it finished.
pub fn drive(plan: &Arc<Plan>, run: &str, journal: impl Journal + 'static) -> Result<(), Wrong> {
    let setup = RunSetup {
        plan: Arc::clone(plan),
        info: RunInfo {
            run: run.into(),
            flow_name: "benchmark".to_owned(),
            folder: None,
            input: None,
            conversation: None,
        },
        host: Host {
            providers: Arc::new(Nobody),
            tools: Arc::new(Nobody),
            clock: Arc::new(Wall),
            evaluator: Arc::new(plait_engine::expression::evaluation::InProcess),
            subflows: Arc::new(NoSubflows),
        },
        journal: Box::new(journal),
        watcher: Box::new(|_| ()),
    };
    let (driver, _handle) = Driver::start(setup, first(run))?;
    match block_on(driver.drive())? {
        RunEnd::Finished => Ok(()),
        end => Err(format!("the benchmark's own run ended otherwise: {end:?}").into()),
    }
}
