//! What the commands of suites work with.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::expression::evaluation::Evaluator;
use plait_store::Store;

use super::file::SuiteFile;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::grants::GrantService;
use crate::runs::RunService;

/// The suites of flows. Clones share the files that were read.
#[derive(Clone)]
pub struct SuiteService {
    pub(super) runs: RunService,
    pub(super) store: Store,
    pub(super) evaluator: Arc<dyn Evaluator>,
    pub(super) grants: Arc<GrantService>,
    /// The files as they were last read: a suite of a thousand cases is parsed once.
    files: Arc<Mutex<HashMap<PathBuf, Arc<SuiteFile>>>>,
}

impl SuiteService {
    pub(crate) fn new(
        runs: RunService,
        store: Store,
        evaluator: Arc<dyn Evaluator>,
        grants: Arc<GrantService>,
    ) -> Self {
        Self { runs, store, evaluator, grants, files: Arc::default() }
    }

    /// The same for another user.
    pub(crate) fn acting_for(&self, runs: RunService) -> Self {
        Self { runs, ..self.clone() }
    }

    /// A suite with its flow, as the files are now. `suite.not_read`, `suite.no_flow`, `suite.*` with a line, `flow.*`.
    pub(super) async fn file(&self, path: &str) -> Result<Arc<SuiteFile>, ErrorReply> {
        let (path, files) = (PathBuf::from(path), Arc::clone(&self.files));
        run_blocking(move || {
            let known = files.lock().get(&path).cloned();
            let file = SuiteFile::read(Path::new(&path), known)?;
            files.lock().insert(path, Arc::clone(&file));
            Ok(file)
        })
        .await
    }
}
