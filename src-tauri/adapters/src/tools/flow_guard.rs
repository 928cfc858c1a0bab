//! Keeps tools from replacing what runs them: the file of the running flow and of the flows above it, the files that have grants, and any
//! file that holds, or would hold, what `plait run` takes as a flow. A model that could write one would decide what the person's next run
//! does, with the grants of that file.

use std::path::Path;

use plait_core::error::Fault;
use plait_core::id::RunId;

use crate::codes;
use plait_store::Store;

/// Whether a text is what `plait run` takes as a flow, in any of its formats.
pub type IsFlow = fn(&str) -> bool;

#[derive(Clone)]
pub struct FlowGuard {
    store: Store,
    is_flow: IsFlow,
}

impl FlowGuard {
    /// With the grants and the runs of this store.
    pub fn new(store: &Store, is_flow: IsFlow) -> Self {
        Self { store: store.clone(), is_flow }
    }

    /// Refuses to write `text` to the file at `path`, which is absolute, without links. `before`: what the file holds now, if it is a text.
    /// `run`: who calls the tool. Fault `tool.protected_file`.
    pub(crate) fn check(
        &self,
        path: &Path,
        before: Option<&str>,
        text: &str,
        run: Option<&RunId>,
    ) -> Result<(), Fault> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let refuse = |why: &str| {
            Err(Fault::new(codes::TOOL_PROTECTED_FILE, format!("`{name}` is not written: {why}."))
                .hint("Tools write no flows: what a flow does is decided by the person who runs it. Use another name or text."))
        };
        if self.runs_from(path, run)? {
            return refuse("it is the file of the flow that runs");
        }
        if self.has_grants(path)? {
            return refuse("it is the file of a flow that has grants");
        }
        if before.is_some_and(self.is_flow) {
            return refuse("it holds a flow");
        }
        if (self.is_flow)(text) { refuse("the text is a flow") } else { Ok(()) }
    }

    /// Whether it is the file of the run or of one that the run is a part of.
    fn runs_from(&self, path: &Path, run: Option<&RunId>) -> Result<bool, Fault> {
        let mut next = run.cloned();
        while let Some(run) = next {
            let record = self.store.run(&run)?;
            if record.flow.path.as_deref().is_some_and(|flow| is_same_file(Path::new(flow), path)) {
                return Ok(true);
            }
            next = record.parent_run_id;
        }
        Ok(false)
    }

    fn has_grants(&self, path: &Path) -> Result<bool, Fault> {
        Ok(self.store.grants()?.keys().any(|flow| is_same_file(Path::new(flow), path)))
    }
}

/// Whether a path, with links or without, is the same file as `real`, which has none.
fn is_same_file(path: &Path, real: &Path) -> bool {
    path == real || path.canonicalize().is_ok_and(|path| path == real)
}

#[cfg(test)]
mod tests;
