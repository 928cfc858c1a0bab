//! What the application does with runs: starts them, steers them, takes them up again, lets them be watched.

use std::path::Path;
use std::sync::Arc;

use plait_adapters::Store;
use plait_adapters::store::RunFilter;
use plait_engine::context::{Conversation, ConversationRef, MAIN};
use plait_engine::error::Fault;
use plait_engine::flow::Flow;
use plait_engine::host::Host;
use plait_engine::id::{Activation, ConversationId, NodeId, RunId};
use plait_engine::node::{Registry, RunInfo};
use plait_engine::plan::{Given, Plan, plan};
use plait_engine::run::{Answer, Driver, Entry, Fact, FlowRef, RunHandle, RunSetup};

use crate::commands::run::StartRun;
use crate::hub::Hub;
use crate::{ErrorReply, Plait, Watch, blocking, flow_of, flow_text};

impl Plait {
    /// Starts a run and gives its id. It goes on by itself.
    pub(crate) async fn start(&self, asked: StartRun) -> Result<RunId, ErrorReply> {
        let run = RunId::from(uuid::Uuid::now_v7().to_string());
        let hub = self.live.hub(&run);
        let prepared = Prepared::new(self, &run, &hub);
        let (driver, handle) = blocking(move || prepared.start(asked)).await?;
        self.live.drive(&run, hub, driver, handle);
        Ok(run)
    }

    /// Takes a run up again where its journal leaves it. Nothing to do for one that is driven already.
    pub(crate) async fn resume(&self, run: &RunId) -> Result<(), ErrorReply> {
        self.take_up(run, |_| ()).await.map(|_| ())
    }

    pub(crate) async fn answer(
        &self,
        run: &RunId,
        activation: Activation,
        answer: Answer,
    ) -> Result<(), ErrorReply> {
        let handle = self.take_up(run, |_| ()).await?;
        match answer {
            Answer::Value(value) => handle.answer(activation, (*value).clone()).await?,
            Answer::End => handle.end(activation).await?,
        }
        Ok(())
    }

    /// Cancels a run, taken up again for that if need be. Nothing to do for one that has ended.
    pub(crate) async fn cancel(&self, run: &RunId) -> Result<(), ErrorReply> {
        let (store, id) = (self.store().clone(), run.clone());
        if blocking(move || Ok(store.run(&id)?)).await?.status.is_final() {
            return Ok(());
        }
        self.take_up(run, RunHandle::cancel).await.map(|_| ())
    }

    pub(crate) async fn remove_run(&self, run: &RunId) -> Result<(), ErrorReply> {
        if self.live.contains(run) {
            return Err(ErrorReply::new("run.busy", format!("Run {run} is going on."))
                .hint("Cancel it first, then remove it."));
        }
        let (store, run) = (self.store().clone(), run.clone());
        blocking(move || Ok(store.remove_run(&run)?)).await
    }

    /// The run whose id begins with `prefix`. `run.unknown`, `run.ambiguous`.
    pub fn find_run(&self, prefix: &str) -> Result<RunId, ErrorReply> {
        Ok(self.store().find_run(prefix)?)
    }

    /// The run that began last, if there is any.
    pub fn last_run(&self) -> Result<Option<RunId>, ErrorReply> {
        let newest = self.store().runs(&RunFilter { flow_path: None, limit: Some(1) })?;
        Ok(newest.into_iter().next().map(|record| record.run))
    }

    /// Whether a run is driven in this process.
    pub fn is_live(&self, run: &RunId) -> bool {
        self.live.contains(run)
    }

    /// Watches a run: its journal from `from_seq` on, then what happens, without gap or duplicate, to its end.
    /// `run.unknown` when there is no such run.
    pub async fn watch(&self, run: &RunId, from_seq: u64) -> Result<Watch, ErrorReply> {
        let (store, run, hub) = (self.store().clone(), run.clone(), self.live.hub(run));
        blocking(move || {
            store.run(&run)?;
            Watch::new(store, run, hub, from_seq)
        })
        .await
    }

    /// Resolves when a run is no longer driven in this process, by its end or by an error.
    pub async fn settled(&self, run: &RunId) {
        self.live.over(run).await;
    }

    /// How to steer a run; one that is not driven is taken up again. `first` is what is wanted of it before anything in
    /// it starts.
    async fn take_up(&self, run: &RunId, first: impl FnOnce(&RunHandle)) -> Result<RunHandle, ErrorReply> {
        // One at a time: two that take up the same run must end up with the same driver.
        let _turn = self.taking_up.lock().await;
        if let Some(handle) = self.live.handle(run) {
            first(&handle);
            return Ok(handle);
        }
        let hub = self.live.hub(run);
        let prepared = Prepared::new(self, run, &hub);
        let (driver, handle) = blocking(move || prepared.resume()).await?;
        first(&handle);
        self.live.drive(run, hub, driver, handle.clone());
        Ok(handle)
    }
}

/// What making a driver takes, off the async threads.
struct Prepared {
    run: RunId,
    hub: Arc<Hub>,
    store: Store,
    registry: Arc<Registry>,
    host: Host,
}

impl Prepared {
    fn new(app: &Plait, run: &RunId, hub: &Arc<Hub>) -> Self {
        Self {
            run: run.clone(),
            hub: Arc::clone(hub),
            store: app.store().clone(),
            registry: app.registry_handle(),
            host: app.host(),
        }
    }

    fn start(self, asked: StartRun) -> Result<(Driver, RunHandle), ErrorReply> {
        let StartRun { flow, path, input, set, to, conversation } = asked;
        let plan = self.plan(&flow, to.as_ref(), &set)?;
        let conversation = conversation.map(|id| self.begin_in(&plan, &id)).transpose()?;
        let hash = self.store.put_flow(&flow_text(&flow)?)?;
        let flow = FlowRef { name: flow.name, path, hash };
        let first = Fact::RunStarted {
            run: self.run.clone(),
            flow: flow.clone(),
            to,
            input: input.clone(),
            set,
            parent_run_id: None,
            conversation: conversation.as_ref().map(|conversation| Arc::clone(&conversation.at)),
        };
        self.hub.begin(0);
        Ok(Driver::start(self.setup(plan, &flow, input, conversation)?, first)?)
    }

    fn resume(self) -> Result<(Driver, RunHandle), ErrorReply> {
        let record = self.store.run(&self.run)?;
        if record.status.is_final() {
            return Err(ErrorReply::new("run.ended", format!("Run {} has ended.", self.run))
                .hint("Nothing is left to do in it; run the flow anew."));
        }
        let flow = flow_of(&self.store, &record.flow.hash)?;
        let entries = self.store.read_journal(&self.run, 0)?.collect::<Result<Vec<Entry>, Fault>>()?;
        let Some(Entry {
            fact: Fact::RunStarted { flow: started, to, input, set, conversation, .. }, ..
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
        let at = self.store.conversation(id)?.at();
        self.go_on_in(&Arc::new(at))
    }

    fn go_on_in(&self, at: &Arc<ConversationRef>) -> Result<Conversation, ErrorReply> {
        Ok(Conversation { at: Arc::clone(at), past: Arc::new(self.store.past(&at.id)?) })
    }

    fn plan(&self, flow: &Flow, to: Option<&NodeId>, set: &Given) -> Result<Plan, ErrorReply> {
        plan(flow, &self.registry, to, set).map_err(|found| {
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
        let hub = Arc::clone(&self.hub);
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
            journal: Box::new(self.store.journal(&self.run)?),
            watcher: Box::new(move |entries| hub.tell(entries.iter().cloned())),
        })
    }
}
