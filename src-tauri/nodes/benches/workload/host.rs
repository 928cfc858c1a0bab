//! The host of a measured run (the system clock and nothing else), and a function that runs a plan to its end.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use futures::executor::block_on;
use futures::future::BoxFuture;
use plait_core::Value;
use plait_core::error::Fault;
use plait_core::flow::TreeLimits;
use plait_journal::{Breakpoint, Entry, Event, FlowRef, Journal, MemoryJournal, RunEnd, RunEvent};
use plait_llm::provider::{Provider, Providers};
use plait_llm::quota::{QuotaChain, TreeAccount, TreeUsage};
use plait_llm::tool::{ToolHost, ToolInvocation, ToolSpec};
use plait_nodes::codes;
use plait_run::host::subflow::NoSubflows;
use plait_run::host::{Clock, Host, RunInfo};
use plait_run::plan::Plan;
use plait_run::{Driver, RunHandle, RunSetup};
use plait_testing::RunStart;

use super::first_error::BenchError;

/// The id of the only run.
pub const RUN: &str = "0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10";

pub struct SystemClock;

impl Clock for SystemClock {
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

struct EmptyHost;

impl Providers for EmptyHost {
    fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Fault> {
        Err(Fault::new(codes::PROVIDER_UNKNOWN, name))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

#[async_trait]
impl ToolHost for EmptyHost {
    fn list(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        Err(Fault::new(codes::TOOL_UNKNOWN, call.tool.name.clone()))
    }
}

pub fn started_event(run: &str) -> Event {
    RunStart::new(run).into()
}

/// A run without limits and without a past.
pub fn run_info(run: &str) -> RunInfo {
    RunInfo {
        run: run.into(),
        user: plait_core::user::UserName::default(),
        flow_name: "benchmark".to_owned(),
        folder: None,
        input: None,
        conversation: None,
        grants: None,
        ignores_pins: false,
        earlier: None,
    }
}

/// Runs a plan. An error if it does not finish.
pub fn drive(plan: &Arc<Plan>, run: &str, journal: impl Journal + 'static) -> Result<(), BenchError> {
    drive_with(plan, run, journal, Arc::new(EmptyHost))
}

/// The same with breakpoints, none of which is reached.
pub fn drive_with_breakpoints(
    plan: &Arc<Plan>,
    run: &str,
    journal: impl Journal + 'static,
    breakpoints: Vec<Breakpoint>,
) -> Result<(), BenchError> {
    let (mut driver, _handle) = start(plan, run, journal, Arc::new(EmptyHost))?;
    driver.set_breakpoints(breakpoints)?;
    finish(driver)
}

/// The same with models.
pub fn drive_with(
    plan: &Arc<Plan>,
    run: &str,
    journal: impl Journal + 'static,
    providers: Arc<dyn Providers>,
) -> Result<(), BenchError> {
    finish(start(plan, run, journal, providers)?.0)
}

fn start(
    plan: &Arc<Plan>,
    run: &str,
    journal: impl Journal + 'static,
    providers: Arc<dyn Providers>,
) -> Result<(Driver, RunHandle), BenchError> {
    let setup = RunSetup {
        plan: Arc::clone(plan),
        info: run_info(run),
        host: Host {
            providers,
            tools: Arc::new(EmptyHost),
            retriever: Arc::new(plait_llm::retriever::NoRetriever),
            memories: plait_llm::long_term_memory::NoMemoryStore::shared(),
            attachments: plait_core::attachment::NoAttachmentStore::shared(),
            clock: Arc::new(SystemClock),
            evaluator: Arc::new(plait_core::expression::in_process::InProcess),
            subflows: Arc::new(NoSubflows),
            earlier: plait_journal::earlier_run::EarlierTree::default(),
            debugger: plait_run::debugger::Debugger::default(),
            quotas: no_limits(),
        },
        spent_by_children: std::collections::BTreeMap::new(),
        trials: None,
        journal: Box::new(journal),
        watcher: Box::new(|_| ()),
    };
    Ok(Driver::start(setup, started_event(run))?)
}

fn finish(driver: Driver) -> Result<(), BenchError> {
    match block_on(driver.drive())? {
        RunEnd::Finished => Ok(()),
        end => Err(format!("the benchmark's own run did not finish: {end:?}").into()),
    }
}

/// The limits of a run that may be as long as its benchmark wants.
pub fn no_limits() -> QuotaChain {
    let limits =
        TreeLimits { max_model_calls: Some(u64::MAX), max_events: Some(u64::MAX), ..TreeLimits::default() };
    let tree = Arc::new(TreeAccount::new(limits, TreeUsage::default()));
    QuotaChain { tree, ..QuotaChain::default() }
}

/// The events of a run as text, sorted, without how long they took.
pub fn comparable_events(journal: &MemoryJournal) -> Result<Vec<String>, BenchError> {
    let mut events = journal.entries().iter().map(comparable_text).collect::<Result<Vec<_>, _>>()?;
    events.sort_unstable();
    Ok(events)
}

fn comparable_text(entry: &Entry) -> Result<String, BenchError> {
    let mut value = serde_json::to_value(&entry.event)?;
    if let Some(metadata) = value.get_mut("metadata") {
        metadata["durationMs"] = 0.into();
    }
    Ok(value.to_string())
}
