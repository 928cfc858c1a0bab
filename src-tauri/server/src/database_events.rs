//! Events of runs that workers drive, as a stream with the numbers of the journal as ids. The database announces new records of trees that
//! somebody watches; what is announced is read from a copy. Text that is being written is announced as well, and fitted in where it belongs
//! ([`TextCursor`]); a piece that is missed comes with the whole reply.

use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::Event;
use futures::{Stream, StreamExt as _, stream};
use plait_api::ErrorReply;
use plait_core::id::RunId;
use plait_host_store::codes::HOST_DATABASE;
use plait_journal::Entry;
use plait_journal::view::RunStatus;
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::time::{Instant, timeout};

use crate::database_runs::{DatabaseRuns, Standing};
use crate::events::{FRAME, data_event, entry_event};
use crate::phase::closing;
use crate::run_copies::{CopySize, MAX_ENTRIES};
use crate::tenant::Tenant;
use crate::text_cursor::TextCursor;
use crate::tree_notices::TreeNotice;

/// How long a stream is announced for, and how often that is repeated.
const WATCH_DURATION: Duration = Duration::from_mins(1);
const WATCH_INTERVAL: Duration = Duration::from_secs(20);
/// How often what no notice named is looked at.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// When a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// With the run.
    End,
    /// When the run has ended or waits for a person. The state then is the last event.
    Rest,
}

/// A stream that is read.
struct Reading {
    tenant: Arc<Tenant>,
    runs: DatabaseRuns,
    root: RunId,
    run: RunId,
    /// The number of the next event.
    next: u64,
    until: Until,
    notices: broadcast::Receiver<TreeNotice>,
    /// Keeps the copy of the tree.
    _copy: CopySize,
    /// When it was announced last that somebody watches.
    announced: Option<Instant>,
    /// When entries were read last.
    read: Option<Instant>,
    /// What may have happened since.
    due: Option<Due>,
    /// The text that is being written.
    texts: TextCursor,
}

/// What there is to tell.
enum Happening {
    Due(Due),
    /// A piece of text that belongs here.
    Text(Box<Entry>),
}

/// What has to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// There are new records.
    Entries,
    /// It may have come to rest as well.
    Anything,
}

/// What a look at the database gave.
enum Look {
    Entries(Vec<Entry>),
    Nothing,
    /// The last event.
    Last(Event),
}

/// The events of a run in the database from a number on.
pub(crate) fn events_of(
    tenant: Arc<Tenant>,
    runs: DatabaseRuns,
    (root, run): (RunId, RunId),
    from: u64,
    until: Until,
) -> impl Stream<Item = Event> + Send {
    let notices = runs.notices(&root);
    let copy = runs.copies().copy(&root);
    let reading = Reading {
        tenant,
        runs,
        root,
        run,
        next: from,
        until,
        notices,
        _copy: copy,
        announced: None,
        read: None,
        due: Some(Due::Anything),
        texts: TextCursor::at(from),
    };
    let batches = stream::unfold(Some(reading), async |state| {
        let mut reading: Reading = state?;
        let tenant = Arc::clone(&reading.tenant);
        let (events, is_over) = tokio::select! {
            biased;
            () = tenant.ended() => (vec![data_event("error", &closing())], true),
            next = reading.next_events() => next,
        };
        Some((events, (!is_over).then_some(reading)))
    });
    batches.map(|events: Vec<Event>| stream::iter(events)).flatten()
}

impl Reading {
    /// The next events, at least one, and whether they are the last.
    async fn next_events(&mut self) -> (Vec<Event>, bool) {
        loop {
            let due = match self.due.take() {
                Some(due) => due,
                None => match self.happening().await {
                    Happening::Due(due) => due,
                    Happening::Text(text) => return (vec![entry_event(&text)], false),
                },
            };
            // A batch in a frame.
            if let Some(read) = self.read {
                tokio::time::sleep_until(read + FRAME).await;
            }
            match self.look(due).await {
                Ok(Look::Entries(entries)) => {
                    self.read = Some(Instant::now());
                    let may_follow = due == Due::Anything || entries.len() == MAX_ENTRIES;
                    self.due = may_follow.then_some(due);
                    let mut events: Vec<Event> = entries.iter().map(entry_event).collect();
                    let Some(last) = entries.last() else { continue };
                    self.next = last.seq.map_or(self.next, |seq| seq + 1);
                    events.extend(self.texts.pass(&entries, self.next).iter().map(entry_event));
                    let is_over = self.until == Until::End && last.event.is_terminal();
                    if is_over {
                        events.push(data_event("end", &json!({})));
                    }
                    return (events, is_over);
                }
                Ok(Look::Last(event)) => return (vec![event], true),
                Ok(Look::Nothing) => {}
                // Until it is back: what was stored is there then.
                Err(error) if error.code == HOST_DATABASE => {
                    self.due = Some(Due::Anything);
                    tokio::time::sleep(LOOK_INTERVAL).await;
                }
                Err(error) => return (vec![data_event("error", &error)], true),
            }
        }
    }

    async fn look(&mut self, due: Due) -> Result<Look, ErrorReply> {
        if self.announced.is_none_or(|announced| announced.elapsed() >= WATCH_INTERVAL) {
            self.runs.watch(&self.root, &self.run, WATCH_DURATION).await?;
            self.announced = Some(Instant::now());
        }
        let entries = self.entries().await?;
        if !entries.is_empty() {
            return Ok(Look::Entries(entries));
        }
        if due == Due::Entries {
            return Ok(Look::Nothing);
        }
        // Once it rests, all of its events are there.
        let standing = self.runs.standing(&self.root).await?;
        if matches!(standing, Standing::Rests(_)) {
            let entries = self.entries().await?;
            if !entries.is_empty() {
                return Ok(Look::Entries(entries));
            }
        }
        Ok(match (standing, self.until) {
            (Standing::Rests(state), Until::Rest) => Look::Last(data_event("state", &state)),
            // A client that has seen the last event comes back.
            (Standing::Rests(state), Until::End) if has_ended(&state) => {
                Look::Last(data_event("end", &json!({})))
            }
            _ => Look::Nothing,
        })
    }

    async fn entries(&self) -> Result<Vec<Entry>, ErrorReply> {
        self.runs.copies().entries(&self.root, &self.run, self.next).await
    }

    /// Resolves when there may be something new, or a piece of text.
    async fn happening(&mut self) -> Happening {
        let happening = async {
            loop {
                match self.notices.recv().await {
                    Ok(TreeNotice::Events) => return Happening::Due(Due::Entries),
                    Ok(TreeNotice::Text(text)) if text.run != self.run => {}
                    Ok(TreeNotice::Text(text)) => {
                        if let Some(entry) = self.texts.take(&text) {
                            return Happening::Text(Box::new(entry));
                        }
                    }
                    Ok(TreeNotice::Rest | TreeNotice::Missed) | Err(_) => {
                        return Happening::Due(Due::Anything);
                    }
                }
            }
        };
        timeout(LOOK_INTERVAL, happening).await.unwrap_or(Happening::Due(Due::Anything))
    }
}

fn has_ended(state: &Value) -> bool {
    RunStatus::deserialize(&state["status"]).is_ok_and(RunStatus::is_final)
}

/// The first event of a run that was just begun: it names the run.
pub(crate) fn begun(run: &RunId) -> Event {
    data_event("run", &json!({ "run": run }))
}
