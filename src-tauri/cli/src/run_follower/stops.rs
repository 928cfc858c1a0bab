//! Stops of the debugger: what the person says at one.

use std::sync::Arc;

use plait_api::runs::{
    ChangeValue, EditHistory, FindHeld, ForceWay, GoOn, HeldHistory, HeldRun, SetBreakpoints,
};
use plait_core::id::RunId;
use plait_run::journal::{Breakpoint, DebugVerb};
use plait_run::view::StopView;

use super::{Next, RunFollower};
use crate::codes;
use crate::debugger::{self, HistoryCommand, StopCommand};
use crate::exit::{CliError, error_text};
use crate::terminal::print_error;

impl RunFollower<'_> {
    /// Goes on from the stop that the run was left at, once, where nobody can be asked.
    pub(crate) fn leave_stop(mut self) -> Self {
        self.leaves_stop = !self.interactive && self.outline.stop.is_some();
        self
    }

    /// Does at a stop what the person says.
    pub(super) async fn debug(&mut self, HeldRun { run, mut stop }: HeldRun) -> Result<Next, CliError> {
        let number = stop.number;
        if std::mem::take(&mut self.leaves_stop) {
            self.app.call(GoOn { run, verb: DebugVerb::Continue, stop: number }).await?;
            return Ok(Next::Continue);
        }
        if !self.interactive {
            return Ok(Next::Stop);
        }
        self.progress.pause();
        let mut is_new = true;
        loop {
            let command = tokio::select! {
                command = debugger::ask(&run, &stop, is_new) => command?,
                () = self.ctrl_c.pressed() => {
                    print_error("\n");
                    self.cancel().await?;
                    return Ok(Next::Continue);
                }
            };
            is_new = false;
            let breakpoints = match command {
                None | Some(StopCommand::Quit) => return Ok(Next::Stop),
                Some(StopCommand::Go(verb)) => {
                    match self.app.call(GoOn { run: run.clone(), verb, stop: number }).await {
                        // Somebody else was faster.
                        Err(error) if error.code == codes::DEBUG_MOVED_ON => {}
                        Err(error)
                            if [codes::DEBUG_CANNOT_SKIP, codes::DEBUG_CANNOT_RETRY]
                                .contains(&error.code) =>
                        {
                            print_error(&error_text(&error));
                            continue;
                        }
                        went => went?,
                    }
                    return Ok(Next::Continue);
                }
                Some(StopCommand::Set(port, value)) => {
                    let change =
                        ChangeValue { run: run.clone(), stop: number, port: port.as_str().into(), value };
                    let changed = (change.port.clone(), change.value.clone());
                    match self.app.call(change).await {
                        Ok(()) => {
                            stop.values.insert(changed.0, Arc::new(changed.1));
                        }
                        Err(error) => print_error(&error_text(&error)),
                    }
                    continue;
                }
                Some(StopCommand::Force(port)) => {
                    let force = ForceWay { run: run.clone(), stop: number, port: port.as_str().into() };
                    match self.app.call(force).await {
                        Ok(()) => stop = self.look_again(stop).await?,
                        Err(error) => print_error(&error_text(&error)),
                    }
                    continue;
                }
                Some(StopCommand::History(command)) => {
                    self.edit_history(&run, number, command).await?;
                    continue;
                }
                Some(StopCommand::Break(breakpoint)) => {
                    let known = &self.outline.breakpoints;
                    let next = known.iter().filter_map(|known| known.id.parse::<u32>().ok()).max();
                    let id = (next.unwrap_or(0) + 1).to_string();
                    known.iter().cloned().chain([Breakpoint { id, ..breakpoint }]).collect()
                }
                Some(StopCommand::Delete(id)) => {
                    self.outline.breakpoints.iter().filter(|known| known.id != id).cloned().collect()
                }
                Some(StopCommand::Print(_) | StopCommand::Help) => continue,
            };
            let set = SetBreakpoints { run: self.run.clone(), breakpoints };
            match self.app.call(set.clone()).await {
                Ok(()) => self.outline.breakpoints = set.breakpoints,
                Err(error) => print_error(&error_text(&error)),
            }
        }
    }

    /// Shows the history before the next turn, after editing it if the person wants that.
    async fn edit_history(&self, run: &RunId, stop: u64, command: HistoryCommand) -> Result<(), CliError> {
        let Some(context) = self.app.call(HeldHistory { run: run.clone() }).await? else {
            print_error("No history is used here. Stop before a node that calls a model in a context.\n");
            return Ok(());
        };
        let edits = match debugger::edits_of(command, &context.message_history) {
            Ok(edits) if edits.is_empty() => return debugger::print_history(&context.message_history),
            Ok(edits) => edits,
            Err(problem) => {
                print_error(&format!("{problem}\n"));
                return Ok(());
            }
        };
        if let Err(error) = self.app.call(EditHistory { run: run.clone(), stop, edits }).await {
            print_error(&error_text(&error));
            return Ok(());
        }
        match self.app.call(HeldHistory { run: run.clone() }).await? {
            Some(context) => debugger::print_history(&context.message_history),
            None => Ok(()),
        }
    }

    /// The stop with the values that it holds now.
    async fn look_again(&self, stop: StopView) -> Result<StopView, CliError> {
        let held = self.app.call(FindHeld { run: self.run.clone() }).await?;
        Ok(held.map(|held| held.stop).filter(|now| now.number == stop.number).unwrap_or(stop))
    }
}
