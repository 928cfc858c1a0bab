//! The audit log: a line of JSON for each request with a token, for each that was refused, and for each run that was removed because it was
//! old. Who, what, when, with which result; no bodies. While it cannot be written, the host does nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use parking_lot::Mutex;
use plait_api::ErrorReply;
use plait_core::error::ErrorCode;
use plait_core::id::RunId;
use plait_host_store::TenantName;
use plait_store::private_files;
use serde::Serialize;

use crate::codes;
use crate::roles::Role;

/// One request.
#[derive(Serialize)]
pub(crate) struct AuditEntry<'a> {
    pub(crate) at: Timestamp,
    /// The id of the token; nothing for a request that was not let in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<Role>,
    /// The tenant of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<&'a TenantName>,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'a ErrorCode>,
    /// The run that the request began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<&'a str>,
}

/// A run that was removed because it ended longer ago than runs are kept.
#[derive(Serialize)]
pub(crate) struct AuditRemoval<'a> {
    pub(crate) at: Timestamp,
    /// Who removed it: the host by its option, or somebody at its terminal.
    pub(crate) name: &'a str,
    pub(crate) tenant: &'a TenantName,
    pub(crate) removed: &'a RunId,
}

pub(crate) struct AuditLog {
    path: PathBuf,
    /// Nothing after it could not be written.
    file: Mutex<Option<File>>,
}

impl AuditLog {
    /// Opens the log in a data directory. `host.audit`.
    pub(crate) fn open(home: &Path) -> Result<Self, ErrorReply> {
        let log = Self { path: home.join("host").join("audit.jsonl"), file: Mutex::default() };
        log.check()?;
        Ok(log)
    }

    /// Whether the log can be written; it is opened again if it could not be before. `host.audit`.
    pub(crate) fn check(&self) -> Result<(), ErrorReply> {
        let mut file = self.file.lock();
        if file.is_none() {
            *file = Some(self.open_file().map_err(|error| self.failed(&error))?);
        }
        Ok(())
    }

    /// Writes a line. If that is not possible, the host stops executing requests until it is again.
    pub(crate) fn write(&self, entry: &AuditEntry<'_>) {
        if let Err(error) = self.append(entry) {
            eprintln!("error: {error}");
        }
    }

    /// The same of a removal, which must not happen without its line. `host.audit`.
    pub(crate) fn write_removal(&self, removal: &AuditRemoval<'_>) -> Result<(), ErrorReply> {
        self.check()?;
        self.append(removal)
    }

    fn append(&self, entry: &impl Serialize) -> Result<(), ErrorReply> {
        let mut file = self.file.lock();
        let written = match (serde_json::to_vec(entry), file.as_mut()) {
            (Ok(mut line), Some(file)) => {
                line.push(b'\n');
                file.write_all(&line)
            }
            (Err(error), _) => Err(error.into()),
            (Ok(_), None) => Err(io::Error::other("it is not open")),
        };
        written.map_err(|error| {
            *file = None;
            self.failed(&error)
        })
    }

    fn open_file(&self) -> io::Result<File> {
        private_files::create_folder(self.path.parent().unwrap_or(Path::new(".")))?;
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        private_files::set_mode(&mut options);
        let mut file = options.open(&self.path)?;
        // A line that a crash or a full disk cut stays a line of its own.
        if file.metadata()?.len() > 0 && !ends_line(&self.path)? {
            file.write_all(b"\n")?;
        }
        Ok(file)
    }

    fn failed(&self, error: &io::Error) -> ErrorReply {
        let message = format!("The audit log `{}` cannot be written: {error}.", self.path.display());
        ErrorReply::new(codes::HOST_AUDIT, message)
    }
}

fn ends_line(path: &Path) -> io::Result<bool> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
