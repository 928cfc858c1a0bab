//! The files of small documents: where they are, and their content as JSON.

use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::codes;
use crate::fault;

pub(crate) const SETTINGS: &str = "settings";
pub(crate) const USERS: &str = "users";
pub(crate) const GRANTS: &str = "grants";
pub(crate) const MCP_SERVERS: &str = "mcp-servers";
pub(crate) const MCP_TOOLS: &str = "mcp-tools";
pub(crate) const MCP_LOG: &str = "mcp-log-";

/// The file of a document in a data directory, which need not be open.
pub(crate) fn path_in(home: &Path, name: &str) -> PathBuf {
    home.join(name).with_extension("json")
}

pub(crate) fn json(name: &str, document: &impl Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(document).map_err(|error| {
        Fault::new(codes::STORE_IO, format!("The {name} can't be written as JSON: {error}."))
    })
}

/// The content of a document's file, if it is there.
pub(crate) fn bytes_of(path: &Path, name: &str) -> Result<Option<Vec<u8>>, Fault> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault::of_io(&format!("read the stored {name}"), &error)),
    }
}

pub(crate) fn parse<T: DeserializeOwned>(path: &Path, name: &str, bytes: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(bytes).map_err(|why| {
        let message = format!("The stored {name} in `{}` are damaged: {why}.", path.display());
        Fault::new(codes::STORE_CORRUPT, message).hint(
            "Restore the file from a copy, or go on without it: `plait doctor --salvage` keeps it aside.",
        )
    })
}
