//! The files of small documents: where they are, and their content as JSON.

use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::fault;
use crate::codes;

/// The file of a document in a data directory, which need not be open.
pub(super) fn path_in(home: &Path, name: &str) -> PathBuf {
    home.join(name).with_extension("json")
}

pub(super) fn json(name: &str, document: &impl Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(document).map_err(|error| {
        Fault::new(codes::STORE_IO, format!("The {name} can't be written as JSON: {error}."))
    })
}

/// The content of a document's file, if it is there.
pub(super) fn bytes_of(path: &Path, name: &str) -> Result<Option<Vec<u8>>, Fault> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault::of_io(&format!("read the stored {name}"), &error)),
    }
}

pub(super) fn parse<T: DeserializeOwned>(path: &Path, name: &str, bytes: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(bytes).map_err(|why| {
        let message = format!("The stored {name} in `{}` are damaged: {why}.", path.display());
        Fault::new(codes::STORE_CORRUPT, message).hint(
            "Restore the file from a copy, or go on without it: `plait doctor --salvage` keeps it aside.",
        )
    })
}
