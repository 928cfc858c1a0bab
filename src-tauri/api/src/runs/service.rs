//! Starting, resuming, answering, canceling and watching runs. Ensures that a run has at most one driver, and that a run
//! which ends leaves no active child behind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_adapters::telemetry::LiveExporter;
use plait_adapters::{FileAccess, KeyStore, LongTermMemory, Redaction};
use plait_core::error::Fault;
use plait_core::expression::evaluation::Evaluator;
use plait_core::id::{Activation, MessageId, RunId};
use plait_core::origin::{Origin, Origins};
use plait_formats::foreign::Importer;
use plait_journal::Answer;
use plait_journal::view::RunStatus;
use plait_llm::quota::QuotaBank;
use plait_llm::retriever::Retriever;
use plait_llm::tool::ToolHost;
use plait_run::host::Clock;
use plait_run::node::Registry;
use plait_store::Store;
use plait_store::record::RunRecord;
use plait_store::{RunFilter, Which};
use serde_json::Value;
use tokio::sync::{Mutex, watch};

use super::launch::invalid_flow;
use super::program_logs::ProgramLogs;
use super::registry::ActiveRuns;
use super::request::{NewRun, RunRequest};
use super::watch::Watch;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::flows::{Installed, InstalledSources, RunnableFlow, choose_trigger};
use crate::providers::{ProviderService, TokenCalibration};
use crate::recordings::RecordingCache;
use crate::run_config::RunConfig;
use crate::users::UserService;

/// The parts of the application that runs use.
#[derive(Clone)]
pub(crate) struct RunParts {
    pub(crate) store: Store,
    pub(crate) registry: Arc<Registry>,
    pub(crate) importer: Arc<dyn Importer>,
    pub(crate) calibration: Arc<TokenCalibration>,
    pub(crate) providers: Arc<ProviderService>,
    pub(crate) tools: Arc<dyn ToolHost>,
    pub(crate) retriever: Arc<dyn Retriever>,
    pub(crate) memories: LongTermMemory,
    pub(crate) users: UserService,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) evaluator: Arc<dyn Evaluator>,
    /// Sends the spans of runs, if the settings say where.
    pub(crate) exporter: LiveExporter,
    /// What the settings say of runs.
    pub(crate) config: RunConfig,
    /// What flows can name.
    pub(crate) installed: InstalledSources,
    /// The accounts of all limits.
    pub(crate) quotas: Arc<QuotaBank>,
}

/// What a run is attached to for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Continue,
    /// Nothing in it starts any more.
    Cancel,
}

/// The runs of the data directory. Clones share the same state.
#[derive(Clone)]
pub struct RunService {
    pub(super) parts: RunParts,
    /// Which files flows may read.
    pub(super) file_access: FileAccess,
    /// The folders with `.env` files that were read.
    redacted_folders: Arc<parking_lot::Mutex<BTreeSet<PathBuf>>>,
    pub(super) active: ActiveRuns,
    /// The recordings that runs read.
    pub(super) recordings: RecordingCache,
    /// The programs that are being recorded.
    pub(super) program_logs: ProgramLogs,
    /// Held while a run is resumed, so that two callers that resume the same run get the same driver.
    pub(super) resume_lock: Arc<Mutex<()>>,
    /// Held while breakpoints are changed, so that a change is not based on a list that another one replaces.
    pub(super) breakpoints_lock: Arc<Mutex<()>>,
}

impl RunService {
    pub(crate) fn new(parts: RunParts) -> Self {
        let file_access = FileAccess::of_process(Some(parts.store.home()));
        Self {
            parts,
            file_access,
            redacted_folders: Arc::default(),
            active: ActiveRuns::default(),
            recordings: RecordingCache::default(),
            program_logs: ProgramLogs::default(),
            resume_lock: Arc::default(),
            breakpoints_lock: Arc::default(),
        }
    }

    /// The same runs, for another user.
    pub(crate) fn acting_for(&self, users: UserService) -> Self {
        Self { parts: RunParts { users, ..self.parts.clone() }, ..self.clone() }
    }

    /// The run with an id that begins with `prefix`. `run.unknown`, `run.ambiguous`.
    pub fn find(&self, prefix: &str) -> Result<RunId, ErrorReply> {
        Ok(self.parts.store.find_run(prefix)?)
    }

    /// The latest run of the current user that is no child run, if there is any.
    pub fn latest(&self) -> Result<Option<RunId>, ErrorReply> {
        let user = Some(self.parts.users.resolve(None)?);
        let filter = RunFilter { user, which: Which::Roots, limit: Some(1), ..RunFilter::default() };
        Ok(self.parts.store.runs(&filter)?.into_iter().next().map(|record| record.run))
    }

    /// Whether a run is driven in this process.
    pub fn is_active(&self, run: &RunId) -> bool {
        self.active.contains(run)
    }

    /// Whether a run is driven, in this process or in the one that writes the store, or is that of a program that is being recorded.
    pub(super) fn is_driven(&self, record: &RunRecord) -> bool {
        let is_active = self.is_active(&record.run) || self.program_logs.is_recording(&record.run);
        is_active || self.parts.store.is_read_only() && record.status == RunStatus::Running
    }

    /// Whether a run tree is driven in this process and goes on without a person.
    pub fn is_busy(&self, root: &RunId) -> bool {
        self.active.is_busy(root)
    }

    /// Watches a run: its journal from `from_seq` on, then its events as they happen, without gap or duplicate, to its end.
    /// `run.unknown` when there is no such run.
    pub async fn watch(&self, run: &RunId, from_seq: u64) -> Result<Watch, ErrorReply> {
        if self.parts.store.is_observed(run) {
            self.follow_programs();
        }
        let (store, run, broadcast) = (self.parts.store.clone(), run.clone(), self.active.broadcast(run));
        run_blocking(move || {
            store.run(&run)?;
            Watch::new(store, run, broadcast, from_seq)
        })
        .await
    }

    /// The same from now on: what the run has shown already is left out, but for what it is writing. `run.unknown`.
    pub async fn watch_from_now(&self, run: &RunId) -> Result<Watch, ErrorReply> {
        let (store, run, broadcast) = (self.parts.store.clone(), run.clone(), self.active.broadcast(run));
        run_blocking(move || {
            let stored = store.run(&run)?.events;
            // What waits for the disk is stored and not shown.
            let next = broadcast.next_seq().unwrap_or(stored);
            Watch::new(store, run, broadcast, next)
        })
        .await
    }

    /// Resolves when a run is no longer driven in this process, because it ended or failed to continue.
    pub async fn settled(&self, run: &RunId) {
        self.active.settled(run).await;
    }

    /// Resolves when a run tree that is driven here can go on only by what a person does, and no event is on its way between its
    /// runs. Returns the sequence number after the last event of its root; nothing if the root is not driven any more.
    pub async fn idle_tree(&self, root: &RunId) -> Option<u64> {
        // A program that is recorded goes on without a person.
        let mut changes = self.active.changes();
        while self.parts.store.is_observed(root) && changes.changed().await.is_ok() {}
        self.active.idle_tree(root).await
    }

    /// The recordings that runs read.
    pub(crate) fn recordings(&self) -> &RecordingCache {
        &self.recordings
    }

    /// Says when the list of runs has changed: a run has begun, ended, or begun or ceased to wait.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.follow_programs();
        self.active.changes()
    }

    /// The node types.
    pub(crate) fn registry(&self) -> Arc<Registry> {
        Arc::clone(&self.parts.registry)
    }

    pub(crate) fn keys(&self) -> &KeyStore {
        self.parts.providers.keys()
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.parts.clock.now_ms()
    }

    /// Says that something changed that is shown beside the list of runs.
    pub(crate) fn announce_change(&self) {
        self.active.announce_change();
    }

    /// Resolves when every run that is driven here can go on only by what a person does: nothing is bought or done outside then.
    pub async fn all_idle(&self) {
        self.active.all_idle().await;
    }

    pub(super) async fn start(&self, request: RunRequest) -> Result<RunId, ErrorReply> {
        let run = RunId::from(uuid::Uuid::now_v7().to_string());
        self.start_with_id(&run, request).await?;
        Ok(run)
    }

    /// Starts a run under an id that the caller has chosen, like `run.start`.
    pub async fn start_with_id(&self, run: &RunId, request: RunRequest) -> Result<(), ErrorReply> {
        let (users, wanted) = (self.parts.users.clone(), request.user.clone());
        let user = run_blocking(move || users.resolve(wanted.as_ref())).await?;
        let request = self.check_start(request).await?;
        let host = self.host_of_new(run, request.flow.settings.limits.clone());
        // The person starts the run.
        let origins = Origins::of(Origin::Person);
        let new = NewRun::Of { request: Box::new(request), user, origins, inherited: None };
        self.start_as(run, new, None, host).await?;
        // Once a caller has the id, the run must survive a crash.
        Ok(self.parts.store.flush().await?)
    }

    /// Refuses a run that could not get past a node. `flow.invalid`.
    pub(super) async fn check_start(&self, request: RunRequest) -> Result<RunRequest, ErrorReply> {
        self.check_start_of(request, false).await
    }

    /// The same for a flow that may be a replay: providers, servers and knowledge bases of the recording need not be here.
    pub(super) async fn check_start_of(
        &self,
        mut request: RunRequest,
        is_replay: bool,
    ) -> Result<RunRequest, ErrorReply> {
        if request.ignore_pins && request.flow.nodes.values().any(|node| node.pin.is_some()) {
            request.flow.remove_pins();
            request.runnable = None;
        }
        if let Some(trigger) = request.trigger.take() {
            request.runnable = None;
            choose_trigger(&mut request.flow, &trigger)?;
        }
        let (sources, registry) = (self.parts.installed.clone(), Arc::clone(&self.parts.registry));
        let path_of_flow = request.path.clone();
        let checked = run_blocking(move || {
            let installed = Installed::of(&sources);
            let installed = if is_replay { installed.without_names() } else { installed };
            let mut runnable = request.runnable.take();
            let RunRequest { flow, path, to, overrides, .. } = &request;
            let (config, to) = (&installed.config, to.as_ref());
            let mut errors = Vec::new();
            if !runnable.as_ref().is_some_and(|known| known.is_of(config, to, overrides)) {
                let planned = RunnableFlow::plan(flow, &registry, config, to, overrides);
                runnable = planned.map(Box::new).map_err(|found| errors = found).ok();
            }
            if let Some(runnable) = &runnable {
                errors = runnable.problems(flow, path.as_deref(), &registry, &installed);
            }
            request.runnable = runnable;
            // The file of a sub-flow is read when its node runs, and may be there by then.
            errors.retain(|found| found.code.domain() != "subflow");
            if errors.is_empty() { Ok(request) } else { Err(invalid_flow(&errors)) }
        })
        .await;
        match checked {
            Ok(request) => Ok(request),
            // A flow may have a secret for a name.
            Err(mut error) => {
                let redaction = self.redaction(path_of_flow.as_deref(), false).await?;
                error.message = redaction.text(&error.message).into_owned();
                redaction.value(&mut error.details);
                Err(error)
            }
        }
    }

    /// Resumes a run from its journal, and its ancestors, which wait for it. Does nothing for active ones.
    pub(super) async fn resume(&self, run: &RunId) -> Result<(), ErrorReply> {
        self.resume_with_ancestors(run).await.map(|_| ())
    }

    /// Answers a pause of a run, which is resumed if necessary.
    pub(super) async fn answer(
        &self,
        run: &RunId,
        activation: Activation,
        answer: Answer,
    ) -> Result<(), ErrorReply> {
        let handle = self.resume_with_ancestors(run).await?;
        match answer {
            Answer::Value(value) => handle.answer(activation, self.redacted(&value)).await?,
            Answer::Attached { value, attachments } => {
                handle.answer_with(activation, self.redacted(&value), attachments).await?;
            }
            Answer::End => handle.end(activation).await?,
        }
        Ok(())
    }

    /// What a person gives without secrets, complete: resuming added what the run redacts.
    pub(super) fn redacted(&self, value: &Value) -> Value {
        let mut value = value.clone();
        self.parts.providers.keys().redaction().value(&mut value);
        value
    }

    /// Pins a turn of a loop's conversation, or takes the pin off, in a run that waits and is resumed if necessary.
    pub(super) async fn pin(
        &self,
        run: &RunId,
        owner: Activation,
        turn: MessageId,
        pinned: bool,
    ) -> Result<(), ErrorReply> {
        let handle = self.resume_with_ancestors(run).await?;
        Ok(handle.pin(owner, turn, pinned).await?)
    }

    /// Cancels a run and all runs below it. It is resumed for that if necessary. Does nothing for one that has ended. `run.is_child` if it
    /// is part of a run that has not ended.
    pub(super) async fn cancel(&self, run: &RunId) -> Result<(), ErrorReply> {
        let lineage = self.lineage(run).await?;
        refuse_child(&lineage, |root| format!("Cancel that run: plait cancel {root}"))?;
        self.refuse_observed(&lineage)?;
        if let Some(handle) = self.active.handle(run) {
            handle.cancel();
            return Ok(());
        }
        let (store, id) = (self.parts.store.clone(), run.clone());
        if run_blocking(move || Ok(store.run(&id)?)).await?.status.is_final() {
            return Ok(());
        }
        let host = self.host_of(run).await?;
        self.attach(run, host, Purpose::Cancel).await.map(|_| ())
    }

    /// Removes a run and its child runs. `run.busy` while it has not ended, `run.is_child` while a run that it is part of has not.
    pub(super) async fn remove(&self, run: &RunId) -> Result<(), ErrorReply> {
        // Without its child run it would repeat all of its work.
        refuse_child(&self.lineage(run).await?, |root| {
            format!("Cancel or finish that run first, then remove it: plait runs rm {root}")
        })?;
        if self.active.contains(run) {
            return Err(ErrorReply::new(codes::RUN_BUSY, format!("Run {run} is still active."))
                .hint("Cancel it first, then remove it."));
        }
        let (store, run) = (self.parts.store.clone(), run.clone());
        run_blocking(move || Ok(store.remove_run(&run)?)).await
    }

    /// Stops driving a run and those below it. Each can be resumed, here or where else its journal is.
    pub async fn suspend_tree(&self, root: &RunId) -> Result<(), ErrorReply> {
        let (store, id) = (self.parts.store.clone(), root.clone());
        let tree = run_blocking(move || Ok(store.tree(&id)?)).await?;
        let tree: Vec<RunId> = tree.into_iter().map(|record| record.run).collect();
        self.active.suspend(&tree).await;
        Ok(())
    }

    /// Stops driving all runs. Each can be resumed.
    pub(crate) async fn close(&self) {
        self.program_logs.close().await;
        self.active.close().await;
        self.parts.exporter.close().await;
    }

    /// Refuses to go on with the run of a program whose recorder was killed: its calls would be made by Plait, and stand as the program's.
    /// While it is recorded, the store refuses it. `lineage` are the records of the run and its ancestors. Fault `record.ended_early`.
    pub(super) fn refuse_observed(&self, lineage: &[RunRecord]) -> Result<(), ErrorReply> {
        let [run, ..] = lineage else { return Ok(()) };
        if run.program.is_none() || run.status.is_final() || self.parts.store.is_observed(&run.run) {
            return Ok(());
        }
        let message = format!("Run {} is that of a program, whose recorder has ended before it.", run.run);
        Err(ErrorReply::new(codes::RECORD_ENDED_EARLY, message)
            .hint("It stays as it was recorded. Draft a flow of it, or rerun it as a flow: `plait rerun`."))
    }

    /// The records of a run and of its ancestors, the root last.
    pub(super) async fn lineage(&self, run: &RunId) -> Result<Vec<RunRecord>, ErrorReply> {
        let (store, run) = (self.parts.store.clone(), run.clone());
        run_blocking(move || {
            let mut lineage: Vec<RunRecord> = Vec::new();
            let mut next = Some(run);
            while let Some(id) = next {
                let Some(record) = find_record(store.run(&id))? else { break };
                // The records of a damaged store could form a circle.
                let circular = lineage.iter().any(|run| Some(&run.run) == record.parent_run_id.as_ref());
                next = record.parent_run_id.clone().filter(|_| !circular);
                lineage.push(record);
            }
            Ok(lineage)
        })
        .await
    }

    pub(super) async fn flow_path(&self, run: &RunId) -> Result<Option<String>, ErrorReply> {
        let (store, run) = (self.parts.store.clone(), run.clone());
        run_blocking(move || Ok(store.run(&run)?.flow.path)).await
    }

    /// What a run of the flow in the file `path` redacts: it knows the stored keys, and the `.env` files of the flow's folder
    /// and project. Child runs come by the thousand, so they read the files of a folder only if no run did before.
    pub(super) async fn redaction(
        &self,
        path: Option<&str>,
        is_child: bool,
    ) -> Result<Arc<Redaction>, ErrorReply> {
        let Some(folder) = path.and_then(|path| Path::new(path).parent()) else {
            return Ok(self.parts.providers.keys().redaction_with_stored_keys().await);
        };
        let is_new = self.redacted_folders.lock().insert(folder.to_owned());
        if is_child && !is_new {
            return Ok(Arc::clone(self.parts.providers.keys().redaction()));
        }
        let redaction = self.parts.providers.keys().redaction_with_stored_keys().await;
        let (folder, access) = (folder.to_owned(), self.file_access.clone());
        run_blocking(move || {
            redaction.add_env_files(&access.env_folders(&folder));
            Ok(redaction)
        })
        .await
    }
}

/// Refuses what would take a child run away from a run that has not ended. `lineage` are the records of the run and its ancestors.
/// Fault `run.is_child`, which names the root.
fn refuse_child(lineage: &[RunRecord], hint: impl FnOnce(&RunId) -> String) -> Result<(), ErrorReply> {
    let [run, ancestors @ ..] = lineage else { return Ok(()) };
    let Some(root) = ancestors.iter().rev().find(|ancestor| !ancestor.status.is_final()) else {
        return Ok(());
    };
    let message = format!("Run {} is part of run {}, which has not ended.", run.run, root.run);
    Err(ErrorReply::new(codes::RUN_IS_CHILD, message).hint(hint(&root.run)))
}

/// The record, if there is such a run.
pub(super) fn find_record(record: Result<RunRecord, Fault>) -> Result<Option<RunRecord>, Fault> {
    match record {
        Ok(record) => Ok(Some(record)),
        Err(fault) if fault.code == codes::RUN_UNKNOWN => Ok(None),
        Err(fault) => Err(fault),
    }
}
