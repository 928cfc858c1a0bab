//! One run tree under a lease, from its copy to its rest.

use std::sync::Arc;

use plait_api::ErrorReply;
use plait_api::runs::{EndPause, GoOn, ResumeRun, RunRequest, ShowRun};
use plait_core::id::{Activation, ConversationId, RunId};
use plait_host_store::{Lease, Outcome, PendingRequest, Rest};
use plait_journal::view::RunStatus;
use plait_journal::{DebugEvent, Event, NodeEvent};
use serde_json::Value;
use tokio::sync::{Notify, watch};

use super::{Call, Worker, copies};
use crate::blocking::blocking;
use crate::board::StandingRun;
use crate::codes;
use crate::database_runs::START;

/// Why a tree is no longer driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It can go on only by what a person does.
    Idle,
    /// It has ended, or stopped being driven.
    Rests,
    /// No worker can go on with it, until a person resumes it.
    Refused,
    /// The worker ends.
    Left,
    /// Others drive it.
    Lost,
}

pub(super) struct LeasedTree<'w> {
    pub(super) worker: &'w Worker,
    pub(super) lease: &'w Lease,
    /// The conversation that it continues.
    pub(super) conversation: Option<ConversationId>,
    pub(super) called: watch::Receiver<Call>,
    /// The tree has a request.
    pub(super) due: Arc<Notify>,
}

impl LeasedTree<'_> {
    /// Drives the tree until it rests. An error says why it is not driven any more: others take it over when the lease expires.
    pub(super) async fn drive(self) -> Result<(), ErrorReply> {
        self.worker.leased.add(self.lease);
        let driven = self.drive_copy().await;
        self.worker.texts.end(self.root());
        let left = self.leave(driven).await;
        self.worker.leased.remove(self.lease);
        left
    }

    async fn drive_copy(&self) -> Result<End, ErrorReply> {
        let Worker { database, plait, .. } = self.worker;
        if let Some(conversation) = &self.conversation {
            // First: what the tree has said already is added to it.
            let bytes = database.conversation(conversation).await?;
            copies::put_conversation(plait.store(), conversation.clone(), bytes).await?;
        }
        if database.size(self.root()).await? > 0 {
            let bytes = database.tree(self.root()).await?;
            let (store, root) = (plait.store().clone(), self.root().clone());
            blocking(move || Ok(store.put_tree(&root, &bytes)?)).await?;
        } else if self.is_begun().await? {
            // Its first events did not reach the database.
            copies::remove(plait.store(), self.root().clone()).await?;
        }
        let mut is_shown = false;
        loop {
            while let Some(request) = database.next_request(self.lease).await? {
                let outcome = self.execute(&request).await?;
                database.finish_request(self.lease, request.id, &outcome).await?;
            }
            if !self.is_begun().await? {
                // It could not be started.
                return Ok(End::Rests);
            }
            if self.status().await? == RunStatus::Interrupted
                && let Err(error) = plait.call(ResumeRun { run: self.root().clone() }).await
            {
                if is_own(&error) {
                    return Err(error);
                }
                eprintln!("warning: Run {} cannot go on: {error}", self.root());
                return Ok(End::Refused);
            }
            if !std::mem::replace(&mut is_shown, true) {
                self.worker.texts.begin(self.root());
            }
            let runs = plait.runs();
            tokio::select! {
                biased;
                end = called(self.called.clone()) => return Ok(end),
                () = self.due.notified() => {}
                Some(_) = runs.idle_tree(self.root()) => return Ok(End::Idle),
                () = runs.settled(self.root()) => return Ok(End::Rests),
            }
        }
    }

    /// Stops driving and gives the lease back.
    async fn leave(&self, driven: Result<End, ErrorReply>) -> Result<(), ErrorReply> {
        let Worker { database, plait, .. } = self.worker;
        let is_begun = self.is_begun().await?;
        let mut driven = driven;
        if is_begun {
            plait.runs().suspend_tree(self.root()).await?;
            if let Err(fault) = plait.store().flush().await {
                driven = driven.and(Err(fault.into()));
            }
        }
        if is_begun
            && matches!(driven, Ok(End::Idle | End::Rests | End::Refused | End::Left))
            && let Err(error) = self.store_conversation().await
        {
            driven = Err(error);
        }
        if is_begun
            && matches!(driven, Ok(End::Idle | End::Rests | End::Refused | End::Left))
            && let Err(error) = self.export().await
        {
            // Spans are no reason to keep a run.
            eprintln!("warning: The spans of run {} are not exported: {error}", self.root());
        }
        let rest = match driven {
            // Whoever has the lease by now knows more.
            Ok(End::Lost) => Ok(None),
            Ok(end) if !is_begun => {
                Ok(Some(Rest { goes_on: false, state: None, has_ended: end == End::Rests, listing: None }))
            }
            Ok(end) => self.rest(end).await.map(Some),
            Err(error) => Err(error),
        };
        if is_begun {
            copies::remove(plait.store(), self.root().clone()).await?;
        }
        if let Some(conversation) = &self.conversation {
            copies::remove_conversation(plait.store(), conversation.clone()).await?;
        }
        let Some(rest) = rest? else { return Ok(()) };
        Ok(database.release(self.lease, &rest).await?)
    }

    /// How the tree is left.
    async fn rest(&self, end: End) -> Result<Rest, ErrorReply> {
        let run = StandingRun::of(self.worker.plait.call(ShowRun { run: self.root().clone() }).await?)?;
        let state = &run.state;
        if state.status == RunStatus::Interrupted {
            match end {
                End::Left => {
                    return Ok(Rest {
                        goes_on: true,
                        state: None,
                        has_ended: false,
                        listing: Some(run.listing),
                    });
                }
                End::Rests => {
                    let message = format!("Run {} stopped before its end.", self.root());
                    return Err(ErrorReply::new(codes::HOST_STOPPED, message)
                        .hint("A worker goes on with it when the lease expires."));
                }
                End::Idle | End::Refused | End::Lost => {}
            }
        }
        let has_ended = state.status.is_final();
        Ok(Rest { goes_on: false, state: Some(run.state_text()?), has_ended, listing: Some(run.listing) })
    }

    /// Adds what the tree said to its conversation in the database.
    async fn store_conversation(&self) -> Result<(), ErrorReply> {
        let Some(conversation) = &self.conversation else { return Ok(()) };
        let Worker { database, plait, .. } = self.worker;
        let size = database.conversation_size(conversation).await?.unwrap_or_default();
        let (store, id) = (plait.store().clone(), conversation.clone());
        let bytes = blocking(move || Ok(store.conversation_bytes(&id)?)).await?;
        let added = usize::try_from(size).ok().and_then(|size| bytes.get(size..)).unwrap_or_default();
        Ok(database.extend_conversation(self.lease, conversation, size, added).await?)
    }

    /// Exports what happened since the tree was exported last.
    async fn export(&self) -> Result<(), ErrorReply> {
        let Worker { database, plait, .. } = self.worker;
        let runs = plait.runs();
        if !runs.is_exporting() {
            return Ok(());
        }
        let exported = database.exported_events(self.root()).await?;
        let part = runs.part_for_export(self.root(), exported).await?;
        // First: a worker that dies between the two loses spans, and none is sent twice.
        database.note_exported(self.lease).await?;
        runs.export_part(part);
        Ok(())
    }

    fn root(&self) -> &RunId {
        &self.lease.root
    }

    /// Whether the run has a first event.
    async fn is_begun(&self) -> Result<bool, ErrorReply> {
        let (store, root) = (self.worker.plait.store().clone(), self.root().clone());
        blocking(move || match store.run(&root) {
            Ok(_) => Ok(true),
            Err(fault) if fault.code == codes::RUN_UNKNOWN => Ok(false),
            Err(fault) => Err(fault.into()),
        })
        .await
    }

    async fn status(&self) -> Result<RunStatus, ErrorReply> {
        let (store, root) = (self.worker.plait.store().clone(), self.root().clone());
        blocking(move || Ok(store.run(&root)?.status)).await
    }

    /// What a request leads to. An error says that it is not known yet.
    async fn execute(&self, request: &PendingRequest) -> Result<Outcome, ErrorReply> {
        let done = match serde_json::from_str::<Value>(&request.arguments) {
            Ok(args) if request.command == START => self.start(args).await,
            Ok(args) => self.command(request, args).await,
            Err(error) => {
                Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, format!("A request cannot be read: {error}.")))
            }
        };
        match done {
            Ok(reply) => Ok(Outcome::Reply(reply.to_string())),
            // Nothing that the caller could change.
            Err(error) if is_own(&error) => Err(error),
            Err(error) => serde_json::to_string(&error).map(Outcome::Error).map_err(|error| {
                ErrorReply::new(codes::COMMAND_REPLY, format!("An error cannot be written: {error}."))
            }),
        }
    }

    async fn start(&self, args: Value) -> Result<Value, ErrorReply> {
        if self.is_begun().await? {
            // By a worker that died before it could say so.
            return Ok(Value::Null);
        }
        let request: RunRequest = serde_json::from_value(args).map_err(|error| {
            ErrorReply::new(codes::COMMAND_ARGUMENTS, format!("A run's request cannot be read: {error}."))
        })?;
        self.worker.plait.runs().start_with_id(self.root(), request).await?;
        Ok(Value::Null)
    }

    async fn command(&self, request: &PendingRequest, args: Value) -> Result<Value, ErrorReply> {
        let Worker { plait, .. } = self.worker;
        let done = plait_api::dispatch(plait, &request.command, args.clone()).await;
        // What was done must survive before anybody knows of it.
        plait.store().flush().await?;
        match done {
            Err(error) if request.begun_at.is_some() && self.was_done(&error, args).await? => Ok(Value::Null),
            done => done,
        }
    }

    /// Whether a request is refused because the worker that died before it could say so has executed it.
    async fn was_done(&self, error: &ErrorReply, args: Value) -> Result<bool, ErrorReply> {
        let is_refused =
            [codes::ANSWER_NOT_WAITING, codes::DEBUG_MOVED_ON, codes::RUN_ENDED].contains(&error.code);
        if !is_refused {
            return Ok(false);
        }
        // What names an answer names its question.
        if let Ok(EndPause { run, node, epoch }) = serde_json::from_value(args.clone()) {
            let asked = Activation { node, epoch };
            let is_answer = move |event: &Event| matches!(event, Event::Node(at, NodeEvent::Answered { .. }) if *at == asked);
            return self.has_event(run, is_answer).await;
        }
        if let Ok(GoOn { run, stop, .. }) = serde_json::from_value(args) {
            let is_end = move |event: &Event| matches!(event, Event::Debug(DebugEvent::Continued { stop: Some(left), .. }) if *left == stop);
            return self.has_event(run, is_end).await;
        }
        Ok(false)
    }

    /// Whether the journal of a run has such an event.
    async fn has_event(
        &self,
        run: RunId,
        is_sought: impl Fn(&Event) -> bool + Send + 'static,
    ) -> Result<bool, ErrorReply> {
        let store = self.worker.plait.store().clone();
        blocking(move || {
            for entry in store.read_journal(&run, 0)? {
                if is_sought(&entry?.event) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
        .await
    }
}

/// Resolves when the tree is to be left.
async fn called(mut called: watch::Receiver<Call>) -> End {
    // The sender is there as long as the tree is driven.
    match called.wait_for(|call| *call != Call::Drive).await.map(|call| *call) {
        Ok(Call::Leave) => End::Left,
        _ => End::Lost,
    }
}

/// Whether an error is the worker's, which another one may not have.
fn is_own(error: &ErrorReply) -> bool {
    error.code == codes::RUN_SUPERSEDED || matches!(error.code.domain(), "store" | "host")
}
