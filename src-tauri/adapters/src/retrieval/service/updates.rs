//! Indexing: at most one at a time for each base, with progress, stopped by a person, or when no caller waits for it.

use std::collections::HashMap;
use std::sync::Arc;

use plait_core::error::Fault;
use plait_llm::retriever::IndexProgress;
use tantivy::DocAddress;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::targets::Target;
use super::{KnowledgeBases, run_blocking};
use crate::retrieval::base::{Base, BaseStatus, OpenIndex};
use crate::retrieval::document::Workers;
use crate::retrieval::embeddings::{BATCH_TEXTS, embed};
use crate::retrieval::files::stopped;
use crate::retrieval::index::fault;
use crate::retrieval::update::Update;

/// Receives progress.
pub(super) type OnProgress = Arc<dyn Fn(IndexProgress) + Send + Sync>;

/// An indexing in progress. Dropping it ends it for all observers of the base.
struct Activity {
    base: Arc<Base>,
    fault: Option<Fault>,
}

impl Drop for Activity {
    fn drop(&mut self) {
        self.base.end_activity(self.fault.take());
    }
}

impl KnowledgeBases {
    /// Indexes a base: what changed, or `all` of it. Dropping the future stops it. Faults `knowledge.*`.
    pub async fn reindex(&self, name: &str, all: bool, progress: OnProgress) -> Result<BaseStatus, Fault> {
        self.check_writable()?;
        let (bases, owned_name) = (self.clone(), name.to_owned());
        let target = run_blocking(move || bases.named(&owned_name)).await?;
        self.update(&target, true, all, progress).await?;
        let (bases, name) = (self.clone(), name.to_owned());
        run_blocking(move || bases.status(&name)).await
    }

    /// Makes the index of a base agree with its files, if it may not (or in any case, if `always`).
    pub(super) async fn update(
        &self,
        target: &Target,
        always: bool,
        all: bool,
        progress: OnProgress,
    ) -> Result<(), Fault> {
        let guard = Arc::clone(&target.base.update_lock).lock_owned().await;
        if !always && !target.base.is_stale() {
            return Ok(());
        }
        let cancel = CancellationToken::new();
        let stop = cancel.clone().drop_guard();
        target.base.begin_activity(cancel.clone());
        let activity = Activity { base: Arc::clone(&target.base), fault: None };
        let report: OnProgress = {
            let base = Arc::clone(&target.base);
            Arc::new(move |now: IndexProgress| {
                base.set_progress(now.clone());
                progress(now);
            })
        };
        let (bases, own_target, runtime) = (self.clone(), target.clone(), Handle::current());
        let (token, on_progress) = (cancel.clone(), Arc::clone(&report));
        // The lock is released when the task ends, also if no caller waits for it.
        let ended = tokio::task::spawn_blocking(move || {
            let result = bases.update_index(&own_target, all, runtime, &token, &*on_progress);
            (result, activity, guard)
        });
        let (result, mut activity, _guard) =
            ended.await.map_err(|error| fault("update the index", &error))?;
        let result = match result {
            Ok(index) => {
                tokio::select! {
                    done = self.embed_missing(&target.base, &index, &*report) => done,
                    () = cancel.cancelled() => Err(stopped()),
                }
            }
            Err(fault) => Err(fault),
        };
        drop(stop.disarm());
        if let Err(fault) = &result {
            activity.fault = Some(fault.clone());
        }
        result
    }

    fn update_index(
        &self,
        target: &Target,
        all: bool,
        runtime: Handle,
        cancel: &CancellationToken,
        progress: &(dyn Fn(IndexProgress) + Send + Sync),
    ) -> Result<Arc<OpenIndex>, Fault> {
        let options = &self.0.options;
        let roots = self.roots(target)?;
        let base = &target.base;
        let index = base.open_index()?;
        let workers = options.workers.clone().map(|pool| Workers { pool, runtime });
        base.begin_comparison(&roots);
        let update = Update {
            name: &base.name,
            roots: &roots,
            index: &index.index,
            redaction: &options.redaction,
            workers: workers.as_ref(),
            all,
            cancel,
            progress,
        };
        let result = update.run();
        base.end_comparison(result.is_ok());
        result.map(|()| index)
    }

    /// Buys the missing embeddings. Bought embeddings stay, also if this fails or is stopped.
    async fn embed_missing(
        &self,
        base: &Base,
        index: &Arc<OpenIndex>,
        progress: &(dyn Fn(IndexProgress) + Send + Sync),
    ) -> Result<(), Fault> {
        let Some(model) = &base.embeddings else { return Ok(()) };
        let own = Arc::clone(index);
        let missing = run_blocking(move || own.without_embedding()).await?;
        let mut missing: Vec<(u64, DocAddress)> = missing.into_iter().collect();
        missing.sort_by_key(|(_, address)| *address);
        let total = missing.len() as u64;
        for (done, batch) in (0..).step_by(BATCH_TEXTS).zip(missing.chunks(BATCH_TEXTS)) {
            progress(IndexProgress { base: base.name.clone(), done, total: Some(total), bytes: 0 });
            let (own, own_batch) = (Arc::clone(index), batch.to_vec());
            let texts: HashMap<u64, String> = run_blocking(move || own.texts(&own_batch)).await?;
            let (hashes, texts): (Vec<u64>, Vec<String>) = texts
                .into_iter()
                .map(|(hash, text)| (hash, self.0.options.redaction.text(&text).into_owned()))
                .unzip();
            let vectors = embed(&*self.0.options.embedder, model, &texts).await?;
            let new: Vec<(u64, Vec<f32>)> = hashes.into_iter().zip(vectors).collect();
            let own = Arc::clone(index);
            run_blocking(move || {
                own.vectors.lock().append(&new).map_err(|error| fault("write the embeddings", &error))
            })
            .await?;
        }
        Ok(())
    }
}
