//! Plait's core: flow documents, plans, the scheduler, contexts and node types.
//!
//! Owns what a flow *means*. Refuses to touch the outside: no HTTP, files, database, system clock or randomness.
//! What it needs from there it declares as traits ([`provider`], [`tool`], [`retriever`], [`long_term_memory`], [`attachment`], [`journal`], [`host`]) that the adapters implement.

pub mod attachment;
pub mod config;
pub mod context;
pub mod diagnostic;
pub mod earlier_run;
pub mod error;
pub mod exact_json;
pub mod expression;
pub mod flow;
pub mod forecast;
pub mod grant;
pub mod hash;
pub mod host;
pub mod http_tool;
pub mod id;
pub mod import;
pub mod journal;
pub mod lens;
pub mod long_term_memory;
pub mod loop_history;
pub mod memory;
mod model_call;
pub mod models;
pub mod needs;
pub mod node;
pub mod nodes;
pub mod origin;
pub mod pipeline;
pub mod plan;
pub mod port;
pub mod prompt;
pub mod provider;
pub mod quota;
pub mod retriever;
pub mod run;
pub mod similar_name;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tool;
pub mod user;

/// A value on a wire: any JSON value.
pub use serde_json::Value;
