//! What the scenarios share: providers that keep a record of what they were sent, a scripted model server, and ways to run
//! a flow through the application and through the real binary.

#![allow(dead_code, reason = "each test binary that includes this uses a part of it")]

pub mod app;
pub mod binary;
pub mod folder;
pub mod journal;
pub mod provider;
pub mod server;
pub mod silent;

use std::path::PathBuf;

use plait_api::engine::flow::{self, Flow};

/// A file below `tests/fixtures`.
pub fn fixture(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures")).join(path)
}

/// A flow of `tests/fixtures/flows`.
pub fn flow(name: &str) -> Flow {
    let path = fixture(&format!("flows/{name}.flow.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    flow::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
