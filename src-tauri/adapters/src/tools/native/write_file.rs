//! `write_file`: a text file in a folder that the flow declares for writing.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_llm::tool::ToolEffect;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::files;
use super::tool::{CallContext, NativeTool};
use crate::codes;
use crate::project_files::{FileAccess, FolderFile};
use crate::tools::flow_guard::FlowGuard;

/// The largest text, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// How many bytes of the existing file are checked for a flow. No person writes a larger one.
const MAX_INSPECTED_BYTES: u64 = 64 << 20;

pub(super) struct WriteFile {
    files: FileAccess,
    flow_guard: Option<FlowGuard>,
}

impl WriteFile {
    pub(super) fn new(files: FileAccess, flow_guard: Option<FlowGuard>) -> Self {
        Self { files, flow_guard }
    }
}

/// The path of a file without links, as far as it exists, and the text that it holds, if it holds one.
fn read_existing(found: &FolderFile) -> (PathBuf, Option<String>) {
    let Ok((file, path)) = found.folder.open(&found.path) else {
        return (found.folder.path().join(&found.path), None);
    };
    let mut text = String::new();
    let is_text = file.take(MAX_INSPECTED_BYTES).read_to_string(&mut text).is_ok();
    (path, is_text.then_some(text))
}

/// The arguments of `write_file`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The file, relative to the flow's folder, for example `out/summary.md`. Missing folders are created.
    path: String,
    /// The whole text of the file. It replaces what is there.
    text: String,
}

impl NativeTool for WriteFile {
    type Arguments = Arguments;
    const NAME: &'static str = "write_file";
    const DESCRIPTION: &'static str = "Writes a text file in a folder of this flow that may be written to, and replaces the \
        file if there is one.";
    const EFFECT: ToolEffect = ToolEffect::Write;

    async fn call(&self, arguments: Arguments, context: CallContext) -> Result<Value, Fault> {
        let Arguments { path, text } = arguments;
        if text.len() > MAX_BYTES {
            return Err(Fault::new(
                codes::TOOL_TOO_LARGE,
                format!("The text is larger than the limit of {} KB.", MAX_BYTES >> 10),
            )
            .hint("Write several files."));
        }
        let flow_guard = self.flow_guard.clone();
        let run = context.site.source.run.clone();
        files::blocking(&self.files, context, move |folders, grants| {
            let found =
                folders.find(Path::new(&path), true).map_err(|error| files::to_fault(&path, &error))?;
            files::check_grants(grants, &found.folder.path().join(&found.path), true)?;
            if let Some(guard) = &flow_guard {
                let (real, before) = read_existing(&found);
                guard.check(&real, before.as_deref(), &text, run.as_ref())?;
            }
            found.folder.write(&found.path, &text).map_err(|error| match files::to_fault(&path, &error) {
                fault if fault.code == codes::TOOL_UNREADABLE || fault.code == codes::TOOL_NOT_FOUND => {
                    Fault {
                        code: codes::TOOL_UNWRITABLE,
                        message: format!("`{path}` can't be written: {error}."),
                        ..fault
                    }
                }
                fault => fault,
            })?;
            Ok(json!({ "path": path, "bytes": text.len() }))
        })
        .await
    }
}
