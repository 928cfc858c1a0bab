//! Reports to the addresses of [callbacks](crate::callbacks): how a run stands whenever it rests, that is when it waits for a person, and at its
//! end. An address may get the same report twice.

use std::sync::Arc;
use std::time::Duration;

use plait_api::ErrorReply;
use plait_core::hash::content_hash;
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use serde::Deserialize as _;

use crate::codes;
use crate::failure::RUN_HEADER;
use crate::tenant::Tenant;
use crate::tenant_folders::mark;

/// How long to wait before each further try, in seconds: about three quarters of an hour in all.
const RETRY_SECONDS: [u64; 6] = [1, 5, 30, 120, 600, 1800];
/// How long to wait for a database that is away.
const DATABASE_DELAY: Duration = Duration::from_secs(5);
/// The header with the time and the signature.
const SIGNATURE_HEADER: &str = "plait-signature";

/// Goes on with what an earlier process left.
pub(crate) fn resume(tenant: &Arc<Tenant>) {
    for run in tenant.callbacks.left_runs() {
        begin(tenant, &run);
    }
}

/// Reports a run that was begun.
pub(crate) fn begin(tenant: &Arc<Tenant>, run: &RunId) {
    tokio::spawn(follow(Arc::clone(tenant), run.clone()));
}

/// Reports the run whenever it rests, until its end was reported, the host ends, or the address does not take it.
async fn follow(tenant: Arc<Tenant>, run: RunId) {
    let followed = tokio::select! {
        biased;
        () = tenant.ended() => return,
        followed = report_until_end(&tenant, &run) => followed,
    };
    if let Err(error) = followed {
        if error.code == codes::HOST_CLOSING {
            return;
        }
        eprintln!("warning: {}The callback of run {run} is given up: {error}", mark(&tenant.name));
    }
    tenant.callbacks.forget(&run);
}

async fn report_until_end(tenant: &Arc<Tenant>, run: &RunId) -> Result<(), ErrorReply> {
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
        if due.reported.as_ref() != Some(&hash) {
            report(tenant, run, &due.url, body).await?;
            due.reported = Some(hash);
            tenant.callbacks.put(run, &due)?;
        }
        if RunStatus::deserialize(&state["status"]).is_ok_and(RunStatus::is_final) {
            return Ok(());
        }
        known = Some(state);
    }
}

/// Sends the state of a run, again and again for a while if the address does not take it.
async fn report(tenant: &Tenant, run: &RunId, url: &str, body: String) -> Result<(), ErrorReply> {
    let secret = tenant.callbacks.secret()?;
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
