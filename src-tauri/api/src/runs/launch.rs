//! Builds the driver of a run: a new one from a request, or an interrupted one from its journal.

use std::path::Path;
use std::sync::Arc;

use plait_adapters::Store;
use plait_engine::context::{Conversation, ConversationRef, MAIN};
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::flow::Flow;
use plait_engine::host::Host;
use plait_engine::host::RunInfo;
use plait_engine::id::{ConversationId, NodeId, RunId};
use plait_engine::journal::{Entry, Event, FlowRef, InputOverrides, RunEvent};
use plait_engine::node::Registry;
use plait_engine::plan::{Plan, plan};
use plait_engine::run::{Driver, RunHandle, RunSetup};

use super::broadcast::RunBroadcast;
use super::request::RunRequest;
use crate::ErrorReply;
use crate::flows::text::{recorded_flow, write_flow};
use crate::providers::TokenCalibration;

/// What the driver of a run is built from. Its methods block.
pub(super) struct Launch {
    pub(super) run: RunId,
    pub(super) store: Store,
    pub(super) registry: Arc<Registry>,
    pub(super) calibration: Arc<TokenCalibration>,
    pub(super) broadcast: Arc<RunBroadcast>,
    pub(super) host: Host,
}

impl Launch {
    /// A new run, with its first event in the journal.
    pub(super) fn start(
        self,
        request: RunRequest,
        parent: Option<RunId>,
    ) -> Result<(Driver, RunHandle), ErrorReply> {
        let RunRequest { flow, path, input, overrides, to, conversation } = request;
        let plan = self.plan(&flow, to.as_ref(), &overrides)?;
        let conversation = conversation.map(|id| self.start_conversation(&plan, &id)).transpose()?;
        let hash = self.store.put_flow(&write_flow(&flow)?)?;
        let flow = FlowRef { name: flow.name, path, hash };
        let first = Event::Run(RunEvent::Started {
            run: self.run.clone(),
            flow: flow.clone(),
            to,
            input: input.clone(),
            set: overrides,
            parent_run_id: parent,
            conversation: conversation.as_ref().map(|conversation| Arc::clone(&conversation.at)),
            models: Arc::new(self.calibration.current()),
        });
        self.broadcast.open(0);
        Ok(Driver::start(self.setup(plan, &flow, input, conversation)?, first)?)
    }

    /// A run that has not ended, from where its journal stops. `run.ended`, `journal.corrupt`.
    pub(super) fn resume(self) -> Result<(Driver, RunHandle), ErrorReply> {
        let record = self.store.run(&self.run)?;
        if record.status.is_final() {
            return Err(ErrorReply::new(ErrorCode::RunEnded, format!("Run {} has ended.", self.run))
                .hint("A run that has ended cannot be resumed. Run the flow again."));
        }
        let flow = recorded_flow(&self.store, &record.flow.hash)?;
        let entries = self.store.read_journal(&self.run, 0)?.collect::<Result<Vec<Entry>, Fault>>()?;
        let Some(Entry {
            event:
                Event::Run(RunEvent::Started { flow: flow_ref, to, input, set: overrides, conversation, .. }),
            ..
        }) = entries.first()
        else {
            return Err(ErrorReply::new(
                ErrorCode::JournalCorrupt,
                format!("The journal of run {} does not begin with the start of the run.", self.run),
            ));
        };
        let plan = self.plan(&flow, to.as_ref(), overrides)?;
        let conversation = conversation.as_ref().map(|at| self.open_conversation(at)).transpose()?;
        self.broadcast.open(entries.len() as u64);
        Ok(Driver::resume(self.setup(plan, flow_ref, input.clone(), conversation)?, &entries)?)
    }

    /// The conversation that a new run continues, in its current state.
    fn start_conversation(&self, plan: &Plan, id: &ConversationId) -> Result<Conversation, ErrorReply> {
        let has_main_context = plan.nodes.iter().any(|node| {
            let behavior = node.node.behavior();
            behavior.makes_context && behavior.context_id.as_deref() == Some(MAIN)
        });
        if !has_main_context {
            return Err(ErrorReply::new(
                ErrorCode::ConversationNoContext,
                "This flow cannot continue a conversation: it has no context `main`.",
            )
            .hint(
                "Add a `contextStart` whose `contextId` is `main`, or run the flow without a conversation.",
            ));
        }
        let at = self.store.conversation(id)?.at();
        self.open_conversation(&Arc::new(at))
    }

    fn open_conversation(&self, at: &Arc<ConversationRef>) -> Result<Conversation, ErrorReply> {
        Ok(Conversation { at: Arc::clone(at), past: Arc::new(self.store.past(&at.id)?) })
    }

    fn plan(&self, flow: &Flow, to: Option<&NodeId>, overrides: &InputOverrides) -> Result<Plan, ErrorReply> {
        plan(flow, &self.registry, to, overrides).map_err(|diagnostics| {
            let first =
                diagnostics.first().map_or("The flow is invalid.", |diagnostic| diagnostic.message.as_str());
            let more = match diagnostics.len() {
                0 | 1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            ErrorReply::new(ErrorCode::FlowInvalid, format!("This flow can't run: {first}{more}"))
                .hint("Fix the problems that the diagnostics list, then run it again.")
                .diagnostics(&diagnostics)
        })
    }

    fn setup(
        self,
        plan: Plan,
        flow: &FlowRef,
        input: Option<String>,
        conversation: Option<Conversation>,
    ) -> Result<RunSetup, ErrorReply> {
        let folder = flow.path.as_deref().and_then(|path| Path::new(path).parent());
        let (broadcast, calibration) = (self.broadcast, self.calibration);
        Ok(RunSetup {
            plan: Arc::new(plan),
            journal: Box::new(self.store.journal(&self.run)?),
            info: RunInfo {
                run: self.run,
                flow_name: flow.name.clone(),
                folder: folder.map(|folder| folder.display().to_string()),
                input,
                conversation,
            },
            host: self.host,
            watcher: Box::new(move |entries| {
                calibration.record_events(entries);
                broadcast.send(entries.iter().cloned());
            }),
        })
    }
}
