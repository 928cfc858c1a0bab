//! MCP servers as processes and over HTTP: the reference servers from npm, and scripted ones that misbehave.
//!
//! `cargo xtask test` installs the reference servers into `tests/mcp`. The tests need Node.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod fixture;
mod import;
mod misbehavior;
mod pins;
mod questions;
mod reference_http;
mod reference_servers;
