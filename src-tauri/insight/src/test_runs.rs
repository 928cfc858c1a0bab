//! Runs in memory, for tests: a flow with one provider for all of its models.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::executor::block_on;
use futures::future::BoxFuture;
use parking_lot::Mutex;

use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::origin::Origins;
use plait_journal::earlier_run::{EarlierRun, EarlierTree};
use plait_journal::{Entry, InputOverrides, Journal};
use plait_llm::provider::{Provider, Providers};
use plait_nodes::registry;
use plait_run::host::{Host, RunInfo, RunInput};
use plait_run::plan::{Plan, plan};
use plait_run::{Driver, RunSetup};
use plait_testing::{FakeClock, FakeMemoryStore, FakeSubflows, FakeTools, RunStart};

/// A provider under each name.
struct OneProvider(Arc<dyn Provider>);

impl Providers for OneProvider {
    fn get(&self, _: &str) -> Result<Arc<dyn Provider>, Fault> {
        Ok(Arc::clone(&self.0))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

#[derive(Clone, Default)]
struct KeptJournal(Arc<Mutex<Vec<Entry>>>);

impl Journal for KeptJournal {
    fn append(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        self.0.lock().extend_from_slice(entries);
        Ok(())
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), Fault>> {
        Box::pin(async { Ok(()) })
    }
}

pub(crate) fn plan_of(flow: &Flow) -> Plan {
    plan(flow, &registry(), None, &InputOverrides::new()).unwrap_or_else(|found| panic!("{found:?}"))
}

/// A host with this provider, for a run of a tree that is forked from `earlier`.
pub(crate) fn host(provider: Arc<dyn Provider>, earlier: EarlierTree) -> Host {
    Host {
        providers: Arc::new(OneProvider(provider)),
        tools: Arc::new(FakeTools::default()),
        retriever: Arc::new(plait_llm::retriever::NoRetriever),
        memories: Arc::new(FakeMemoryStore::default()),
        attachments: plait_core::attachment::NoAttachmentStore::shared(),
        clock: Arc::new(FakeClock::default()),
        evaluator: Arc::new(plait_core::expression::in_process::InProcess),
        subflows: Arc::new(FakeSubflows::default()),
        earlier,
        debugger: plait_run::debugger::Debugger::default(),
        quotas: plait_llm::quota::QuotaChain::default(),
    }
}

/// A run with this input.
pub(crate) fn info(input: Option<&str>, earlier: Option<EarlierRun>) -> RunInfo {
    RunInfo {
        run: "run".into(),
        user: plait_core::user::UserName::default(),
        flow_name: "flow".to_owned(),
        folder: None,
        input: input.map(|text| RunInput { text: text.to_owned(), origins: Origins::NONE }),
        conversation: None,
        grants: None,
        ignores_pins: false,
        earlier,
    }
}

/// Runs a flow to its end, and gives its journal.
pub(crate) fn run_to_end(flow: &Flow, info: RunInfo, host: Host) -> Vec<Entry> {
    let journal = KeptJournal::default();
    let setup = RunSetup {
        plan: Arc::new(plan_of(flow)),
        info,
        host,
        journal: Box::new(journal.clone()),
        watcher: Box::new(|_| ()),
        spent_by_children: BTreeMap::new(),
        trials: None,
    };
    let (driver, _handle) = Driver::start(setup, RunStart::new("run").into()).unwrap();
    block_on(driver.drive()).unwrap();
    let entries = journal.0.lock();
    entries.clone()
}
