//! Texts that are exported: their format, and the file that they are written to.

use std::path::Path;

use plait_store::flow_files;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::ErrorReply;
use crate::codes;

/// The format of an exported text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ExportFormat {
    /// For people.
    Markdown,
    /// For programs, without loss.
    Json,
}

impl ExportFormat {
    /// What the names of its files end with.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Json => "json",
        }
    }
}

/// A document as text. The error names `what` it is.
pub(crate) fn json_text(what: &str, document: &Value) -> Result<String, ErrorReply> {
    serde_json::to_string_pretty(document).map(|text| text + "\n").map_err(|error| {
        ErrorReply::new(codes::OUTPUT_FAILED, format!("{what} could not be serialized: {error}."))
    })
}

/// Writes the text to a file, if one is named. An existing file is replaced.
pub(crate) fn write_if_named(path: Option<&str>, text: &str) -> Result<(), ErrorReply> {
    if let Some(path) = path {
        flow_files::write(Path::new(path), text, None)?;
    }
    Ok(())
}
