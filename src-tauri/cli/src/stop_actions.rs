//! Does at a stop what a person says there, at a prompt or with `plait debug`.

use std::sync::Arc;

use plait_api::flows::nodes_with_subflows;
use plait_api::lens::{EvaluateWatches, WatchedValue};
use plait_api::runs::{
    AcceptTrials, AcceptedTrials, ChangeValue, ContinueAll, DropBreakpoint, DropTrials, EditHistory,
    FindHeld, ForceWay, GoOn, HeldHistory, HeldRun, NodeConfig, PutBreakpoint, ShowNodeConfig, ShowRun,
    TryConfig,
};
use plait_api::{Connection, ErrorReply};
use plait_core::id::{NodeId, PortName, RunId};
use plait_journal::view::RunOutline;
use plait_journal::{Breakpoint, BreakpointText, StopPoint};
use serde_json::{Map, Value};

use crate::codes;
use crate::debugger::{self, HistoryCommand, StopCommand};
use crate::exit::CliError;
use crate::open_app;
use crate::terminal::print_error;

/// A run at a stop.
pub(crate) struct AtStop<'a> {
    app: &'a Connection,
    /// The run that is followed: the root of the tree.
    root: RunId,
    pub(crate) held: HeldRun,
}

/// What became of a stop.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The run stands there still.
    StaysThere,
    GoesOn,
    /// The person leaves the run there.
    Leaves,
}

impl<'a> AtStop<'a> {
    pub(crate) fn new(app: &'a Connection, root: RunId, held: HeldRun) -> Self {
        Self { app, root, held }
    }

    /// Does what a command says. `debug.*`; the stop is not left then.
    pub(crate) async fn perform(&mut self, command: StopCommand) -> Result<Outcome, CliError> {
        let (run, stop) = (self.held.run.clone(), self.held.stop.number);
        match command {
            StopCommand::Quit => return Ok(Outcome::Leaves),
            StopCommand::Go(verb) => {
                self.app.call(GoOn { run, verb, stop }).await?;
                return Ok(Outcome::GoesOn);
            }
            StopCommand::ContinueAll => {
                self.app.call(ContinueAll { run: self.root.clone() }).await?;
                return Ok(Outcome::GoesOn);
            }
            StopCommand::Stops => debugger::print_stops(&self.root, &self.all().await?)?,
            StopCommand::At(number) => match self.all().await?.into_iter().find(is_numbered(number)) {
                Some(held) => {
                    debugger::print_stop(&held)?;
                    self.held = held;
                }
                None => {
                    return Err(cannot(format!("There is no stop {number}."))
                        .hint("`stops` lists them.")
                        .into());
                }
            },
            StopCommand::Set(port, value) => {
                let change = ChangeValue { run, stop, port: port.as_str().into(), value: value.clone() };
                self.app.call(change).await?;
                self.held.stop.values.insert(port.as_str().into(), Arc::new(value));
            }
            StopCommand::Force(port) => {
                self.app.call(ForceWay { run, stop, port: port.as_str().into() }).await?;
                self.look_again().await?;
            }
            StopCommand::History(command) => self.edit_history(command).await?,
            StopCommand::Try(node, setting) => self.try_config(node, setting).await?,
            StopCommand::Drop(node) => {
                let node = node.map(|node| node.as_str().into());
                self.app.call(DropTrials { run, stop, node }).await?;
            }
            StopCommand::Accept(node) => accept_trials(self.app, run, node).await?,
            StopCommand::Break(breakpoint) => {
                put_breakpoint(self.app, &self.root, breakpoint).await?;
            }
            StopCommand::Delete(name) => {
                drop_breakpoint(self.app, &self.root, &name).await?;
            }
            StopCommand::Print(wanted) => debugger::print_values(&self.values(wanted).await?)?,
            StopCommand::Help => debugger::print_help()?,
        }
        Ok(Outcome::StaysThere)
    }

    /// All values that are held, by port; or that of a port or, if nothing is held there by that name, of an expression.
    /// `switch.condition` for one that has no value.
    pub(crate) async fn values(&self, wanted: Option<String>) -> Result<Map<String, Value>, ErrorReply> {
        let held = |(port, value): (&PortName, &Arc<Value>)| (port.to_string(), Value::clone(value));
        let Some(wanted) = wanted else { return Ok(self.held.stop.values.iter().map(held).collect()) };
        if let Some(value) = self.held.stop.values.get(wanted.as_str()) {
            return Ok(Map::from_iter([(wanted, Value::clone(value))]));
        }
        let expressions = vec![wanted.clone()];
        let focus = self.held.stop.at.as_ref().map(StopPoint::activation);
        let question = EvaluateWatches { run: self.held.run.clone(), expressions, focus, events: None };
        let values = self.app.call(question).await?.into_iter().map(|value| match value {
            WatchedValue::Value(value) => Ok((wanted.clone(), value)),
            WatchedValue::Error(fault) => Err(ErrorReply::from(fault)),
        });
        values.collect()
    }

    /// Shows the history before the next turn, after editing it if the person wants that.
    async fn edit_history(&self, command: HistoryCommand) -> Result<(), CliError> {
        let (run, stop) = (&self.held.run, self.held.stop.number);
        let question = HeldHistory { run: run.clone(), stop: Some(stop) };
        let Some(context) = self.app.call(question.clone()).await? else {
            return Err(cannot("No history is used here.".to_owned())
                .hint("Stop before a node that calls a model in a context.")
                .into());
        };
        let edits = match debugger::edits_of(command, &context.message_history) {
            Ok(edits) if edits.is_empty() => return debugger::print_history(&context.message_history),
            Ok(edits) => edits,
            Err(problem) => return Err(cannot(problem).into()),
        };
        self.app.call(EditHistory { run: run.clone(), stop, edits }).await?;
        match self.app.call(question).await? {
            Some(context) => debugger::print_history(&context.message_history),
            None => Ok(()),
        }
    }

    /// Shows the config with which a node executes from now on, after changing a setting if the person wants that.
    async fn try_config(&self, node: String, setting: Option<(Vec<String>, Value)>) -> Result<(), CliError> {
        let (run, stop, node) = (self.held.run.clone(), self.held.stop.number, NodeId::from(node));
        let NodeConfig { mut config } =
            self.app.call(ShowNodeConfig { run: run.clone(), node: node.clone() }).await?;
        if let Some((path, value)) = setting {
            config = debugger::with_setting(config, &path, value).map_err(cannot)?;
            self.app.call(TryConfig { run, stop, node, config: config.clone() }).await?;
        }
        debugger::print_config(&config)
    }

    /// Takes over the values that the stop holds now.
    async fn look_again(&mut self) -> Result<(), CliError> {
        let is_same = |now: &HeldRun| now.run == self.held.run && now.stop.number == self.held.stop.number;
        if let Some(now) = self.all().await?.into_iter().find(is_same) {
            self.held = now;
        }
        Ok(())
    }

    /// All stops of the run tree, the newest first.
    pub(crate) async fn all(&self) -> Result<Vec<HeldRun>, ErrorReply> {
        self.app.call(FindHeld { run: self.root.clone() }).await
    }
}

/// `usage.input`: what a person said can't be done at this stop.
fn cannot(problem: String) -> ErrorReply {
    ErrorReply::new(codes::USAGE_INPUT, problem)
}

/// Adds a breakpoint to a run.
pub(crate) async fn put_breakpoint(
    app: &Connection,
    run: &RunId,
    breakpoint: BreakpointText,
) -> Result<Breakpoint, ErrorReply> {
    let detail = app.call(ShowRun { run: run.clone() }).await?;
    let nodes = nodes_with_subflows(&detail.flow, detail.summary.path.as_deref(), &plait_nodes::registry());
    let breakpoint = debugger::resolve(breakpoint, |node| nodes.contains(node))?;
    app.call(PutBreakpoint { run: run.clone(), breakpoint }).await
}

/// Writes what is tried on a node, or on all, into the file of the run's flow, and says so.
pub(crate) async fn accept_trials(
    app: &Connection,
    run: RunId,
    node: Option<String>,
) -> Result<(), ErrorReply> {
    let node = node.map(|node| node.as_str().into());
    let AcceptedTrials { path, nodes, .. } = app.call(AcceptTrials { run, node }).await?;
    let nodes: Vec<String> = nodes.iter().map(|node| format!("`{node}`")).collect();
    print_error(&format!("{path} has the config of {} now.\n", nodes.join(", ")));
    Ok(())
}

/// Removes a breakpoint from a run. Returns its id.
pub(crate) async fn drop_breakpoint(app: &Connection, run: &RunId, name: &str) -> Result<String, ErrorReply> {
    let breakpoints = breakpoints(app, run).await?;
    let id = debugger::find_breakpoint(&breakpoints, name).to_owned();
    app.call(DropBreakpoint { run: run.clone(), id: id.clone() }).await?;
    Ok(id)
}

/// The breakpoints of a run, in the order in which they are numbered.
pub(crate) async fn breakpoints(app: &Connection, run: &RunId) -> Result<Arc<[Breakpoint]>, ErrorReply> {
    let detail = app.call(ShowRun { run: run.clone() }).await?;
    Ok(RunOutline::of(&detail.entries).breakpoints)
}

/// The newest stop of a run tree, or the one with a number. `debug.moved_on` if it does not stand still, or not there.
pub(crate) async fn held(app: &Connection, run: &RunId, number: Option<u64>) -> Result<HeldRun, ErrorReply> {
    let held = app.call(FindHeld { run: run.clone() }).await?;
    if held.is_empty() {
        let status = app.call(ShowRun { run: run.clone() }).await?.summary.status;
        let plait = open_app::program(app);
        let (message, hint) = if status.is_final() {
            let message = format!("Run {run} has ended, so it does not stand still.");
            (message, format!("`{plait} rerun {run} --bill` says what running it again would buy."))
        } else {
            (format!("Run {run} does not stand still."), format!("`{plait} debug {run} pause` stops it."))
        };
        return Err(ErrorReply::new(codes::DEBUG_MOVED_ON, message).hint(hint));
    }
    let found = held.into_iter().find(|held| number.is_none_or(|number| is_numbered(number)(held)));
    found.ok_or_else(|| {
        let message = format!("Run {run} does not stand at this stop any more.");
        ErrorReply::new(codes::DEBUG_MOVED_ON, message)
            .hint(format!("`{} debug {run} stops` lists where it stands still.", open_app::program(app)))
    })
}

fn is_numbered(number: u64) -> impl Fn(&HeldRun) -> bool {
    move |held| held.stop.number == number
}
