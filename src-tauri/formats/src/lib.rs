//! Other ways to write a flow down, pipelines in YAML, and where the parts of a flow are in its file.
//!
//! Each becomes a flow document, so that one engine runs all of them. Refuses to run anything.

pub mod codes;
pub mod foreign;
mod json_positions;
pub mod pipeline;
pub mod positions;
