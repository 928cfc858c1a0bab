//! What a run needs of the world around it, in one place.

mod run_info;
pub mod subflow;

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::expression::evaluation::Evaluator;
use crate::provider::Providers;
use crate::tool::ToolHost;
pub use run_info::RunInfo;
use subflow::Subflows;

/// Time and chance. The engine has neither of its own.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch.
    fn now_ms(&self) -> u64;
    /// Resolves after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
    /// A number in `0.0..1.0`, for the jitter of retries.
    fn random(&self) -> f64;
}

/// The world around a run.
#[derive(Clone)]
pub struct Host {
    /// Who answers model calls.
    pub providers: Arc<dyn Providers>,
    /// Who carries out tool calls.
    pub tools: Arc<dyn ToolHost>,
    /// Time and chance.
    pub clock: Arc<dyn Clock>,
    /// Who evaluates expressions that could take long.
    pub evaluator: Arc<dyn Evaluator>,
    /// Who runs nested flows.
    pub subflows: Arc<dyn Subflows>,
}
