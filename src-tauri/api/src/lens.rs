//! The lens: what model calls were sent and led to, where texts come from, the values of watches, traces of run trees, requests as
//! curl commands, and the export to OpenTelemetry.
//!
//! Everything is a fold of journals (`plait_insight::lens`); this module reads them. Changes nothing.

mod compare;
mod curl;
mod export;
mod lineage;
mod list;
mod matrix;
mod request;
mod search;
mod show;
mod trace;
mod turns;
mod watches;

use std::sync::Arc;

use plait_adapters::telemetry::LiveExporter;
use plait_core::expression::evaluation::Evaluator;
use plait_core::id::RunId;
use plait_insight::lens::Lens;
use plait_journal::Entry;
use plait_store::Store;

use crate::ErrorReply;
use crate::providers::ProviderService;
use crate::users::UserService;

pub use compare::CompareRuns;
pub use export::{ExportSpans, ExportedSpans};
use lineage::RecordedRuns;
pub use lineage::{FollowText, LineageDirection};
pub use list::{ListPrompts, PromptRun};
pub use matrix::CompareManyRuns;
pub use request::{CallRequest, GetCallRequest};
pub use search::{PromptHit, SearchPrompts};
pub use show::{PromptsOfRun, ShowPrompts};
pub use trace::TraceRun;
pub use turns::ListTurns;
pub use watches::{EvaluateWatches, WatchedValue};

/// Reads what runs sent to models.
#[derive(Clone)]
pub struct LensService {
    store: Store,
    users: UserService,
    providers: Arc<ProviderService>,
    exporter: LiveExporter,
    evaluator: Arc<dyn Evaluator>,
    recorded_runs: Arc<RecordedRuns>,
}

/// What the lens reads from.
pub(crate) struct LensParts {
    pub store: Store,
    pub users: UserService,
    pub providers: Arc<ProviderService>,
    pub exporter: LiveExporter,
    pub evaluator: Arc<dyn Evaluator>,
}

impl LensService {
    pub(crate) fn new(parts: LensParts) -> Self {
        let LensParts { store, users, providers, exporter, evaluator } = parts;
        Self { store, users, providers, exporter, evaluator, recorded_runs: Arc::default() }
    }

    /// The same, for another user.
    pub(crate) fn acting_for(&self, users: UserService) -> Self {
        Self { users, ..self.clone() }
    }

    /// Waits until the journals on disk have everything that watchers of live runs have seen. A disk that fails is reported to
    /// the run, and what was written can still be read.
    async fn catch_up(&self) {
        let _ = self.store.flush().await;
    }
}

/// The entries of a run's journal that can be read.
fn read_entries(store: &Store, run: &RunId) -> Result<Vec<Entry>, ErrorReply> {
    Ok(store.read_damaged_journal(run)?.filter_map(Result::ok).collect())
}

fn read_lens(store: &Store, run: &RunId) -> Result<Lens, ErrorReply> {
    Ok(Lens::of(&read_entries(store, run)?))
}
