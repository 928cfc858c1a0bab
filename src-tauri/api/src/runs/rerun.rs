//! `run.rerun`: runs again what a run ran, or an edited flow, as a fork that reuses what still matches; and `run.bill`, what that costs.

use std::path::Path;

use plait_core::flow::{Flow, TreeLimits};
use plait_core::id::{Activation, NodeId, RunId};
use plait_insight::bill::Bill;
use plait_journal::earlier_run::{EarlierTree, NotedKeys};
use plait_journal::world_policy::{LivePart, Misses, WorldPolicy};
use plait_journal::{Breakpoint, ChildEvent, Event, EventRef, FreshFrom, RecordingRef, ReplySource};
use plait_llm::grant::GrantRule;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::request::{EditedFlow, ForkEdits, NewRun, RootInputs};
use super::service::RunService;
use super::start::StartedRun;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::recordings::Recording;

/// What is run again, and what of it otherwise.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct RerunRequest {
    /// The run to repeat. It stays as it is. If another run started it, all of that one's tree is repeated: then `at` and `fresh` are
    /// places in this run, one of them is needed, and `flow`, `to` and live nodes can't be given.
    pub run: RunId,
    /// The flow to run in place of the one that it ran.
    #[serde(default)]
    #[ts(optional)]
    pub flow: Option<Flow>,
    /// The file of that flow, if it has one.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// What the person decided beside what the earlier run was allowed. `grant.needed` when an edited flow needs more.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<GrantRule>>")]
    pub grants: Vec<GrantRule>,
    /// How many events of that run count: what it did after them is done again. All of them unless given.
    #[serde(default)]
    #[ts(optional, type = "number")]
    pub at: Option<u64>,
    /// An activation, or all of a node, that is done again although that run has it, with all that follows from it unless it is alone.
    #[serde(default)]
    #[ts(optional)]
    pub fresh: Option<FreshFrom>,
    /// The node that it runs to, if not the same as that run.
    #[serde(default)]
    #[ts(optional)]
    pub to: Option<NodeId>,
    /// What it asks the world for, and what it does where nothing is recorded.
    #[serde(default)]
    #[ts(optional, as = "Option<WorldPolicy>")]
    pub world: WorldPolicy,
    /// Where it looks for replies that were bought before, after that run.
    #[serde(default)]
    #[ts(optional, as = "Option<ReplySource>")]
    pub replies: ReplySource,
    /// The file of a recording that has the run, in place of the store.
    #[serde(default)]
    #[ts(optional)]
    pub recording: Option<String>,
    /// Inputs in place of those of that run.
    #[serde(default)]
    #[ts(optional)]
    pub inputs: Option<RootInputs>,
    /// Where the run stops. `debug.unknown_node`, `debug.bad_breakpoint`.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<Breakpoint>>")]
    pub breakpoints: Vec<Breakpoint>,
}

impl RerunRequest {
    /// All of a run again.
    pub fn of(run: RunId) -> Self {
        Self {
            run,
            flow: None,
            path: None,
            grants: Vec::new(),
            at: None,
            fresh: None,
            to: None,
            world: WorldPolicy::default(),
            replies: ReplySource::default(),
            recording: None,
            inputs: None,
            breakpoints: Vec::new(),
        }
    }
}

/// `run.rerun`: a new run from the beginning, with the inputs and settings of the earlier one. Replies, results of tools and answers
/// are taken from it where the requests are equal, each once, wherever in the flow they are made now. What it says belongs to no
/// conversation if the flow is edited, or not all of that run counts. `run.busy` while the earlier run is active, `run.is_child` for
/// child runs without a place in them, `run.no_event`, `run.no_place`, `flow.invalid`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RerunRun(pub RerunRequest);

impl Command for RerunRun {
    const NAME: &'static str = "run.rerun";
    type Service = RunService;
    type Reply = StartedRun;

    async fn run(self, service: &RunService) -> Result<StartedRun, ErrorReply> {
        Ok(StartedRun { run: service.rerun(self.0).await? })
    }
}

/// `run.bill`: what such a run reuses, buys, does outside and asks, before it starts. Calls nobody. The errors are those of `run.rerun`,
/// without those of grants.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct BillRerun(pub RerunRequest);

impl Command for BillRerun {
    const NAME: &'static str = "run.bill";
    type Service = RunService;
    type Reply = Bill;

    async fn run(self, service: &RunService) -> Result<Bill, ErrorReply> {
        service.bill(self.0).await
    }
}

impl RunService {
    pub(super) async fn rerun(&self, request: RerunRequest) -> Result<RunId, ErrorReply> {
        let (request, cut_in) = self.of_root(request).await?;
        self.start_fork(request, cut_in).await
    }

    pub(super) async fn bill(&self, request: RerunRequest) -> Result<Bill, ErrorReply> {
        let (request, cut_in) = self.of_root(request).await?;
        let (earlier, edits) = self.check_edits(request, cut_in).await?;
        self.rehearse(&earlier, edits).await
    }

    /// The same for the root of the tree, which is at rest, with the event of a child run at which it is cut. `run.busy`, `run.is_child`.
    async fn of_root(&self, request: RerunRequest) -> Result<(RerunRequest, Option<EventRef>), ErrorReply> {
        if request.recording.is_some() {
            return Ok((request, None));
        }
        let lineage = self.lineage(&request.run).await?;
        let is_place = request.at.is_some() || request.fresh.is_some();
        let is_plain = request.flow.is_none()
            && request.to.is_none()
            && !request.world.live.iter().any(|part| matches!(part, LivePart::Node(_)));
        let Some(root) = lineage.last().filter(|_| lineage.len() > 1 && is_place && is_plain) else {
            self.check_root_at_rest(&request.run).await?;
            return Ok((request, None));
        };
        self.check_root_at_rest(&root.run).await?;
        let cut_in = request.at.map(|seq| EventRef { run: request.run.clone(), seq });
        let mut fresh = request.fresh;
        for (child, parent) in lineage.iter().zip(&lineage[1..]) {
            if let Some(inside) = fresh {
                let Activation { node, epoch } = self.starter_of(&child.run, &parent.run).await?;
                let alone = inside.alone;
                fresh = Some(FreshFrom { node, epoch: Some(epoch), inside: Some(Box::new(inside)), alone });
            }
        }
        Ok((RerunRequest { run: root.run.clone(), at: None, fresh, ..request }, cut_in))
    }

    /// The activation of a run that started another one.
    pub(crate) async fn starter_of(&self, child: &RunId, parent: &RunId) -> Result<Activation, ErrorReply> {
        let (store, child, parent) = (self.parts.store.clone(), child.clone(), parent.clone());
        run_blocking(move || {
            let mut entries = store.read_damaged_journal(&parent)?.filter_map(Result::ok);
            let found = entries.find_map(|entry| match entry.event {
                Event::Child(activation, ChildEvent::Started { run }) if run == child => Some(activation),
                _ => None,
            });
            found.ok_or_else(|| {
                let message =
                    format!("The journal of run {parent} does not say which node started run {child}.");
                ErrorReply::new(codes::JOURNAL_CORRUPT, message)
            })
        })
        .await
    }

    pub(super) async fn start_fork(
        &self,
        request: RerunRequest,
        cut_in: Option<EventRef>,
    ) -> Result<RunId, ErrorReply> {
        let (earlier, edits) = self.check_edits(request, cut_in).await?;
        let run = RunId::from(uuid::Uuid::now_v7().to_string());
        let host = self.host_of_new(&run, self.limits_of_fork(&earlier, &edits).await?);
        self.start_as(&run, NewRun::ForkOf { earlier, edits: Box::new(edits), inputs: None }, None, host)
            .await?;
        // Once a caller has the id, the run must survive a crash.
        self.parts.store.flush().await?;
        Ok(run)
    }

    /// What a fork would do. Changes nothing.
    pub(super) async fn rehearse(&self, earlier: &RunId, edits: ForkEdits) -> Result<Bill, ErrorReply> {
        let run = RunId::from(uuid::Uuid::now_v7().to_string());
        let host = self.host_of_rehearsal(&run, self.limits_of_fork(earlier, &edits).await?);
        let launch = self.launch(&run, &self.active.broadcast(&run), &host);
        let (earlier, access) = (earlier.clone(), self.file_access.clone());
        run_blocking(move || launch.bill(&earlier, edits, access)).await
    }

    /// The same for a recording that no file has. With `notes_keys`, each request is taken for the recorded one, and its key is noted.
    pub(super) async fn rehearse_replay(
        &self,
        file: RecordingRef,
        recording: &Recording,
        notes_keys: bool,
    ) -> Result<(Bill, NotedKeys), ErrorReply> {
        let Some(earlier) = recording.root().cloned() else { return Ok(Default::default()) };
        let run = RunId::from(uuid::Uuid::now_v7().to_string());
        let world = WorldPolicy { misses: Misses::Fail, ..WorldPolicy::default() };
        let hash = file.hash.clone();
        let edits = ForkEdits { world, recording: Some(file), ..ForkEdits::default() };
        let mut host = self.host_of_rehearsal(&run, self.limits_of_fork(&earlier, &edits).await?);
        if notes_keys {
            let runs = recording.runs.iter().map(|(run, entries)| (run.clone(), &entries[..]));
            host.earlier = EarlierTree::noting_keys(runs, &hash);
        }
        let noting = host.earlier.clone();
        let launch = self.launch(&run, &self.active.broadcast(&run), &host);
        let access = self.file_access.clone();
        let bill = run_blocking(move || launch.bill(&earlier, edits, access)).await?;
        Ok((bill, noting.take_noted()))
    }

    async fn limits_of_fork(
        &self,
        earlier: &RunId,
        edits: &ForkEdits,
    ) -> Result<Option<TreeLimits>, ErrorReply> {
        let recording = edits.recording.as_ref().and_then(|file| self.recordings.get(&file.hash));
        match (&edits.flow, recording) {
            (Some(edit), _) => Ok(edit.flow.settings.limits.clone()),
            (None, Some(recording)) => {
                let flow = recording.flow_of(earlier).map(|flow| recording.flow(&flow.hash)).transpose()?;
                Ok(flow.and_then(|flow| flow.settings.limits.clone()))
            }
            (None, None) => self.limits_of(earlier).await,
        }
    }

    /// The run to repeat and what is otherwise, if that can be run.
    async fn check_edits(
        &self,
        request: RerunRequest,
        cut_in: Option<EventRef>,
    ) -> Result<(RunId, ForkEdits), ErrorReply> {
        let RerunRequest {
            run,
            flow,
            path,
            grants,
            at,
            fresh,
            to,
            world,
            replies,
            recording,
            inputs,
            breakpoints,
        } = request;
        let recording = match recording {
            None => None,
            Some(file) => {
                let recordings = self.recordings.clone();
                Some(run_blocking(move || recordings.read(Path::new(&file))).await?.0)
            }
        };
        let flow = match flow {
            None => None,
            Some(flow) => {
                let start = super::RunRequest { flow, path, ..super::RunRequest::default() };
                let super::RunRequest { flow, path, .. } =
                    self.check_start_of(start, recording.is_some()).await?;
                Some(EditedFlow { flow, path, grants })
            }
        };
        let edits = ForkEdits {
            flow,
            at,
            cut_in,
            fresh,
            to,
            world,
            replies,
            recording,
            root_inputs: inputs,
            breakpoints,
        };
        Ok((run, edits))
    }
}
