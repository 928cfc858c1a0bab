//! Making and driving runs: new ones, ones that are taken up again, children of others. Owns that a run has at most one
//! driver, and that a run which ends leaves no child behind that has not.

use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use plait_adapters::Store;
use plait_engine::context::{Conversation, ConversationRef, MAIN};
use plait_engine::error::Fault;
use plait_engine::flow::Flow;
use plait_engine::host::Host;
use plait_engine::id::{ConversationId, NodeId, RunId};
use plait_engine::node::{Registry, RunInfo};
use plait_engine::plan::{InputOverrides, Plan, plan};
use plait_engine::run::{Driver, Entry, Event, FlowRef, RunHandle, RunSetup};
use tokio::sync::Mutex;

use crate::providers::token_calibration::TokenCalibration;
use crate::runs::broadcast::RunBroadcast;
use crate::runs::registry::ActiveRuns;
use crate::{ErrorReply, blocking, flow_of, flow_text};

/// What drives runs. Clones share.
#[derive(Clone)]
pub(crate) struct Runner {
    pub(crate) store: Store,
    pub(crate) registry: Arc<Registry>,
    pub(crate) calibration: Arc<TokenCalibration>,
    pub(crate) live: ActiveRuns,
    /// Held while a run is taken up: two that take up the same run must end up with the same driver.
    pub(crate) taking_up: Arc<Mutex<()>>,
}

/// A run that is to begin.
pub(crate) struct NewRun {
    pub(crate) flow: Flow,
    pub(crate) path: Option<String>,
    pub(crate) input: Option<String>,
    pub(crate) set: InputOverrides,
    pub(crate) to: Option<NodeId>,
    pub(crate) parent: Option<RunId>,
    pub(crate) conversation: Option<ConversationId>,
}

impl Runner {
    /// What drives the runs of this store, none so far.
    pub(crate) fn new(store: Store, registry: Arc<Registry>, calibration: Arc<TokenCalibration>) -> Self {
        Self { store, registry, calibration, live: ActiveRuns::default(), taking_up: Arc::default() }
    }

    /// Starts a run under this id. It goes on by itself.
    pub(crate) async fn start(&self, run: &RunId, new: NewRun, host: Host) -> Result<(), ErrorReply> {
        let hub = self.live.hub(run);
        let prepared =
            Prepared { run: run.clone(), hub: Arc::clone(&hub), runner: self.clone(), host: host.clone() };
        let (driver, handle) = blocking(move || prepared.start(new)).await?;
        self.drive(run, hub, driver, handle, host);
        Ok(())
    }

    /// How to steer a run; one that is not driven is taken up again. `first` is what is wanted of it before anything in
    /// it starts.
    pub(crate) async fn take_up(
        &self,
        run: &RunId,
        host: Host,
        first: impl FnOnce(&RunHandle),
    ) -> Result<RunHandle, ErrorReply> {
        let _turn = self.taking_up.lock().await;
        self.take_up_alone(run, host, first).await
    }

    /// The same, by one who holds `taking_up`.
    pub(crate) async fn take_up_alone(
        &self,
        run: &RunId,
        host: Host,
        first: impl FnOnce(&RunHandle),
    ) -> Result<RunHandle, ErrorReply> {
        if let Some(handle) = self.live.handle(run) {
            first(&handle);
            return Ok(handle);
        }
        let hub = self.live.hub(run);
        let prepared =
            Prepared { run: run.clone(), hub: Arc::clone(&hub), runner: self.clone(), host: host.clone() };
        let (driver, handle) = blocking(move || prepared.resume()).await?;
        first(&handle);
        self.drive(run, hub, driver, handle.clone(), host);
        Ok(handle)
    }

    fn drive(&self, run: &RunId, hub: Arc<RunBroadcast>, driver: Driver, handle: RunHandle, host: Host) {
        let (runner, parent) = (self.clone(), run.clone());
        self.live.drive(run, hub, driver, handle, move || runner.end_children(parent, host));
    }

    /// Cancels what children of an ended run have not ended, and waits for it: those that a crash had left, and those that
    /// were told to stop a moment ago.
    fn end_children(self, parent: RunId, host: Host) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let store = self.store.clone();
            let children = blocking(move || Ok(store.children(&parent)?)).await.unwrap_or_default();
            for child in children {
                if child.status.is_final() {
                    // Its last words may not be said yet.
                    self.live.over(&child.run).await;
                    continue;
                }
                // One that can't be taken up, for instance with a damaged journal, can't be ended either; its list entry
                // says that it was interrupted.
                if self.take_up(&child.run, host.clone(), RunHandle::cancel).await.is_ok() {
                    self.live.over(&child.run).await;
                }
            }
        })
    }
}

/// What making a driver takes, off the async threads.
struct Prepared {
    run: RunId,
    hub: Arc<RunBroadcast>,
    runner: Runner,
    host: Host,
}

impl Prepared {
    fn start(self, new: NewRun) -> Result<(Driver, RunHandle), ErrorReply> {
        let NewRun { flow, path, input, set, to, parent, conversation } = new;
        let plan = self.plan(&flow, to.as_ref(), &set)?;
        let conversation = conversation.map(|id| self.begin_in(&plan, &id)).transpose()?;
        let hash = self.runner.store.put_flow(&flow_text(&flow)?)?;
        let flow = FlowRef { name: flow.name, path, hash };
        let first = Event::RunStarted {
            run: self.run.clone(),
            flow: flow.clone(),
            to,
            input: input.clone(),
            set,
            parent_run_id: parent,
            conversation: conversation.as_ref().map(|conversation| Arc::clone(&conversation.at)),
            models: Arc::new(self.runner.calibration.book()),
        };
        self.hub.begin(0);
        Ok(Driver::start(self.setup(plan, &flow, input, conversation)?, first)?)
    }

    fn resume(self) -> Result<(Driver, RunHandle), ErrorReply> {
        let store = &self.runner.store;
        let record = store.run(&self.run)?;
        if record.status.is_final() {
            return Err(ErrorReply::new("run.ended", format!("Run {} has ended.", self.run))
                .hint("Nothing is left to do in it; run the flow anew."));
        }
        let flow = flow_of(store, &record.flow.hash)?;
        let entries = store.read_journal(&self.run, 0)?.collect::<Result<Vec<Entry>, Fault>>()?;
        let Some(Entry {
            event: Event::RunStarted { flow: started, to, input, set, conversation, .. }, ..
        }) = entries.first()
        else {
            return Err(ErrorReply::new(
                "journal.corrupt",
                format!("The journal of run {} does not begin with its start.", self.run),
            ));
        };
        let plan = self.plan(&flow, to.as_ref(), set)?;
        let conversation = conversation.as_ref().map(|at| self.go_on_in(at)).transpose()?;
        self.hub.begin(entries.len() as u64);
        Ok(Driver::resume(self.setup(plan, started, input.clone(), conversation)?, &entries)?)
    }

    /// The conversation a run begins in, as it stands now.
    fn begin_in(&self, plan: &Plan, id: &ConversationId) -> Result<Conversation, ErrorReply> {
        let remembers = plan.nodes.iter().any(|node| {
            let behavior = node.node.behavior();
            behavior.makes_context && behavior.context_id.as_deref() == Some(MAIN)
        });
        if !remembers {
            return Err(ErrorReply::new(
                "conversation.no_context",
                "This flow can't go on in a conversation: it begins no context `main`.",
            )
            .hint(
                "Add a `contextStart` whose `contextId` is `main`, or run the flow without a conversation.",
            ));
        }
        let at = self.runner.store.conversation(id)?.at();
        self.go_on_in(&Arc::new(at))
    }

    fn go_on_in(&self, at: &Arc<ConversationRef>) -> Result<Conversation, ErrorReply> {
        Ok(Conversation { at: Arc::clone(at), past: Arc::new(self.runner.store.past(&at.id)?) })
    }

    fn plan(&self, flow: &Flow, to: Option<&NodeId>, set: &InputOverrides) -> Result<Plan, ErrorReply> {
        plan(flow, &self.runner.registry, to, set).map_err(|found| {
            let first = found.first().map_or("It can't run.", |one| one.message.as_str());
            let more = match found.len() {
                0 | 1 => String::new(),
                more => format!(" (and {} more)", more - 1),
            };
            ErrorReply::new("flow.invalid", format!("This flow can't run: {first}{more}"))
                .hint("Mend what the diagnostics name, then run it again.")
                .diagnostics(&found)
        })
    }

    fn setup(
        &self,
        plan: Plan,
        flow: &FlowRef,
        input: Option<String>,
        conversation: Option<Conversation>,
    ) -> Result<RunSetup, ErrorReply> {
        let folder = flow.path.as_deref().and_then(|path| Path::new(path).parent());
        let (hub, calibration) = (Arc::clone(&self.hub), Arc::clone(&self.runner.calibration));
        Ok(RunSetup {
            plan: Arc::new(plan),
            info: RunInfo {
                run: self.run.clone(),
                flow_name: flow.name.clone(),
                folder: folder.map(|folder| folder.display().to_string()),
                input,
                conversation,
            },
            host: self.host.clone(),
            journal: Box::new(self.runner.store.journal(&self.run)?),
            watcher: Box::new(move |entries| {
                calibration.hear(entries);
                hub.tell(entries.iter().cloned());
            }),
        })
    }
}
