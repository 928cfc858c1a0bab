//! Events of runs as a stream of server-sent events, with ids to go on from.

use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::{Stream, StreamExt as _, stream};
use plait_api::runs::RunState;
use plait_api::{ErrorReply, Watch, to_window_json};
use plait_core::id::RunId;
use plait_journal::Entry;
use serde::Serialize;

use crate::phase::closing;
use crate::tenant::Tenant;

/// The minimum time between two batches of events, as in the window.
pub(crate) const FRAME: Duration = Duration::from_millis(16);

/// How often a stream without events says that it is alive, so that nothing on the way closes it.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// An event of a stream. One that the journal has carries its number as id: a client that comes back with it gets what follows.
pub(crate) fn entry_event(entry: &Entry) -> Event {
    let event = data_event("entry", entry);
    match entry.seq {
        Some(seq) => event.id(seq.to_string()),
        None => event,
    }
}

pub(crate) fn data_event(name: &str, data: &impl Serialize) -> Event {
    // What a run has can be written as JSON; else its error can.
    let text = to_window_json(data).or_else(|error| to_window_json(&error));
    Event::default().event(name).data(text.unwrap_or_default())
}

pub(crate) fn response(events: impl Stream<Item = Event> + Send + 'static) -> Response {
    let events = events.map(Ok::<_, std::convert::Infallible>);
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

/// The events of a run to its end, or to that of the host, and an event `end` or `error`.
pub(crate) fn of_run(tenant: Arc<Tenant>, watch: Watch) -> impl Stream<Item = Event> + Send {
    let batches = stream::unfold(Some((tenant, watch)), async |state| {
        let (tenant, mut watch) = state?;
        let batch = tokio::select! {
            biased;
            () = tenant.ended() => Some(Err(closing())),
            batch = watch.next_batch(FRAME) => batch,
        };
        match batch {
            Some(Ok(entries)) => Some((entries.iter().map(entry_event).collect(), Some((tenant, watch)))),
            Some(Err(error)) => Some((vec![data_event("error", &error)], None)),
            None => Some((vec![data_event("end", &serde_json::json!({}))], None)),
        }
    });
    batches.map(|events: Vec<Event>| stream::iter(events)).flatten()
}

/// The events of a run that was just begun, until it ends or waits for a person, and its state then.
pub(crate) fn to_rest(tenant: Arc<Tenant>, run: RunId, watch: Watch) -> impl Stream<Item = Event> + Send {
    let begun = data_event("run", &serde_json::json!({ "run": run }));
    let batches = stream::unfold(Some((tenant, run, watch)), async |state| {
        let (tenant, run, mut watch) = state?;
        // Events come first: the run rests only after its last one.
        let next = tokio::select! {
            biased;
            next = watch.next() => next,
            rested = tenant.rest(&run) => match rested {
                Ok(()) => None,
                Err(error) => Some(Err(error)),
            },
        };
        match next {
            Some(Ok(entry)) => Some((vec![entry_event(&entry)], Some((tenant, run, watch)))),
            Some(Err(error)) => Some((vec![data_event("error", &error)], None)),
            None => {
                let mut events = Vec::new();
                // What is left of the watch is there already.
                while let Ok(Some(Ok(entry))) = tokio::time::timeout(FRAME, watch.next()).await {
                    events.push(entry_event(&entry));
                }
                events.push(state_event(tenant.state(&run).await));
                Some((events, None))
            }
        }
    });
    let batches = batches.map(|events: Vec<Event>| stream::iter(events)).flatten();
    stream::once(async { begun }).chain(batches)
}

fn state_event(state: Result<RunState, ErrorReply>) -> Event {
    match state {
        Ok(state) => data_event("state", &state),
        Err(error) => data_event("error", &error),
    }
}
