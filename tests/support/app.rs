//! Runs flows through the application: the real engine and the real store in a temporary directory.

use std::sync::Arc;

use plait_api::runs::{AnswerRun, EndPause, RunRequest, ShowRun, StartRun};
use plait_api::{Options, Plait};
use plait_core::flow::Flow;
use plait_core::id::{Activation, RunId};
use plait_journal::view::{RunStatus, RunView};
use plait_journal::{Entry, Event, RunEvent};
use plait_llm::grant::GrantRule;
use plait_llm::provider::Providers;
use serde_json::Value;
use tempfile::TempDir;

use super::journal::Journal;
use super::provider::RecordingProvider;

/// The application with a temporary data directory.
pub struct App {
    pub plait: Plait,
    home: TempDir,
}

#[derive(Clone, Debug)]
pub enum PauseResponse {
    Value(Value),
    End,
}

impl From<&str> for PauseResponse {
    fn from(text: &str) -> Self {
        Self::Value(text.into())
    }
}

/// Rules that allow everything.
pub fn all_grants() -> Vec<GrantRule> {
    ["command=*", "host=*", "folder=*", "tool=*"]
        .map(|target| GrantRule::allow(target.parse().unwrap()))
        .into()
}

impl App {
    /// The application with this provider for every name.
    pub fn with(provider: &RecordingProvider) -> Self {
        Self::with_providers(Arc::new(provider.clone()))
    }

    /// The application with this provider for every name, and with worker processes, which `code` needs.
    pub fn with_workers(provider: &RecordingProvider) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut options = Options::new(home.path(), plait_app::parts());
        options.providers = Some(Arc::new(provider.clone()));
        options.worker = Some(env!("CARGO_BIN_EXE_plait").into());
        Self { plait: Plait::open(options).unwrap(), home }
    }

    /// The application with these providers.
    pub fn with_providers(providers: Arc<dyn Providers>) -> Self {
        Self::open(tempfile::tempdir().unwrap(), providers)
    }

    /// The application with this provider for every name, and the data of this directory.
    pub fn with_in(provider: &RecordingProvider, home: TempDir) -> Self {
        Self::open(home, Arc::new(provider.clone()))
    }

    /// The application with the built-in offline provider.
    pub fn offline() -> Self {
        Self::offline_in(tempfile::tempdir().unwrap())
    }

    /// The same, with the data of this directory.
    pub fn offline_in(home: TempDir) -> Self {
        Self { plait: Plait::open(Options::new(home.path(), plait_app::parts())).unwrap(), home }
    }

    /// Closes it. Returns its data directory.
    pub async fn close(self) -> TempDir {
        self.plait.close().await.unwrap();
        self.home
    }

    fn open(home: TempDir, providers: Arc<dyn Providers>) -> Self {
        let mut options = Options::new(home.path(), plait_app::parts());
        options.providers = Some(providers);
        Self { plait: Plait::open(options).unwrap(), home }
    }

    /// A new application with the same data, like after a restart.
    pub async fn reopen(self, provider: &RecordingProvider) -> Self {
        let Self { plait, home } = self;
        plait.close().await.unwrap();
        drop(plait);
        Self::open(home, Arc::new(provider.clone()))
    }

    pub async fn start(&self, flow: &Flow) -> RunId {
        self.plait
            .call(StartRun(RunRequest { flow: flow.clone(), grants: all_grants(), ..RunRequest::default() }))
            .await
            .unwrap()
            .run
    }

    /// Runs a flow until it ends or all `responses` to its pauses are used.
    pub async fn run(
        &self,
        flow: &Flow,
        responses: impl IntoIterator<Item = impl Into<PauseResponse>>,
    ) -> Journal {
        let run = self.start(flow).await;
        self.follow(&run, responses).await
    }

    /// Follows a run in the same way from its current state. Returns its journal, read from the store.
    pub async fn follow(
        &self,
        run: &RunId,
        responses: impl IntoIterator<Item = impl Into<PauseResponse>>,
    ) -> Journal {
        let mut responses = responses.into_iter().map(Into::into);
        let mut seen = self.entries(run).await;
        let mut view = RunView::of(&seen);
        let mut watch = self.plait.runs().watch(run, seen.len() as u64).await.unwrap();
        let mut is_waiting = view.outline.status == RunStatus::Waiting;
        while !view.outline.status.is_final() {
            if std::mem::take(&mut is_waiting) {
                let (asker, at) = find_asker(run, &view);
                // A run that is resumed may report again that it waits for a question that was answered meanwhile.
                if self.asks(&asker, &at).await {
                    let Some(response) = responses.next() else { break };
                    self.respond(&asker, at, response).await;
                }
            }
            let Some(entry) = watch.next().await else { break };
            let entry = entry.unwrap();
            is_waiting = matches!(entry.event, Event::Run(RunEvent::Waiting { .. }));
            view.apply(&entry);
            if entry.seq.is_some() {
                seen.push(entry);
            }
        }
        if view.outline.status.is_final() {
            // The driver has the store open, which must be closed before its directory is deleted.
            self.plait.runs().settled(run).await;
        }
        let stored = self.entries(run).await;
        assert!(stored.starts_with(&seen), "the watched entries differ from the journal");
        Journal(stored)
    }

    /// The current journal of a run.
    pub async fn journal(&self, run: &RunId) -> Journal {
        Journal(self.entries(run).await)
    }

    async fn entries(&self, run: &RunId) -> Vec<Entry> {
        self.plait.call(ShowRun { run: run.clone() }).await.unwrap().entries
    }

    async fn asks(&self, run: &RunId, at: &Activation) -> bool {
        let view = RunView::of(&self.entries(run).await);
        view.outline.pauses.iter().any(|pause| (&pause.node, &pause.epoch) == (&at.node, &at.epoch))
    }

    /// Answers or ends a pause.
    pub async fn respond(&self, run: &RunId, at: Activation, response: PauseResponse) {
        let Activation { node, epoch } = at;
        let run = run.clone();
        match response {
            PauseResponse::Value(value) => {
                self.plait
                    .call(AnswerRun { run, node, epoch, value, attachments: Vec::new() })
                    .await
                    .unwrap();
            }
            PauseResponse::End => self.plait.call(EndPause { run, node, epoch }).await.unwrap(),
        }
    }
}

/// The run and activation of the first open pause: in this run or in a descendant.
fn find_asker(run: &RunId, view: &RunView) -> (RunId, Activation) {
    let first = &view.outline.waiting_on[0];
    let pause =
        view.outline.pauses.iter().find(|pause| pause.node == first.node && pause.epoch == first.epoch);
    match pause.and_then(|pause| pause.asker.clone()) {
        Some(asker) => (asker.run, Activation { node: asker.node, epoch: asker.epoch }),
        None => (run.clone(), first.clone()),
    }
}
