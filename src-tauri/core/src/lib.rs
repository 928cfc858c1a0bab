//! What a flow is: the document, ports and values, ids, settings, expressions, and the base of all errors.
//!
//! The lowest crate of the engine. Refuses to know runs, models and node types, and to touch the outside.

pub mod attachment;
pub mod codes;
pub mod config;
pub mod diagnostic;
pub mod error;
pub mod exact_json;
pub mod expression;
pub mod flow;
pub mod hash;
pub mod id;
pub mod offline;
pub mod origin;
pub mod port;
pub mod quota;
pub mod similar_name;
pub mod text_file;
pub mod user;

/// A value on a wire: any JSON value.
pub use serde_json::Value;
