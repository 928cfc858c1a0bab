//! What the application does with runs: starts them, steers them, takes them up again, lets them be watched.

use plait_adapters::store::{RunFilter, Which};
use plait_engine::id::{Activation, RunId};
use plait_engine::run::{Answer, RunHandle};

use crate::runs::control::StartRun;
use crate::runs::records::RunSummary;
use crate::runs::service::NewRun;
use crate::{ErrorReply, Plait, Watch, blocking};

impl Plait {
    /// Starts a run and gives its id. It goes on by itself.
    pub(crate) async fn start(&self, asked: StartRun) -> Result<RunId, ErrorReply> {
        let run = RunId::from(uuid::Uuid::now_v7().to_string());
        let StartRun { flow, path, input, set, to, conversation } = asked;
        let new = NewRun { flow, path, input, set, to, parent: None, conversation };
        self.runner.start(&run, new, self.host()).await?;
        // A run that somebody has been told of is there after a crash, too.
        self.store().flush().await?;
        Ok(run)
    }

    /// Takes a run up again where its journal leaves it, and those above it that wait for it. Nothing to do for those that
    /// are driven already.
    pub(crate) async fn resume(&self, run: &RunId) -> Result<(), ErrorReply> {
        self.take_up_tree(run).await.map(|_| ())
    }

    pub(crate) async fn answer(
        &self,
        run: &RunId,
        activation: Activation,
        answer: Answer,
    ) -> Result<(), ErrorReply> {
        let handle = self.take_up_tree(run).await?;
        match answer {
            Answer::Value(value) => handle.answer(activation, (*value).clone()).await?,
            Answer::End => handle.end(activation).await?,
        }
        Ok(())
    }

    /// Cancels a run, taken up again for that if need be. Nothing to do for one that has ended.
    pub(crate) async fn cancel(&self, run: &RunId) -> Result<(), ErrorReply> {
        let (store, id) = (self.store().clone(), run.clone());
        if blocking(move || Ok(store.run(&id)?)).await?.status.is_final() {
            return Ok(());
        }
        self.runner.take_up(run, self.host(), RunHandle::cancel).await.map(|_| ())
    }

    /// The runs that a run is inside of, the root first.
    pub(crate) async fn ancestors(&self, run: &RunId) -> Result<Vec<RunSummary>, ErrorReply> {
        let above = self.runner.ancestors(run).await?.into_iter().skip(1).rev();
        Ok(above
            .map(|record| {
                let live = self.is_live(&record.run);
                // That they began one at least is why they are here; how many is not asked.
                RunSummary::of(record, live, 1)
            })
            .collect())
    }

    /// Takes up a run, and those above it: they go on with what it comes to.
    async fn take_up_tree(&self, run: &RunId) -> Result<RunHandle, ErrorReply> {
        for above in self.runner.ancestors(run).await?.into_iter().skip(1).rev() {
            if !above.status.is_final() {
                self.runner.take_up(&above.run, self.host(), |_| ()).await?;
            }
        }
        self.runner.take_up(run, self.host(), |_| ()).await
    }

    pub(crate) async fn remove_run(&self, run: &RunId) -> Result<(), ErrorReply> {
        let parents = self.runner.ancestors(run).await?;
        if parents.iter().skip(1).any(|above| !above.status.is_final()) {
            return Err(ErrorReply::new("run.busy", format!("Run {run} is part of one that has not ended."))
                .hint("Cancel or finish that run first: without its child it would do everything again."));
        }
        if self.runner.live.contains(run) {
            return Err(ErrorReply::new("run.busy", format!("Run {run} is going on."))
                .hint("Cancel it first, then remove it."));
        }
        let (store, run) = (self.store().clone(), run.clone());
        blocking(move || Ok(store.remove_run(&run)?)).await
    }

    /// The run whose id begins with `prefix`. `run.unknown`, `run.ambiguous`.
    pub fn find_run(&self, prefix: &str) -> Result<RunId, ErrorReply> {
        Ok(self.store().find_run(prefix)?)
    }

    /// The run that began last, if there is any.
    pub fn last_run(&self) -> Result<Option<RunId>, ErrorReply> {
        let newest =
            self.store().runs(&RunFilter { which: Which::Roots, limit: Some(1), ..RunFilter::default() })?;
        Ok(newest.into_iter().next().map(|record| record.run))
    }

    /// Whether a run is driven in this process.
    pub fn is_live(&self, run: &RunId) -> bool {
        self.runner.live.contains(run)
    }

    /// Watches a run: its journal from `from_seq` on, then what happens, without gap or duplicate, to its end.
    /// `run.unknown` when there is no such run.
    pub async fn watch(&self, run: &RunId, from_seq: u64) -> Result<Watch, ErrorReply> {
        let (store, run, hub) = (self.store().clone(), run.clone(), self.runner.live.hub(run));
        blocking(move || {
            store.run(&run)?;
            Watch::new(store, run, hub, from_seq)
        })
        .await
    }

    /// Resolves when a run is no longer driven in this process, by its end or by an error.
    pub async fn settled(&self, run: &RunId) {
        self.runner.live.over(run).await;
    }
}
