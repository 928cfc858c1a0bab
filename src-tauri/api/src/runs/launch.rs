//! Builds the driver of a run: a new one from a request, or an interrupted one from its journal.

mod blocking_host;
mod breakpoint_check;
mod conversation;
mod earlier_journal;
mod earlier_tree;
mod fork;
mod other_replies;
mod recording;
mod rehearsed_children;
mod trial;

use std::borrow::Cow;
use std::sync::Arc;

use plait_adapters::LongTermMemory;
use plait_core::config;
use plait_core::config::{ConfigValues, with_settings};
use plait_core::diagnostic::Diagnostic;
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::{NodeId, RunId};
use plait_core::origin::Origins;
use plait_core::user::UserName;
use plait_journal::earlier_run::{EarlierRun, EarlierTree, OtherReplies};
use plait_journal::{ENGINE_REVISION, Entry, Event, FlowRef, InputOverrides, ReplySource, RunEvent};
use plait_llm::context::Conversation;
use plait_llm::grant::{GrantRule, Grants};
use plait_llm::models::ModelOverrides;
use plait_llm::needs::NeedCatalog;
use plait_run::host::{Host, RunInfo, RunInput};
use plait_run::node::Registry;
use plait_run::plan::{Plan, PlanNode, plan};
use plait_run::{Driver, RunHandle, RunSetup, TrialPlanner, check_breakpoints};
use plait_store::Store;
use serde_json::json;

pub(super) use breakpoint_check::{check_in_subflows, check_in_subflows_of};
use other_replies::replies_for;
pub use trial::AcceptedTrials;
use trial::FlowTrials;

use super::broadcast::RunBroadcast;
use super::past_spending;
use super::request::{InheritedGrants, NewRun, RunRequest};
use crate::ErrorReply;
use crate::codes;
use crate::flows::text::{recorded_flow, write_flow};
use crate::grants::{self, FlowNeeds, canonical_folder};
use crate::providers::TokenCalibration;
use crate::recordings::RecordingCache;

/// What the driver of a run is built from. Its methods block.
#[derive(Clone)]
pub(super) struct Launch {
    pub(super) run: RunId,
    pub(super) store: Store,
    /// Where runs remember, if not in a branch.
    pub(super) memory: LongTermMemory,
    pub(super) registry: Arc<Registry>,
    pub(super) calibration: Arc<TokenCalibration>,
    /// What the settings say of a run that starts now.
    pub(super) config: Arc<ConfigValues>,
    pub(super) broadcast: Arc<RunBroadcast>,
    pub(super) host: Host,
    /// The recordings that are read in place of the store.
    pub(super) recordings: RecordingCache,
    /// Whether the run is resumed only to be canceled. Then nothing starts, so no bound has to be kept.
    pub(super) to_cancel: bool,
}

/// What a run is started with, beside its flow.
struct StartedWith {
    user: UserName,
    grants: InheritedGrants,
    input: Option<RunInput>,
    conversation: Option<Conversation>,
    /// Whether it executes pinned nodes.
    ignores_pins: bool,
    /// What it takes over from the run that it is forked from.
    earlier: Option<EarlierRun>,
}

impl Launch {
    /// A new run, with its first event in the journal.
    pub(super) fn start(self, new: NewRun, parent: Option<RunId>) -> Result<(Driver, RunHandle), ErrorReply> {
        match new {
            NewRun::Of { request, user, origins, inherited } => {
                self.start_request(*request, user, origins, parent, inherited)
            }
            NewRun::ForkOf { earlier, edits, inputs } => self.fork(&earlier, *edits, inputs, parent),
        }
    }

    fn start_request(
        mut self,
        request: RunRequest,
        user: UserName,
        origins: Origins,
        parent: Option<RunId>,
        inherited: Option<InheritedGrants>,
    ) -> Result<(Driver, RunHandle), ErrorReply> {
        let RunRequest {
            flow,
            path,
            input,
            overrides,
            to,
            conversation,
            said_before,
            grants,
            breakpoints,
            ignore_pins: ignores_pins,
            replies,
            runnable,
            ..
        } = request;
        let plan = match runnable.filter(|known| known.is_of(&self.config, to.as_ref(), &overrides)) {
            Some(known) => known.into_plan(),
            None => self.plan(&flow, &self.config, to.as_ref(), &overrides)?,
        };
        check_breakpoints(&plan, &breakpoints)?;
        check_in_subflows(&plan, path.as_deref(), &self.config, &self.registry, &breakpoints)?;
        // Without an input there is nothing that comes from anywhere.
        let origins = if input.is_some() || !overrides.is_empty() { origins } else { Origins::NONE };
        let grants = match inherited {
            Some(grants) => grants,
            None => Some(Arc::new(self.decide_grants(&plan, &flow, path.as_deref(), grants)?)),
        };
        let past = (conversation, said_before);
        let conversation = self.past_of_new(&plan, &flow, path.as_deref(), &user, past)?;
        let hash = self.store.put_flow(&write_flow(&flow)?)?;
        let document = flow;
        let flow = FlowRef { name: document.name.clone(), path, hash };
        let first = RunEvent::Started {
            run: self.run.clone(),
            revision: ENGINE_REVISION,
            user: user.clone(),
            from: None,
            replies,
            flow: Box::new(flow),
            program: None,
            to,
            input: input.clone(),
            origins: origins.clone(),
            set: Arc::new(overrides),
            pins: plan.pinned_nodes(),
            ignores_pins,
            parent_run_id: parent,
            conversation: conversation.as_ref().map(|conversation| Arc::clone(&conversation.at)),
            grants: grants.clone(),
            models: Arc::new(self.calibration.current()),
            config: Arc::clone(&self.config),
        };
        self.broadcast.open(0);
        let input = input.map(|text| RunInput { text, origins });
        if let Some(others) = self.other_replies(replies, &user)? {
            self.host.earlier = EarlierTree::of_other_runs(others);
        }
        // A child run of a fork takes over what other runs of the earlier tree recorded.
        let earlier = self.host.earlier.view(None, []).map(|view| view.in_flow(&document));
        let start = StartedWith { user, grants, input, conversation, ignores_pins, earlier };
        let setup = self.setup(plan, start, &first)?;
        let (mut driver, handle) = Driver::start(setup, Event::Run(first))?;
        if !breakpoints.is_empty() {
            driver.set_breakpoints(breakpoints)?;
        }
        Ok((driver, handle))
    }

    /// A run that has not ended, from where its journal stops. `run.ended`, `journal.corrupt`.
    pub(super) fn resume(mut self) -> Result<(Driver, RunHandle), ErrorReply> {
        let record = self.store.run(&self.run)?;
        if record.status.is_final() {
            return Err(ErrorReply::new(codes::RUN_ENDED, format!("Run {} has ended.", self.run))
                .hint("A run that has ended cannot be resumed. Run the flow again."));
        }
        let entries = self.read_journal(&self.run)?;
        let plan = self.recorded_plan(&entries)?;
        let started = started_event(&self.run, &entries)?;
        let RunEvent::Started {
            user,
            from,
            flow,
            replies,
            input,
            origins,
            parent_run_id,
            conversation,
            grants,
            ignores_pins,
            ..
        } = started
        else {
            return Err(no_start(&self.run));
        };
        let from = from.as_deref();
        if parent_run_id.is_none() {
            if let Some(from) = from {
                self.use_branch(from);
            }
            self.restored_tree(from, self.other_replies(*replies, user)?)?;
        }
        let recording = self.host.earlier.recording().and_then(|hash| self.recordings.get(hash));
        let conversation = conversation
            .as_ref()
            .map(|at| self.recorded_conversation(at, recording.as_deref()))
            .transpose()?;
        let document = recorded_flow(&self.store, &flow.hash)?;
        let mut earlier = self.host.earlier.view(from.map(|from| &from.run), fork::ids(&plan));
        earlier = earlier.map(|view| view.in_flow(&document));
        if let Some(fresh) = from.and_then(|from| from.fresh.as_ref()) {
            let following = plan.fresh_from(fresh).ok_or_else(|| fork::no_place(fresh))?;
            earlier = earlier.map(|view| view.without(following));
        }
        self.broadcast.open(entries.len() as u64);
        let input = run_input(input.as_ref(), origins);
        let (user, grants, ignores_pins) = (user.clone(), grants.clone(), *ignores_pins);
        let start = StartedWith { user, grants, input, conversation, ignores_pins, earlier };
        Ok(Driver::resume(self.setup(plan, start, started)?, &entries)?)
    }

    /// The replies of other runs of the user, if they count for the tree of this run, which is its root.
    fn other_replies(
        &self,
        source: ReplySource,
        user: &UserName,
    ) -> Result<Option<Arc<dyn OtherReplies>>, Fault> {
        match source {
            ReplySource::Earlier => Ok(None),
            ReplySource::Any => replies_for(&self.store, user.clone(), self.run.clone()).map(Some),
        }
    }

    /// Whether [`resume`](Self::resume) would get so far as to continue the run. Changes nothing.
    pub(super) fn check_resumable(&self) -> Result<(), ErrorReply> {
        let entries = self.read_journal(&self.run)?;
        Ok(Driver::check_journal(&Arc::new(self.recorded_plan(&entries)?), &entries)?)
    }

    /// The plan of the flow that the run recorded.
    fn recorded_plan(&self, entries: &[Entry]) -> Result<Plan, ErrorReply> {
        let RunEvent::Started { flow, to, set, models, config, .. } = started_event(&self.run, entries)?
        else {
            return Err(no_start(&self.run));
        };
        let config = recorded_config(config, models);
        self.plan(&recorded_flow(&self.store, &flow.hash)?, &config, to.as_ref(), set)
    }

    fn read_journal(&self, run: &RunId) -> Result<Vec<Entry>, Fault> {
        self.store.read_journal(run, 0)?.collect()
    }

    fn plan(
        &self,
        flow: &Flow,
        config: &ConfigValues,
        to: Option<&NodeId>,
        overrides: &InputOverrides,
    ) -> Result<Plan, ErrorReply> {
        plan_to_run(&with_settings(flow, config), &self.registry, to, overrides)
    }

    /// The rules in force for a new run: the stored rules of the flow's file, and newer ones for this run.
    /// `grant.needed` if the flow needs more than they decide about.
    fn decide_grants(
        &self,
        plan: &Plan,
        flow: &Flow,
        path: Option<&str>,
        newer: impl IntoIterator<Item = GrantRule>,
    ) -> Result<Grants, ErrorReply> {
        let kept = path.map(|path| grants::stored_grants(&self.store, path)).transpose()?;
        let rules = kept.unwrap_or_default().with(newer);
        let needs_nothing = |node: &PlanNode| {
            let behavior = node.node.behavior();
            behavior.needs.is_empty() && behavior.calls.is_none()
        };
        if flow.settings.folders.is_empty() && plan.nodes.iter().all(needs_nothing) {
            return Ok(rules);
        }
        let catalog = NeedCatalog::of(&*self.host.tools);
        let needs = FlowNeeds::of_plan(plan, flow, path, &self.registry, &catalog);
        let undecided = grants::undecided(needs, &rules);
        if undecided.is_empty() { Ok(rules) } else { Err(grants::needed(&undecided)) }
    }

    /// Sees to it that quotas that outlive the run know what was spent of them.
    fn open_quotas(&self, plan: &Plan, conversation: Option<&Conversation>) -> Result<(), Fault> {
        let bank = &self.host.quotas.bank;
        bank.check()?;
        let defaults = bank.defaults();
        if defaults.day.is_some() {
            past_spending::open_day(bank, &self.store, self.host.clock.now_ms())?;
        }
        match conversation {
            Some(conversation) if plan.quotas.conversation.is_some() || defaults.conversation.is_some() => {
                past_spending::open_conversation(bank, &self.store, &conversation.at.id)
            }
            _ => Ok(()),
        }
    }

    fn run_info(&self, start: StartedWith, flow: &FlowRef) -> RunInfo {
        let StartedWith { user, grants, input, conversation, ignores_pins, earlier } = start;
        let folder = flow.path.as_deref().and_then(canonical_folder);
        let (run, flow_name) = (self.run.clone(), flow.name.clone());
        RunInfo { run, user, flow_name, folder, input, conversation, grants, ignores_pins, earlier }
    }

    /// `started` is the first event of the run.
    fn setup(self, plan: Plan, start: StartedWith, started: &RunEvent) -> Result<RunSetup, ErrorReply> {
        let RunEvent::Started { flow, .. } = started else { return Err(no_start(&self.run)) };
        if !self.to_cancel {
            self.open_quotas(&plan, start.conversation.as_ref())?;
        }
        let info = self.run_info(start, flow);
        let spent_by_children = past_spending::spent_by_children(&self.store, &self.run)?;
        let trials = FlowTrials::of(&self, started).map(|trials| Arc::new(trials) as Arc<dyn TrialPlanner>);
        let (broadcast, calibration) = (self.broadcast, self.calibration);
        Ok(RunSetup {
            trials,
            plan: Arc::new(plan),
            journal: Box::new(self.store.journal(&self.run)?),
            info,
            host: self.host,
            spent_by_children,
            watcher: Box::new(move |entries| {
                calibration.record_events(entries);
                broadcast.send(entries);
            }),
        })
    }
}

/// What the settings said of a run when it started. Journals of earlier versions have the summarizer in another place.
pub(super) fn recorded_config<'e>(
    config: &'e ConfigValues,
    models: &ModelOverrides,
) -> Cow<'e, ConfigValues> {
    if models.summarizer.is_empty() {
        return Cow::Borrowed(config);
    }
    let summarizer = config::settings_values(&json!({ "summarizer": models.summarizer }));
    Cow::Owned(summarizer.into_iter().chain(config.clone()).collect())
}

/// The input of a run, as its first event has it.
fn run_input(text: Option<&String>, origins: &Origins) -> Option<RunInput> {
    text.map(|text| RunInput { text: text.clone(), origins: origins.clone() })
}

fn started_event<'e>(run: &RunId, entries: &'e [Entry]) -> Result<&'e RunEvent, ErrorReply> {
    match entries.first() {
        Some(Entry { event: Event::Run(event @ RunEvent::Started { .. }), .. }) => Ok(event),
        _ => Err(no_start(run)),
    }
}

pub(super) fn no_start(run: &RunId) -> ErrorReply {
    let message = format!("The journal of run {run} does not begin with the start of the run.");
    ErrorReply::new(codes::JOURNAL_CORRUPT, message)
}

/// The plan of a flow that is to run. `flow.invalid` lists its problems.
pub(super) fn plan_to_run(
    flow: &Flow,
    registry: &Registry,
    to: Option<&NodeId>,
    overrides: &InputOverrides,
) -> Result<Plan, ErrorReply> {
    plan(flow, registry, to, overrides).map_err(|diagnostics| invalid_flow(&diagnostics))
}

/// `flow.invalid` with the problems of a flow.
pub(super) fn invalid_flow(diagnostics: &[Diagnostic]) -> ErrorReply {
    let first = diagnostics.first().map_or("The flow is invalid.", |diagnostic| diagnostic.message.as_str());
    let more = match diagnostics.len() {
        0 | 1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    ErrorReply::new(codes::FLOW_INVALID, format!("This flow can't run: {first}{more}"))
        .hint("Fix the problems that the diagnostics list, then run it again.")
        .diagnostics(diagnostics)
}
