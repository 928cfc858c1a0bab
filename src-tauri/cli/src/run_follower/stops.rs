//! Stops of the debugger: what the person says at one.

use plait_api::ConnectionWatch;
use plait_api::runs::{ContinueAll, HeldRun};
use plait_journal::view::RunOutline;

use super::{Next, RunFollower};
use crate::codes;
use crate::debugger;
use crate::exit::{CliError, error_text};
use crate::stop_actions::{AtStop, Outcome};
use crate::terminal::print_error;

impl RunFollower<'_> {
    /// Goes on from the stops that the run was left at, once, where nobody can be asked.
    pub(crate) fn leave_stops(mut self) -> Self {
        self.leaves_stops = !self.interactive && !self.outline.stops.is_empty();
        self
    }

    /// Does at a stop what the person says, until the run goes on: by this or by somebody else. `others` is how many other stops there are.
    pub(super) async fn debug(
        &mut self,
        held: HeldRun,
        others: usize,
        watch: &mut ConnectionWatch,
    ) -> Result<Next, CliError> {
        if std::mem::take(&mut self.leaves_stops) {
            self.app.call(ContinueAll { run: self.run.clone() }).await?;
            return Ok(Next::Continue);
        }
        if !self.interactive {
            return Ok(Next::Stop);
        }
        self.progress.pause();
        let numbers = |outline: &RunOutline| outline.stops.iter().map(|stop| stop.number).collect::<Vec<_>>();
        let known = numbers(&self.outline);
        let is_there = |outline: &RunOutline| !known.is_empty() && numbers(outline) == known;
        debugger::print_stop(&held)?;
        if others > 0 {
            print_error(&format!("  {others} more: `stops` lists them, `at N` goes to one.\n"));
        }
        let mut at = AtStop::new(self.app, self.run.clone(), held);
        loop {
            let command = tokio::select! {
                command = debugger::ask() => command?,
                is_interrupted = self.prompt_ends(watch, is_there, debugger::print_marker) => {
                    print_error("\n");
                    if is_interrupted? {
                        self.cancel().await?;
                    }
                    return Ok(Next::Continue);
                }
            };
            let Some(command) = command else { return Ok(Next::Stop) };
            match at.perform(command).await {
                Ok(Outcome::StaysThere) => {}
                Ok(Outcome::GoesOn) => return Ok(Next::Continue),
                Ok(Outcome::Leaves) => return Ok(Next::Stop),
                Err(CliError::Error(error)) => {
                    print_error(&error_text(&error));
                    // Somebody else was faster.
                    if error.code == codes::DEBUG_MOVED_ON {
                        return Ok(Next::Continue);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }
}
