//! Regenerates the files derived from the Rust types: the TypeScript bindings, the list of node types and
//! `docs/error-codes.md`. A test of the `api` crate writes them.

use anyhow::Result;

use crate::steps::{Step, cargo};

/// Runs that test in its writing mode. Another selection than the workspace would recompile dependencies.
pub(crate) fn write() -> Result<()> {
    let mut command = cargo(&["test", "--quiet", "--workspace", "--test", "bindings"]);
    command.env("PLAIT_WRITE_BINDINGS", "1");
    Step::new("Write ui/src/bindings and docs/error-codes.md", command).run()
}
