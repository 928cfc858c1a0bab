//! `read_file`: a text file in the flow's folder. Files that hold secrets by their name are refused.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use plait_core::error::Fault;
use plait_core::origin::Origin;
use plait_core::text_file;
use plait_llm::grant::CallGrants;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::files;
use super::tool::{CallContext, NativeTool};
use crate::codes;
use crate::project_files::{AccessError, FileAccess, FlowFolders};

/// Larger files would fill a model's window.
const MAX_BYTES: u64 = 256 << 10;

pub(super) struct ReadFile(pub(super) FileAccess);

/// The arguments of `read_file`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The file, relative to the flow's folder, for example `notes/plan.md`.
    path: String,
}

impl NativeTool for ReadFile {
    type Arguments = Arguments;
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "Reads a text file in the folder of this flow.";

    async fn call(&self, arguments: Arguments, context: CallContext) -> Result<Value, Fault> {
        context.origins.add(Origin::File(arguments.path.clone()));
        files::blocking(&self.0, context, move |folders, grants| read(folders, grants, &arguments.path)).await
    }
}

fn read(folders: &FlowFolders, grants: &CallGrants, path: &str) -> Result<Value, Fault> {
    let found = folders.find(Path::new(path), false).map_err(|error| files::to_fault(path, &error))?;
    let (file, absolute) = found.folder.open(&found.path).map_err(|error| files::to_fault(path, &error))?;
    files::check_grants(grants, &absolute, false)?;
    let bytes = read_bytes(&file).map_err(|error| files::to_fault(path, &AccessError::from(error)))?;
    if bytes.len() as u64 > MAX_BYTES {
        let limit = MAX_BYTES >> 10;
        return Err(Fault::new(
            codes::TOOL_TOO_LARGE,
            format!("`{path}` is larger than the limit of {limit} KB."),
        ));
    }
    match text_file::decode(&bytes) {
        Some(decoded) => Ok(Value::String(decoded.text.into_owned())),
        None => Err(Fault::new(codes::TOOL_NOT_TEXT, format!("`{path}` is not a text file."))),
    }
}

/// The bytes of a file. One more than [`MAX_BYTES`] if it is larger, even if it grows meanwhile.
fn read_bytes(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
