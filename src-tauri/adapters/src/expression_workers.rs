//! Evaluates expressions of flows in worker processes, which can be stopped at any moment and whose memory is limited.
//!
//! A worker is this executable, started with [`WORKER_ARGUMENT`]: it reads evaluations from its standard input, one after the
//! other, and writes each result to its standard output. It ends with its standard input, so none outlives this process.

mod frame;
mod limits;
mod pool;
mod worker;

pub use pool::WorkerPool;
pub use worker::serve;

/// The argument with which an executable is to [`serve`] evaluations and do nothing else.
pub const WORKER_ARGUMENT: &str = "--evaluate-expressions";
