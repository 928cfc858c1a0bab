//! Does work without a bound in worker processes, which can be stopped at any moment and whose memory is limited:
//! expressions of flows, programs of models, documents from anywhere.
//!
//! A worker is this executable, started with [`WORKER_ARGUMENT`]: it reads jobs from its standard input, one after the
//! other, and writes each result to its standard output. It ends with its standard input, so none outlives this
//! process.

mod documents;
mod expressions;
mod frame;
mod html;
mod javascript;
mod job;
mod limits;
mod pool;
mod stopped;
mod worker;

pub use javascript::Program;
pub use job::Job;
pub use pool::WorkerPool;
pub use worker::serve;

/// The argument with which an executable is to [`serve`] jobs and do nothing else.
pub const WORKER_ARGUMENT: &str = "--serve-jobs";
