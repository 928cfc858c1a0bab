//! A run that is forked from another one: what it runs, and what it takes over from the tree of that one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;

use plait_adapters::FileAccess;
use plait_core::config::ConfigValues;
use plait_core::flow::Flow;
use plait_core::hash::content_hash;
use plait_core::id::{NodeId, RunId};
use plait_core::origin::{Origin, Origins};
use plait_insight::bill::{Bill, rehearse, standing_host};
use plait_journal::earlier_run::EarlierRun;
use plait_journal::view::RunOutline;
use plait_journal::world_policy::{LivePart, Misses, Pace, WorldPolicy};
use plait_journal::{ENGINE_REVISION, Event, EventRef, FlowRef, FreshFrom, RunEvent, RunOrigin};
use plait_run::host::Host;
use plait_run::plan::Plan;
use plait_run::{Driver, RunHandle, RunSetup, TrialConfigs, check_breakpoints};
use plait_store::Store;

use super::blocking_host::blocking_host;
use super::earlier_journal::EarlierJournal;
use super::rehearsed_children::{RehearsedChildren, RehearsedPlace};
use super::trial::{trials_of, with_trials};
use super::{Launch, StartedWith, check_in_subflows, no_start, recorded_config, run_input, started_event};
use crate::ErrorReply;
use crate::codes;
use crate::flows::text::{recorded_flow, write_flow};
use crate::recordings::Recording;
use crate::runs::request::{ChildInputs, EditedFlow, ForkEdits, RootInputs};

/// A fork that is ready to start.
pub(super) struct Fork {
    /// The flow that it runs.
    document: Flow,
    config: ConfigValues,
    /// Its first event, without the rules that its edit asks for.
    first: RunEvent,
    start: StartedWith,
}

impl Launch {
    /// A new run of what `earlier` ran, with edits, from the start, with its inputs or others. What the tree of that run bought, called
    /// and asked is taken from it. Everything else is as that run recorded it, the settings included: a fork differs by its edits
    /// alone.
    pub(super) fn fork(
        mut self,
        earlier: &RunId,
        mut edits: ForkEdits,
        inputs: Option<ChildInputs>,
        parent: Option<RunId>,
    ) -> Result<(Driver, RunHandle), ErrorReply> {
        let breakpoints = std::mem::take(&mut edits.breakpoints);
        let newer = edits.flow.as_ref().filter(|_| parent.is_none()).map(|edit| edit.grants.clone());
        let Fork { document, config, mut first, mut start } =
            self.prepare_fork(earlier, edits, inputs, parent)?;
        let RunEvent::Started { user, from, flow, to, set, grants, pins, .. } = &mut first else {
            return Err(no_start(earlier));
        };
        let plan = self.plan(&document, &config, to.as_ref(), set)?;
        check_breakpoints(&plan, &breakpoints)?;
        check_in_subflows(&plan, flow.path.as_deref(), &config, &self.registry, &breakpoints)?;
        *pins = plan.pinned_nodes();
        if let Some(newer) = newer {
            // The edit may need more than the earlier run did.
            let known = grants.iter().flat_map(|grants| grants.rules().to_vec());
            let decided = self.decide_grants(&plan, &document, flow.path.as_deref(), known.chain(newer))?;
            *grants = Some(Arc::new(decided));
            start.grants.clone_from(grants);
        }
        let is_same = from.as_ref().is_some_and(|from| !from.edited);
        if !is_same || !self.store.keep_flow(&flow.hash) {
            self.store.put_flow(&write_flow(&document)?)?;
        }
        if from.as_ref().is_some_and(|from| from.of_branch) {
            self.store.copy_memory_branch(user, earlier, &self.run)?;
        }
        self.broadcast.open(0);
        let (mut driver, handle) = Driver::start(self.setup(plan, start, &first)?, Event::Run(first))?;
        if !breakpoints.is_empty() {
            driver.set_breakpoints(breakpoints)?;
        }
        Ok((driver, handle))
    }

    /// The bill of such a fork. Changes nothing.
    pub(in crate::runs) fn bill(
        mut self,
        earlier: &RunId,
        mut edits: ForkEdits,
        access: FileAccess,
    ) -> Result<Bill, ErrorReply> {
        // No time passes in a rehearsal.
        edits.world.pace = Pace::Fast;
        let is_replay = edits.world.misses == Misses::Fail && edits.world.live.is_empty();
        let fork = self.prepare_fork(earlier, edits, None, None)?;
        let RunEvent::Started { models, .. } = &fork.first else { return Err(no_start(earlier)) };
        let models = Arc::clone(models);
        let earlier = self.host.earlier.clone();
        // Once for the whole tree: its child runs get the host of the run that starts them.
        let is_replay = is_replay || self.host.earlier.recording().is_some();
        let tools = is_replay.then(|| Arc::clone(&self.host.tools));
        let host = standing_host(self.host);
        // A replay lists the tools of servers without starting any.
        self.host = blocking_host(Host { tools: tools.unwrap_or_else(|| Arc::clone(&host.tools)), ..host });
        let place = RehearsedPlace::root(access);
        let rehearsal = place.rehearsal.clone();
        let (_, setup, first) = self.rehearse(fork, place)?;
        rehearse(setup, first)?;
        Ok(Bill::of(rehearsal, &models, &earlier))
    }

    /// What the rehearsal of a fork is driven with, and its number there.
    pub(super) fn rehearse(
        self,
        fork: Fork,
        place: RehearsedPlace,
    ) -> Result<(usize, RunSetup, Event), ErrorReply> {
        let Fork { document, config, first, start } = fork;
        let RunEvent::Started { flow, to, set, .. } = &first else { return Err(no_start(&self.run)) };
        let plan = self.plan(&document, &config, to.as_ref(), set)?;
        let (rehearsal, path) = (place.rehearsal.clone(), place.path.clone());
        let asked = start.earlier.iter().flat_map(EarlierRun::nodes_of_the_world);
        rehearsal
            .note_world_types(asked.filter_map(|node| document.nodes.get(node)).map(|node| &node.node_type));
        let (info, host) = (self.run_info(start, flow), self.host.clone());
        let children = RehearsedChildren::new(self, place.inside(flow));
        let host = Host { subflows: Arc::new(children), ..host };
        let (number, setup) = rehearsal.setup(plan, info, host, path);
        Ok((number, setup, Event::Run(first)))
    }

    /// Lets the tree of a fork remember in a branch of its own, if what it comes to may differ.
    pub(super) fn use_branch(&mut self, from: &RunOrigin) {
        if from.differs() {
            self.host.memories = Arc::new(self.memory.branch(self.run.clone()));
        }
    }

    /// The flow that a fork runs: the edited one, or the recorded one with what persons tried on it. The reference names it afterwards.
    fn forked_document(
        &self,
        edit: Option<EditedFlow>,
        trials: &TrialConfigs,
        (flow, ignores_pins): (&mut FlowRef, bool),
        recording: Option<&Recording>,
    ) -> Result<Flow, ErrorReply> {
        let Some(EditedFlow { flow: mut document, path, .. }) = edit else {
            let document = with_trials(self.recorded_flow(&flow.hash, recording)?, trials);
            if !trials.is_empty() {
                flow.hash = content_hash(write_flow(&document)?.as_bytes());
            }
            return Ok(document);
        };
        if ignores_pins {
            document.remove_pins();
        }
        // It begins where the earlier run began, if the edited flow still has that trigger.
        if document.trigger().is_some()
            && let Some(taken) = self.recorded_flow(&flow.hash, recording)?.trigger()
        {
            document.choose_trigger(taken);
        }
        let hash = content_hash(write_flow(&document)?.as_bytes());
        *flow = FlowRef { name: document.name.clone(), path, hash };
        Ok(document)
    }

    /// `run.no_place` if a node to ask again is not in the flow, if there is no such type of nodes, or if no tool of that name was called.
    fn check_live(&self, world: &WorldPolicy, flow: &Flow) -> Result<(), ErrorReply> {
        let refused =
            |message: String, hint: String| Err(ErrorReply::new(codes::RUN_NO_PLACE, message).hint(hint));
        let list = |names: BTreeSet<&str>| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        for part in &world.live {
            match part {
                LivePart::Node(node) if !flow.nodes.contains_key(node) => {
                    return Err(no_place(&FreshFrom {
                        node: node.clone(),
                        epoch: None,
                        inside: None,
                        alone: false,
                    }));
                }
                LivePart::Type(name) if self.registry.descriptor(name).is_none() => {
                    let types = list(flow.nodes.values().map(|node| node.node_type.as_str()).collect());
                    return refused(
                        format!("There is no node type `{name}`."),
                        format!("The flow has nodes of the types {types}."),
                    );
                }
                LivePart::Tool(name) if !self.host.earlier.called_tools().contains(name.as_str()) => {
                    let called = list(self.host.earlier.called_tools());
                    return refused(
                        format!("The earlier run did not call a tool `{name}`."),
                        format!("It called {called}."),
                    );
                }
                LivePart::All | LivePart::Node(_) | LivePart::Type(_) | LivePart::Tool(_) => {}
            }
        }
        Ok(())
    }

    /// What of a run's journal counts for a fork of it, whether the run went on after that, and its flow if it is wanted. Reading a large
    /// flow takes as long as reading its journal, so both are read at once.
    fn read_to_fork<'r>(
        &self,
        earlier: &RunId,
        (at, cut_in): (Option<u64>, Option<&EventRef>),
        recording: Option<&'r Recording>,
        reads_flow: bool,
    ) -> Result<(EarlierJournal<'r>, bool, Option<Flow>), ErrorReply> {
        let (journal, flow) = thread::scope(|scope| {
            let store = &self.store;
            let flow = reads_flow.then(|| scope.spawn(move || flow_of(store, earlier)));
            let journal = self.counted_journal(earlier, at, cut_in, recording);
            (journal, flow.and_then(|reading| reading.join().ok()))
        });
        let (journal, is_cut) = journal?;
        Ok((journal, is_cut, flow.transpose()?))
    }

    pub(super) fn prepare_fork(
        &mut self,
        earlier: &RunId,
        edits: ForkEdits,
        inputs: Option<ChildInputs>,
        parent: Option<RunId>,
    ) -> Result<Fork, ErrorReply> {
        let ForkEdits {
            flow: edit,
            at,
            cut_in,
            fresh,
            to: new_target,
            world,
            replies: source,
            recording: file,
            root_inputs,
            ..
        } = edits;
        let recording = self.open_recording(file.as_ref())?;
        let recording = recording.as_deref();
        // Child runs have small flows, and there are many of them.
        let reads_flow = parent.is_none() && edit.is_none() && recording.is_none();
        let (journal, cut, recorded) =
            self.read_to_fork(earlier, (at, cut_in.as_ref()), recording, reads_flow)?;
        let mut first = started_event(earlier, journal.entries())?.clone();
        let RunEvent::Started {
            run,
            revision,
            user,
            from,
            replies,
            flow,
            to,
            input,
            set,
            origins,
            parent_run_id,
            conversation,
            grants,
            models,
            config,
            ignores_pins,
            program,
            ..
        } = &mut first
        else {
            return Err(no_start(earlier));
        };
        let trials = trials_of(&RunOutline::of(journal.entries()));
        let (edited, is_root) = (edit.is_some() || !trials.is_empty(), parent.is_none());
        *run = self.run.clone();
        // The fork is run by Plait.
        *program = None;
        *revision = ENGINE_REVISION;
        let origin = RunOrigin {
            run: earlier.clone(),
            seq: journal.end(),
            edited,
            cut,
            cut_in,
            of_branch: is_root && from.as_ref().is_some_and(|from| from.differs()),
            fresh: fresh.clone(),
            world,
            recording: file,
        };
        *parent_run_id = parent;
        *replies = source;
        *to = new_target.or(to.take());
        if let Some(inputs) = inputs {
            (*input, *set, *origins, *grants) =
                (inputs.input, Arc::new(inputs.overrides), inputs.origins, inputs.grants);
        }
        if let Some(RootInputs { input: given, overrides }) = root_inputs {
            let is_given = given.is_some() || !overrides.is_empty();
            (*input, *set) = (given, Arc::new(overrides));
            *origins = if is_given { Origins::of(Origin::Person) } else { Origins::NONE };
        }
        let document = match recorded {
            Some(document) if trials.is_empty() => document,
            _ => self.forked_document(edit, &trials, (flow, *ignores_pins), recording)?,
        };
        let config = recorded_config(config, models).into_owned();
        let conversation =
            conversation.as_ref().map(|at| self.recorded_conversation(at, recording)).transpose()?;
        if is_root {
            if self.host.earlier.recording().is_none() {
                let others = self.other_replies(source, user)?;
                self.host.earlier = self.read_tree(&origin, &journal, (recording, others))?;
            }
            self.use_branch(&origin);
            // A replay remembers nothing, in no branch either.
            self.replay(&origin, recording)?;
            self.check_live(&origin.world, &document)?;
        }
        let nodes: Vec<NodeId> = document.nodes.keys().cloned().collect();
        let mut view = self.host.earlier.view(Some(earlier), &nodes).map(|view| view.in_flow(&document));
        if let Some(fresh) = &fresh {
            let plan = self.plan(&document, &config, to.as_ref(), set)?;
            let following = plan.fresh_from(fresh).ok_or_else(|| no_place(fresh))?;
            if is_root && !edited {
                self.check_inside(earlier, fresh, recording)?;
            }
            view = view.map(|view| view.without(following));
        }
        *from = Some(Box::new(origin));
        let (user, grants, ignores_pins) = (user.clone(), grants.clone(), *ignores_pins);
        let input = run_input(input.as_ref(), origins);
        let start = StartedWith { user, grants, input, conversation, ignores_pins, earlier: view };
        Ok(Fork { document, config, first, start })
    }
}

/// The flow that a run of the store ran.
fn flow_of(store: &Store, run: &RunId) -> Result<Flow, ErrorReply> {
    recorded_flow(store, &store.run(run)?.flow.hash)
}

/// `run.no_place` for an activation that the flow can't have.
pub(super) fn no_place(FreshFrom { node, epoch, .. }: &FreshFrom) -> ErrorReply {
    let message = match epoch {
        None => format!("The flow has no node `{node}`, or the run does not get to it."),
        Some(epoch) => format!("The flow has no node `{node}` with an iteration like `{epoch}`."),
    };
    ErrorReply::new(codes::RUN_NO_PLACE, message).hint(
        "Name a node of the flow that is run, and its iteration as the run's events write it: `NODE#2`.",
    )
}

/// The nodes of a plan.
pub(super) fn ids(plan: &Plan) -> impl Iterator<Item = &NodeId> {
    plan.nodes.iter().map(|node| &node.id)
}
