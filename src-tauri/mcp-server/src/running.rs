//! Runs that agents begin: under a quota of their share of what may be spent, and held until they end or wait for a person.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use plait_api::ErrorReply;
use plait_api::runs::{
    AnswerRun, CancelRun, RerunRequest, RerunRun, RunDetail, RunRequest, RunState, RunSummary, ShowRun,
    StartRun, answer_text,
};
use plait_api::settings::GetSettings;
use plait_core::flow::Flow;
use plait_core::id::{NodeId, RunId};
use plait_journal::view::{OpenPause, RunOutline};

use crate::application::{Application, InUse};
use crate::codes;
use crate::spending::{Budget, Share};

/// Begins runs, and knows those that it began.
pub(crate) struct Runner {
    application: Arc<Application>,
    budget: Arc<Budget>,
    /// The runs that have not ended, with what they may cost.
    open: Arc<Mutex<BTreeMap<RunId, Option<Share>>>>,
}

impl Runner {
    /// `spend_nano_usd`: what the runs may cost together that have a share.
    pub(crate) fn new(application: Arc<Application>, spend_nano_usd: u64) -> Self {
        Self { application, budget: Arc::new(Budget::new(spend_nano_usd)), open: Arc::default() }
    }

    /// Runs a flow that may cost `max_usd`, or all that agents may still spend. The errors of `run.start`, and `agent.spent`.
    pub(crate) async fn begin(
        &self,
        mut request: RunRequest,
        max_usd: Option<f64>,
    ) -> Result<RunId, ErrorReply> {
        let app = self.application.in_use().await?;
        let share = self.budget.reserve(max_usd)?;
        limit(&app, &mut request.flow, &share).await?;
        let run = app.call(StartRun(request)).await?.run;
        self.hold(app, run.clone(), Some(share));
        Ok(run)
    }

    /// Runs a flow under its own quotas and those of the settings alone.
    pub(crate) async fn begin_unlimited(&self, request: RunRequest) -> Result<RunId, ErrorReply> {
        let app = self.application.in_use().await?;
        let run = app.call(StartRun(request)).await?.run;
        self.hold(app, run.clone(), None);
        Ok(run)
    }

    /// Runs again what a run ran, or an edited flow. The errors of `run.rerun`, and `agent.spent`.
    pub(crate) async fn begin_again(
        &self,
        mut request: RerunRequest,
        max_usd: Option<f64>,
    ) -> Result<RunId, ErrorReply> {
        let app = self.application.in_use().await?;
        let share = self.budget.reserve(max_usd)?;
        let mut flow = if let Some(flow) = request.flow.take() {
            flow
        } else {
            let recorded = app.call(ShowRun { run: request.run.clone() }).await?;
            request.path = recorded.summary.path;
            recorded.flow
        };
        limit(&app, &mut flow, &share).await?;
        request.flow = Some(flow);
        let run = app.call(RerunRun(request)).await?.run;
        self.hold(app, run.clone(), Some(share));
        Ok(run)
    }

    /// Answers a question of a run that was begun here: of the node, or the only one. `agent.not_its_run`, `agent.no_question`,
    /// `agent.person_decides`, and the errors of `run.answer`.
    pub(crate) async fn answer(
        &self,
        run: &RunId,
        node: Option<&NodeId>,
        text: &str,
    ) -> Result<(), ErrorReply> {
        self.check_own(run)?;
        let app = self.application.in_use().await?;
        let question = question(&app, run, node).await?;
        let value = answer_text::parse_answer(&question.schema, text);
        let (run_of_node, node, epoch) = match question.asker {
            Some(asker) => (asker.run, asker.node, asker.epoch),
            None => (run.clone(), question.node, question.epoch),
        };
        app.call(AnswerRun { run: run_of_node, node, epoch, value, attachments: Vec::new() }).await?;
        self.hold(app, run.clone(), None);
        Ok(())
    }

    /// Cancels a run that was begun here. `agent.not_its_run`.
    pub(crate) async fn cancel(&self, run: &RunId) -> Result<(), ErrorReply> {
        self.check_own(run)?;
        let app = self.application.in_use().await?;
        app.call(CancelRun { run: run.clone() }).await?;
        self.hold(app, run.clone(), None);
        Ok(())
    }

    /// How the run stands when it has ended or waits for a person, or after the time.
    pub(crate) async fn state_after(&self, run: &RunId, wait: Duration) -> Result<RunState, ErrorReply> {
        let app = self.application.in_use().await?;
        // Without a change in that time, it is shown as it stands.
        let _ = tokio::time::timeout(wait, rest(&app, run)).await;
        let detail = app.call(ShowRun { run: run.clone() }).await?;
        // An agent that hears of the end may begin the next run at once.
        give_back(&self.open, &detail);
        Ok(RunState::of(detail))
    }

    /// Keeps the data directory open until the run ends or waits for a person.
    fn hold(&self, app: InUse, run: RunId, share: Option<Share>) {
        match share {
            Some(share) => drop(self.open.lock().insert(run.clone(), Some(share))),
            // It may have one already.
            None => drop(self.open.lock().entry(run.clone()).or_default()),
        }
        let open = Arc::clone(&self.open);
        tokio::spawn(async move {
            rest(&app, &run).await;
            // A run that can't be read keeps its share.
            if let Ok(detail) = app.call(ShowRun { run }).await {
                give_back(&open, &detail);
            }
        });
    }

    fn check_own(&self, run: &RunId) -> Result<(), ErrorReply> {
        if self.open.lock().contains_key(run) {
            return Ok(());
        }
        let message = format!("Run {run} has ended, or was not begun by this server.");
        Err(ErrorReply::new(codes::AGENT_NOT_ITS_RUN, message)
            .hint("The person answers and cancels other runs: in the window, or with `plait resume` and `plait cancel`."))
    }
}

/// The question of a run that an agent may answer.
async fn question(app: &InUse, run: &RunId, node: Option<&NodeId>) -> Result<OpenPause, ErrorReply> {
    let detail = app.call(ShowRun { run: run.clone() }).await?;
    let questions = RunOutline::of(&detail.entries).pauses;
    let mut matching = questions.into_iter().filter(|pause| node.is_none_or(|node| *node == pause.node));
    let (Some(question), None) = (matching.next(), matching.next()) else {
        let message = match node {
            Some(node) => format!("Run {run} has no question of `{node}`."),
            None => format!("Run {run} does not ask exactly one question."),
        };
        return Err(ErrorReply::new(codes::AGENT_NO_QUESTION, message)
            .hint("`show_run` lists the questions of a run, with the node that asks."));
    };
    let asks_for_input = match &question.asker {
        Some(asker) => {
            let flow = app.call(ShowRun { run: asker.run.clone() }).await?.flow;
            asks_for_input(&flow, &asker.node)
        }
        None => asks_for_input(&detail.flow, &question.node),
    };
    if asks_for_input && question.tool.is_none() {
        return Ok(question);
    }
    let message = format!("`{}` asks for a decision of the person.", question.node);
    Err(ErrorReply::new(codes::AGENT_PERSON_DECIDES, message)
        .hint("The person answers it in the window, or with `plait resume`."))
}

/// Whether a question of the node asks for an input, not for a decision.
fn asks_for_input(flow: &Flow, node: &NodeId) -> bool {
    flow.nodes.get(node).is_some_and(|node| node.node_type == "userInput")
}

/// Resolves when the run tree has ended or can go on only by what a person does.
async fn rest(app: &InUse, run: &RunId) {
    tokio::select! {
        _ = app.idle_tree(run) => {}
        () = app.settled(run) => {}
    }
}

/// Gives back what a run that has ended did not spend of its share, once.
fn give_back(open: &Mutex<BTreeMap<RunId, Option<Share>>>, detail: &RunDetail) {
    let RunSummary { run, status, cost, .. } = &detail.summary;
    if status.is_final()
        && let Some(Some(share)) = open.lock().remove(run)
    {
        share.settle(*cost);
    }
}

/// `command.arguments` for a text that nothing in the flow would take.
pub(crate) fn check_input(flow: &Flow, input: Option<&str>) -> Result<(), ErrorReply> {
    if input.is_none() || takes_input(flow) {
        return Ok(());
    }
    let message = "The flow takes no text input: it has no `manualInput` node.";
    Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, message))
}

pub(crate) fn takes_input(flow: &Flow) -> bool {
    flow.nodes.values().any(|node| node.node_type == "manualInput")
}

/// Sets the quota of the share in the flow.
async fn limit(app: &InUse, flow: &mut Flow, share: &Share) -> Result<(), ErrorReply> {
    let own = match &flow.settings.quotas.run {
        Some(own) => Some(Arc::clone(own)),
        None => app.call(GetSettings {}).await?.quotas.run,
    };
    flow.settings.quotas.run = Some(Arc::new(share.quota(own.as_deref())));
    Ok(())
}
