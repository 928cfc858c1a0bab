//! Stops of the debugger: what the person says at one.

use plait_api::ConnectionWatch;
use plait_api::runs::{GoOn, HeldRun};
use plait_journal::DebugVerb;
use plait_journal::view::RunOutline;

use super::{Next, RunFollower};
use crate::codes;
use crate::debugger;
use crate::exit::{CliError, error_text};
use crate::stop_actions::{AtStop, Outcome};
use crate::terminal::print_error;

impl RunFollower<'_> {
    /// Goes on from the stop that the run was left at, once, where nobody can be asked.
    pub(crate) fn leave_stop(mut self) -> Self {
        self.leaves_stop = !self.interactive && self.outline.stop.is_some();
        self
    }

    /// Does at a stop what the person says, until the run goes on: by this or by somebody else.
    pub(super) async fn debug(
        &mut self,
        held: HeldRun,
        watch: &mut ConnectionWatch,
    ) -> Result<Next, CliError> {
        if std::mem::take(&mut self.leaves_stop) {
            let (run, stop) = (held.run, held.stop.number);
            self.app.call(GoOn { run, verb: DebugVerb::Continue, stop }).await?;
            return Ok(Next::Continue);
        }
        if !self.interactive {
            return Ok(Next::Stop);
        }
        self.progress.pause();
        let number = self.outline.stop.as_ref().map(|stop| stop.number);
        let is_there = |outline: &RunOutline| {
            number.is_some() && outline.stop.as_ref().map(|stop| stop.number) == number
        };
        let mut at = AtStop::new(self.app, self.run.clone(), held);
        let mut is_new = true;
        loop {
            let command = tokio::select! {
                command = debugger::ask(&at.held.run, &at.held.stop, is_new) => command?,
                is_interrupted = self.prompt_ends(watch, is_there, debugger::print_marker) => {
                    print_error("\n");
                    if is_interrupted? {
                        self.cancel().await?;
                    }
                    return Ok(Next::Continue);
                }
            };
            is_new = false;
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
