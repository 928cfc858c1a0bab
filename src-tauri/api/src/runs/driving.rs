//! Which driver a run has: at most one, whoever starts, resumes or cancels it; and none of a run that has ended goes on below it.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use plait_core::id::RunId;
use plait_run::host::Host;
use plait_run::{Driver, RunHandle};

use super::broadcast::RunBroadcast;
use super::launch::Launch;
use super::request::NewRun;
use super::service::{Purpose, RunService};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;

/// How long a run that is resumed may take to continue one that is part of it. It has to read its journal, and its other nodes may
/// take their turns before.
const MAX_CHILD_WAIT: Duration = Duration::from_secs(30);

impl RunService {
    /// Starts a run under this id, as the child of `parent` if there is one.
    pub(super) async fn start_as(
        &self,
        run: &RunId,
        new: NewRun,
        parent: Option<RunId>,
        host: Host,
    ) -> Result<(), ErrorReply> {
        let broadcast = self.active.broadcast(run);
        let launch = self.launch(run, &broadcast, &host);
        let path = match &new {
            NewRun::Of { request, .. } => request.path.clone(),
            NewRun::ForkOf { edits, .. } if let Some(edit) = &edits.flow => edit.path.clone(),
            // Where its files were on another machine says nothing here.
            NewRun::ForkOf { edits, .. } if edits.recording.is_some() => None,
            NewRun::ForkOf { .. } if host.earlier.recording().is_some() => None,
            NewRun::ForkOf { earlier, .. } => self.flow_path(earlier).await?,
        };
        let redaction = self.redaction(path.as_deref(), parent.is_some()).await?;
        let is_root = parent.is_none();
        let (driver, handle) = run_blocking(move || {
            let mut new = new;
            new.redact(&redaction)?;
            launch.start(new, parent)
        })
        .await?;
        if is_root {
            self.export_live(run);
        }
        self.drive(run, broadcast, (driver, handle), host, false);
        Ok(())
    }

    /// The handle that controls a run, which is resumed if it is not active, and canceled if that is the purpose.
    pub(super) async fn attach(
        &self,
        run: &RunId,
        host: Host,
        purpose: Purpose,
    ) -> Result<RunHandle, ErrorReply> {
        if let Some(handle) = self.active.handle(run) {
            // Without waiting for other runs that are starting: canceling one must not.
            prepare(&handle, purpose);
            return Ok(handle);
        }
        let _guard = self.resume_lock.lock().await;
        self.attach_locked(run, host, purpose).await
    }

    /// The same, for a caller that holds `resume_lock`.
    pub(super) async fn attach_locked(
        &self,
        run: &RunId,
        host: Host,
        purpose: Purpose,
    ) -> Result<RunHandle, ErrorReply> {
        if let Some(handle) = self.active.handle(run) {
            prepare(&handle, purpose);
            return Ok(handle);
        }
        let broadcast = self.active.broadcast(run);
        let to_cancel = purpose == Purpose::Cancel;
        let launch = Launch { to_cancel, ..self.launch(run, &broadcast, &host) };
        let (driver, handle) = run_blocking(move || launch.resume()).await?;
        prepare(&handle, purpose);
        self.drive(run, broadcast, (driver, handle.clone()), host, true);
        Ok(handle)
    }

    /// Attaches to a run and first to its ancestors, which continue with its result. A run that is part of one that has not ended is
    /// resumed by that one, which alone knows what quotas hold it. Fault `run.busy` if that one does not.
    pub(super) async fn resume_with_ancestors(&self, run: &RunId) -> Result<RunHandle, ErrorReply> {
        let host = self.host_of(run).await?;
        let lineage = self.lineage(run).await?;
        self.refuse_observed(&lineage)?;
        // What the runs take in from now on is redacted like what they took in before.
        for record in &lineage {
            self.redaction(record.flow.path.as_deref(), false).await?;
        }
        if let Some(root) = lineage.last().filter(|root| !self.is_active(&root.run)) {
            self.export_live(&root.run);
        }
        let mut parent: Option<RunId> = None;
        for ancestor in lineage.into_iter().skip(1).rev() {
            if !ancestor.status.is_final() {
                self.attach_below(parent.as_ref(), &ancestor.run, &host).await?;
                parent = Some(ancestor.run);
            }
        }
        self.attach_below(parent.as_ref(), run, &host).await
    }

    /// Attaches to a run. Its parent, if it has one that has not ended, is active.
    async fn attach_below(
        &self,
        parent: Option<&RunId>,
        run: &RunId,
        host: &Host,
    ) -> Result<RunHandle, ErrorReply> {
        let Some(parent) = parent else { return self.attach(run, host.clone(), Purpose::Continue).await };
        let driven = tokio::time::timeout(MAX_CHILD_WAIT, self.active.driven_child(run, parent)).await;
        driven.ok().flatten().ok_or_else(|| {
            let message = format!("Run {run} is part of run {parent}, which does not continue it now.");
            ErrorReply::new(codes::RUN_BUSY, message).hint("Look at that run: `plait runs show`.")
        })
    }

    pub(super) fn launch(&self, run: &RunId, broadcast: &Arc<RunBroadcast>, host: &Host) -> Launch {
        Launch {
            run: run.clone(),
            store: self.parts.store.clone(),
            memory: self.parts.memories.clone(),
            registry: Arc::clone(&self.parts.registry),
            calibration: Arc::clone(&self.parts.calibration),
            config: self.parts.config.kept_by_runs(),
            broadcast: Arc::clone(broadcast),
            host: host.clone(),
            recordings: self.recordings.clone(),
            to_cancel: false,
        }
    }

    fn drive(
        &self,
        run: &RunId,
        broadcast: Arc<RunBroadcast>,
        (driver, handle): (Driver, RunHandle),
        host: Host,
        is_resumed: bool,
    ) {
        let (service, parent) = (self.clone(), run.clone());
        let on_end = move || service.end_children(parent, host);
        self.active.drive(run, broadcast, driver, handle, is_resumed, on_end);
    }

    /// Cancels the child runs of an ended run that have not ended, and waits for them: runs that a crash interrupted,
    /// and runs that were just canceled.
    fn end_children(self, parent: RunId, host: Host) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            if !self.active.may_have_children(&parent) {
                return;
            }
            self.active.child_starts_done(&parent).await;
            let store = self.parts.store.clone();
            let children = run_blocking(move || Ok(store.children(&parent)?)).await.unwrap_or_default();
            for child in children {
                if child.status.is_final() {
                    // Its last events may not have been sent yet.
                    self.active.settled(&child.run).await;
                    continue;
                }
                // A run that cannot be resumed, for example because its journal is damaged, cannot be ended either. Lists
                // show it as interrupted.
                if self.attach(&child.run, host.clone(), Purpose::Cancel).await.is_ok() {
                    self.active.settled(&child.run).await;
                }
            }
        })
    }
}

/// Cancels a run, if that is the purpose, before anything in it starts.
fn prepare(handle: &RunHandle, purpose: Purpose) {
    if purpose == Purpose::Cancel {
        handle.cancel();
    }
}
