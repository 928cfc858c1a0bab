//! Running flows through the application: the real engine and the real store in a directory of its own.

use std::sync::Arc;

use plait_api::engine::flow::Flow;
use plait_api::engine::id::{Activation, RunId};
use plait_api::engine::journal::{Entry, Event, RunEvent};
use plait_api::engine::provider::Providers;
use plait_api::engine::run::view::{RunStatus, RunView};
use plait_api::runs::ShowRun;
use plait_api::runs::{AnswerRun, EndPause, RunRequest, StartRun};
use plait_api::{Options, Plait};
use serde_json::Value;
use tempfile::TempDir;

use super::journal::Journal;
use super::provider::Recording;

/// The application with a data directory that goes away with it.
pub struct App {
    pub plait: Plait,
    home: TempDir,
}

/// What a person says to a pause.
#[derive(Clone, Debug)]
pub enum Says {
    Value(Value),
    End,
}

impl From<&str> for Says {
    fn from(text: &str) -> Self {
        Self::Value(text.into())
    }
}

impl App {
    /// With this provider behind every name.
    pub fn with(provider: &Recording) -> Self {
        Self::with_providers(Arc::new(provider.clone()))
    }

    /// With these providers.
    pub fn with_providers(providers: Arc<dyn Providers>) -> Self {
        Self::open(tempfile::tempdir().unwrap(), providers)
    }

    fn open(home: TempDir, providers: Arc<dyn Providers>) -> Self {
        let mut options = Options::new(home.path());
        options.providers = Some(providers);
        Self { plait: Plait::open(options).unwrap(), home }
    }

    /// The same data, in a new application, as after a restart.
    pub async fn reopen(self, provider: &Recording) -> Self {
        let Self { plait, home } = self;
        plait.close().await.unwrap();
        drop(plait);
        Self::open(home, Arc::new(provider.clone()))
    }

    /// Starts a flow.
    pub async fn start(&self, flow: &Flow) -> RunId {
        self.plait
            .call(StartRun(RunRequest { flow: flow.clone(), ..RunRequest::default() }))
            .await
            .unwrap()
            .run
    }

    /// Runs a flow, giving `says` to its pauses in order, to its end or until there is nothing more to say.
    pub async fn run(&self, flow: &Flow, says: impl IntoIterator<Item = impl Into<Says>>) -> Journal {
        let run = self.start(flow).await;
        self.follow(&run, says).await
    }

    /// Follows a run likewise from where it stands. Gives its journal, read back from the store.
    pub async fn follow(&self, run: &RunId, says: impl IntoIterator<Item = impl Into<Says>>) -> Journal {
        let mut says = says.into_iter().map(Into::into);
        let mut seen = self.entries(run).await;
        let mut view = RunView::of(&seen);
        let mut watch = self.plait.runs().watch(run, seen.len() as u64).await.unwrap();
        let mut put = view.status == RunStatus::Waiting;
        while !view.status.is_final() {
            if std::mem::take(&mut put) {
                let Some(said) = says.next() else { break };
                let (run, at) = asker(run, &view);
                self.say(&run, at, said).await;
            }
            let Some(entry) = watch.next().await else { break };
            let entry = entry.unwrap();
            put = matches!(entry.event, Event::Run(RunEvent::Waiting { .. }));
            view.apply(&entry);
            if entry.seq.is_some() {
                seen.push(entry);
            }
        }
        if view.status.is_final() {
            // Its driver holds the store, which is to be shut before its directory goes.
            self.plait.runs().settled(run).await;
        }
        let kept = self.entries(run).await;
        assert!(kept.starts_with(&seen), "what was watched is not what the journal keeps");
        Journal(kept)
    }

    /// The journal of a run, as it stands.
    pub async fn journal(&self, run: &RunId) -> Journal {
        Journal(self.entries(run).await)
    }

    async fn entries(&self, run: &RunId) -> Vec<Entry> {
        self.plait.call(ShowRun { run: run.clone() }).await.unwrap().entries
    }

    /// Answers a pause.
    pub async fn say(&self, run: &RunId, at: Activation, said: Says) {
        let Activation { node, epoch } = at;
        let run = run.clone();
        match said {
            Says::Value(value) => self.plait.call(AnswerRun { run, node, epoch, value }).await.unwrap(),
            Says::End => self.plait.call(EndPause { run, node, epoch }).await.unwrap(),
        }
    }
}

/// Who asks first of what a run waits for: itself, or a run below it.
fn asker(run: &RunId, view: &RunView) -> (RunId, Activation) {
    let first = &view.waiting_on[0];
    let pause = view.pauses.iter().find(|pause| pause.node == first.node && pause.epoch == first.epoch);
    match pause.and_then(|pause| pause.asker.clone()) {
        Some(asker) => (asker.run, Activation { node: asker.node, epoch: asker.epoch }),
        None => (run.clone(), first.clone()),
    }
}
