//! The node types, and what they do with models: the prompt pipeline, model calls and turns.
//!
//! Refuses to know the scheduler, the order of a run, and the outside, which it reaches through the traits of `plait_run`.

pub mod codes;
mod model_call;
pub mod prompt;
#[cfg(test)]
mod testing;
mod types;

pub use types::registry;
