//! Other ways to write a flow down: pipelines in YAML.
//!
//! Each becomes a flow document, so that one engine runs all of them. Refuses to run anything.

pub mod codes;
pub mod pipeline;
