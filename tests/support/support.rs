//! Support for the scenarios: recording providers, a scripted model server, and runs of flows through the application and
//! the real binary.

#![allow(dead_code, reason = "each test binary that includes this uses a part of it")]

pub mod app;
pub mod binary;
pub mod collector;
pub mod folder;
pub mod hanging_provider;
pub mod journal;
pub mod provider;
pub mod server;

use std::path::PathBuf;

use plait_core::flow;
use plait_core::flow::Flow;

/// The path of a file in `tests/fixtures`.
pub fn fixture(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures")).join(path)
}

/// A flow from `tests/fixtures/flows`.
pub fn flow(name: &str) -> Flow {
    let path = fixture(&format!("flows/{name}.flow.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    flow::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
