//! Runs that [schedules](crate::schedule) begin.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use plait_api::ErrorReply;
use plait_api::hosts::{Schedule, VersionedFlow};
use plait_api::runs::RunRequest;
use plait_core::hash::content_hash;
use plait_core::id::RunId;
use uuid::Builder;

use crate::blocking::blocking;
use crate::published::Published;
use crate::schedule::ScheduleTimes as _;
use crate::tenant::Tenant;
use crate::tenant_folders::mark;

/// How often the schedules are read again: another process may have changed them.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Begins the runs of a tenant whose time has come, until the host ends.
pub(crate) async fn begin_due(tenant: Arc<Tenant>) {
    let mut from = Timestamp::now();
    loop {
        tokio::select! {
            biased;
            () = tenant.ended() => return,
            () = tokio::time::sleep(LOOK_INTERVAL) => {}
        }
        // A clock that was put back begins nothing twice.
        let until = from.max(Timestamp::now());
        let published = tenant.published.clone();
        match blocking(move || due(&published, from, until)).await {
            Ok(due) => {
                for (name, schedule, at) in due {
                    if let Err(error) = begin(&tenant, &name, schedule, at).await {
                        eprintln!(
                            "warning: {}The scheduled run of {name} was not begun: {error}",
                            mark(&tenant.name)
                        );
                    }
                }
            }
            Err(error) => eprintln!("warning: {}The schedules cannot be read: {error}", mark(&tenant.name)),
        }
        from = until;
    }
}

/// The flows whose time has come, with the time.
fn due(
    published: &Published,
    from: Timestamp,
    until: Timestamp,
) -> Result<Vec<(String, Schedule, Timestamp)>, ErrorReply> {
    let mut due = Vec::new();
    // After a long sleep, the times of the last day.
    let from = from.max(until.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(from));
    for (name, schedule) in published.schedules()? {
        if let Some(at) = schedule.last_in(from, until)? {
            due.push((name, schedule, at));
        }
    }
    Ok(due)
}

/// Begins a run, unless another host of the database has begun it.
async fn begin(
    tenant: &Arc<Tenant>,
    name: &str,
    schedule: Schedule,
    at: Timestamp,
) -> Result<(), ErrorReply> {
    tenant.refuse_unless_serving()?;
    let (published, of_name) = (tenant.published.clone(), name.to_owned());
    let VersionedFlow { about, flow } = blocking(move || published.current(&of_name)).await?;
    let request = RunRequest { flow, path: about.path, input: schedule.input, ..RunRequest::default() };
    let run = run_at(&format!("{} {name}", tenant.name), at);
    tenant.begin(None, &run, request).await
}

/// The id of the run of a flow at a time: the same on each host.
fn run_at(flow: &str, at: Timestamp) -> RunId {
    let hash = content_hash(flow.as_bytes());
    let mut random = [0; 10];
    for (byte, digit) in random.iter_mut().zip(hash.bytes()) {
        *byte = digit;
    }
    let millis = u64::try_from(at.as_millisecond()).unwrap_or_default();
    RunId::from(Builder::from_unix_timestamp_millis(millis, &random).into_uuid().to_string())
}

#[cfg(test)]
mod tests;
