//! Documents as jobs: PDF and HTML from anywhere.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plait_core::error::Fault;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::stopped::Stopped;
use crate::documents::{DocumentKind, bad_file, read_document};

/// How long reading a document may take. A book of a thousand pages takes a few seconds.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DocumentBytes {
    kind: DocumentKind,
    /// In base64.
    data: String,
}

impl DocumentBytes {
    pub(super) fn new(kind: DocumentKind, bytes: &[u8]) -> Self {
        Self { kind, data: STANDARD.encode(bytes) }
    }

    pub(super) fn read(self) -> Result<Value, Fault> {
        let bytes =
            STANDARD.decode(&self.data).map_err(|_| bad_file("its bytes did not reach the worker"))?;
        read_document(self.kind, &bytes).map(Value::String)
    }
}

pub(super) fn stopped(why: Stopped) -> Fault {
    bad_file(match why {
        Stopped::InputTooLarge => "it is too large",
        Stopped::Time => "reading it takes too long",
        Stopped::Memory => "it is broken, or takes too much memory to read",
    })
}

pub(super) fn unavailable(error: &dyn std::fmt::Display) -> Fault {
    bad_file(&format!("the worker process that reads documents could not be started: {error}"))
}
