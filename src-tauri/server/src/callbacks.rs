//! Callbacks: who begins a run may name an address, which is told how the run stands whenever it rests: when it waits for a person, and
//! at its end.
//!
//! What is due is a file, `host/callbacks/RUN.json` in the data directory of the tenant, until the end was told: a restart loses nothing.
//! An address may be told the same twice.

mod signature;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use plait_api::{ErrorReply, ToolEnvironment};
use plait_core::hash::content_hash;
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use plait_store::{atomic_file, private_files};
use serde::{Deserialize, Serialize};

use crate::codes;
use crate::failure::RUN_HEADER;
use crate::tenant::Tenant;
use crate::tenant_folders::mark;
use signature::Secret;

/// How long to wait before each further try, in seconds: about three quarters of an hour in all.
const RETRY_SECONDS: [u64; 6] = [1, 5, 30, 120, 600, 1800];
/// How long to wait for a database that is away.
const DATABASE_DELAY: Duration = Duration::from_secs(5);
/// The header with the time and the signature.
const SIGNATURE_HEADER: &str = "plait-signature";

/// The callbacks of a tenant.
#[derive(Clone)]
pub(crate) struct Callbacks {
    /// `host` in its data directory.
    folder: PathBuf,
}

/// What is due to an address.
#[derive(Serialize, Deserialize)]
struct Due {
    url: String,
    /// The hash of the state that it was told last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told: Option<String>,
}

impl Callbacks {
    pub(crate) fn of(home: &Path) -> Self {
        Self { folder: home.join("host") }
    }

    /// What receivers check signatures with. It is made when it is needed first. `host.callback_secret`.
    pub(crate) fn secret(&self) -> Result<String, ErrorReply> {
        Ok(Secret::of(&self.folder)?.text().to_owned())
    }

    /// Notes that an address is to be told of a run, before the run begins: a later process does it, too. Whether that is new.
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
            self.put(run, &Due { url: url.to_owned(), told: None })?;
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

    /// Goes on with what an earlier process left.
    pub(crate) fn resume(&self, tenant: &Arc<Tenant>) {
        let files = std::fs::read_dir(self.folder.join("callbacks")).into_iter().flatten().flatten();
        for file in files {
            let path = file.path();
            if path.extension().is_some_and(|extension| extension == "json")
                && let Some(run) = path.file_stem().and_then(|name| name.to_str())
            {
                begin(tenant, &RunId::from(run));
            }
        }
    }

    fn file(&self, run: &RunId) -> PathBuf {
        self.folder.join("callbacks").join(format!("{run}.json"))
    }

    fn due(&self, run: &RunId) -> Result<Option<Due>, ErrorReply> {
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

    fn put(&self, run: &RunId, due: &Due) -> Result<(), ErrorReply> {
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

/// Tells the address of a run that was begun.
pub(crate) fn begin(tenant: &Arc<Tenant>, run: &RunId) {
    tokio::spawn(follow(Arc::clone(tenant), run.clone()));
}

/// Tells the address whenever the run rests, until its end was told, the host ends, or the address does not take it.
async fn follow(tenant: Arc<Tenant>, run: RunId) {
    let followed = tokio::select! {
        biased;
        () = tenant.ended() => return,
        followed = tell_until_end(&tenant, &run) => followed,
    };
    if let Err(error) = followed {
        if error.code == codes::HOST_CLOSING {
            return;
        }
        eprintln!("warning: {}The callback of run {run} is given up: {error}", mark(&tenant.name));
    }
    tenant.callbacks.forget(&run);
}

async fn tell_until_end(tenant: &Arc<Tenant>, run: &RunId) -> Result<(), ErrorReply> {
    let mut known = None;
    loop {
        let state = match tenant.next_rest(run, known.as_ref()).await {
            // It comes back.
            Err(error) if error.code == plait_host_store::codes::HOST_DATABASE => {
                tokio::time::sleep(DATABASE_DELAY).await;
                continue;
            }
            state => state?,
        };
        let Some(mut due) = tenant.callbacks.due(run)? else { return Ok(()) };
        let body = state.to_string();
        let hash = content_hash(body.as_bytes());
        if due.told.as_ref() != Some(&hash) {
            tell(tenant, run, &due.url, body).await?;
            due.told = Some(hash);
            tenant.callbacks.put(run, &due)?;
        }
        if RunStatus::deserialize(&state["status"]).is_ok_and(RunStatus::is_final) {
            return Ok(());
        }
        known = Some(state);
    }
}

/// Sends the state of a run, again and again for a while if the address does not take it.
async fn tell(tenant: &Tenant, run: &RunId, url: &str, body: String) -> Result<(), ErrorReply> {
    let secret = Secret::of(&tenant.callbacks.folder)?;
    let mut delays = RETRY_SECONDS.iter();
    loop {
        let headers = [
            (RUN_HEADER, run.to_string()),
            (SIGNATURE_HEADER, secret.signature(jiff::Timestamp::now().as_second(), body.as_bytes())),
        ];
        let failure = match tenant.plait.tools().post_json(url, &headers, body.clone().into_bytes()).await {
            Ok(200..=299) => return Ok(()),
            Ok(status) => ErrorReply::new(codes::HOST_CALLBACK, format!("It answered with status {status}.")),
            Err(fault) => fault.into(),
        };
        match delays.next() {
            Some(seconds) => tokio::time::sleep(Duration::from_secs(*seconds)).await,
            None => return Err(failure),
        }
    }
}
