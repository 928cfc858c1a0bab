//! What a run needs from its environment.

mod closed_world;
mod run_info;
mod standing_clock;
pub mod subflow;

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::debugger::Debugger;
pub use closed_world::Refusal;
use plait_core::attachment::AttachmentStore;
use plait_core::expression::evaluation::Evaluator;
use plait_journal::earlier_run::EarlierTree;
use plait_llm::long_term_memory::MemoryStore;
use plait_llm::provider::Providers;
use plait_llm::quota::QuotaChain;
use plait_llm::retriever::Retriever;
use plait_llm::tool::ToolHost;
pub use run_info::{RunInfo, RunInput};
pub(crate) use standing_clock::{StandingClock, sleep_unless_held};
use subflow::Subflows;

/// Time and randomness. The engine has no access to either of its own.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch.
    fn now_ms(&self) -> u64;
    /// Resolves after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
    /// A number in `0.0..1.0`, for the jitter of retries.
    fn random(&self) -> f64;
}

impl Host {
    /// The same with other quotas.
    #[must_use]
    pub(crate) fn with_quotas(&self, quotas: QuotaChain) -> Self {
        Self { quotas, ..self.clone() }
    }
}

/// The environment of a run.
#[derive(Clone)]
pub struct Host {
    pub providers: Arc<dyn Providers>,
    pub tools: Arc<dyn ToolHost>,
    /// Searches knowledge bases.
    pub retriever: Arc<dyn Retriever>,
    /// What users' flows know of them beyond one run.
    pub memories: Arc<dyn MemoryStore>,
    /// The bytes of images and files.
    pub attachments: Arc<dyn AttachmentStore>,
    pub clock: Arc<dyn Clock>,
    /// Evaluates expressions that could take long.
    pub evaluator: Arc<dyn Evaluator>,
    pub subflows: Arc<dyn Subflows>,
    /// The tree that the run and all others of its tree are forked from.
    pub earlier: EarlierTree,
    /// Where the run and all others of its tree stand still.
    pub debugger: Debugger,
    /// What the run and all others of its tree may use, and the quotas from outside of the run that hold all model calls.
    pub quotas: QuotaChain,
}
