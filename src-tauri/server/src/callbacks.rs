//! Callbacks: who begins a run may name an address, to which the host reports how the run stands.
//!
//! What is due is a file, `host/callbacks/RUN.json` in the data directory of the tenant, until the end was reported: a restart loses nothing.

mod signature;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use plait_api::{ErrorReply, ToolEnvironment};
use plait_core::id::RunId;
use plait_store::{atomic_file, private_files};
use serde::{Deserialize, Serialize};

use crate::codes;
use signature::Secret;

/// The callbacks of a tenant.
#[derive(Clone)]
pub(crate) struct Callbacks {
    /// `host` in its data directory.
    folder: PathBuf,
}

/// What is due to an address.
#[derive(Serialize, Deserialize)]
pub(crate) struct Due {
    pub(crate) url: String,
    /// The hash of the state that was reported last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reported: Option<String>,
}

impl Callbacks {
    pub(crate) fn of(home: &Path) -> Self {
        Self { folder: home.join("host") }
    }

    /// What signs reports, and what receivers check them with. It is made when it is needed first. `host.callback_secret`.
    pub(crate) fn secret(&self) -> Result<Secret, ErrorReply> {
        Secret::of(&self.folder)
    }

    /// Notes that a run is to be reported to an address, before the run begins. Whether that is new.
    /// `host.callback`, `host.callback_file`.
    pub(crate) fn note(&self, tools: &ToolEnvironment, run: &RunId, url: &str) -> Result<bool, ErrorReply> {
        tools.check_url(url).map_err(|fault| {
            let message = format!("The callback cannot be sent: {}", fault.message);
            let hint = fault.hint.unwrap_or_else(|| "Name another address.".to_owned());
            ErrorReply::new(codes::HOST_CALLBACK, message).hint(hint)
        })?;
        // It may be the same run, asked for again.
        let is_new = self.due(run)?.is_none();
        if is_new {
            self.put(run, &Due { url: url.to_owned(), reported: None })?;
        }
        Ok(is_new)
    }

    /// Forgets a run that is not followed.
    pub(crate) fn forget(&self, run: &RunId) {
        if let Err(error) = std::fs::remove_file(self.file(run))
            && error.kind() != ErrorKind::NotFound
        {
            eprintln!("warning: The callback of run {run} cannot be removed: {error}.");
        }
    }

    /// The runs to report, which an earlier process left. Before any other use: removes what it left of files, too.
    pub(crate) fn left_runs(&self) -> Vec<RunId> {
        let folder = self.folder.join("callbacks");
        for path in atomic_file::leftovers(&folder) {
            // One that stays costs space and nothing else.
            let _ = std::fs::remove_file(path);
        }
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = files.filter_map(|file| file.file_name().into_string().ok());
        names.filter_map(|name| Some(RunId::from(name.strip_suffix(".json")?))).collect()
    }

    fn file(&self, run: &RunId) -> PathBuf {
        self.folder.join("callbacks").join(format!("{run}.json"))
    }

    /// What is due of a run. `host.callback_file`.
    pub(crate) fn due(&self, run: &RunId) -> Result<Option<Due>, ErrorReply> {
        let read = match std::fs::read(self.file(run)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => Err(error.to_string()),
        };
        read.map(Some).map_err(|error| {
            ErrorReply::new(
                codes::HOST_CALLBACK_FILE,
                format!("The callback of run {run} cannot be read: {error}."),
            )
        })
    }

    /// Stores what is due of a run. `host.callback_file`.
    pub(crate) fn put(&self, run: &RunId, due: &Due) -> Result<(), ErrorReply> {
        let file = self.file(run);
        let written = private_files::create_folder(&self.folder.join("callbacks"))
            .and_then(|()| Ok(serde_json::to_vec(due)?))
            .and_then(|bytes| atomic_file::replace_private(&file, &bytes));
        written.map_err(|error| {
            let message = format!("The callback of run {run} cannot be stored: {error}.");
            ErrorReply::new(codes::HOST_CALLBACK_FILE, message)
        })
    }
}
