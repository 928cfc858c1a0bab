//! The TypeScript bindings of the commands, generated from the Rust types by the `api` crate itself.

use anyhow::Result;

use crate::steps::{Step, cargo};

/// Writes them anew.
pub(crate) fn write() -> Result<()> {
    let mut command = cargo(&["test", "--quiet", "--package", "plait-api", "bindings"]);
    command.env("PLAIT_WRITE_BINDINGS", "1");
    Step::new("Write ui/src/bindings", command).quietly()
}
