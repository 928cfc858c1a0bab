//! The runs that were begun with each token and work: how many there may be at once.

use std::collections::HashMap;

use parking_lot::Mutex;
use plait_api::ErrorReply;
use plait_core::id::RunId;

use crate::codes;

/// By the id of a token, what it has begun.
#[derive(Default)]
pub(crate) struct TokenRuns(Mutex<HashMap<String, Begun>>);

#[derive(Default)]
struct Begun {
    /// Requests that are beginning a run.
    starts: usize,
    /// The runs that worked when they were looked at last.
    runs: Vec<RunId>,
}

/// A place for a run, until this is dropped or the run has ended.
pub(crate) struct RunPlace<'r> {
    runs: &'r TokenRuns,
    token: String,
}

impl TokenRuns {
    /// A place for another run of a token, if fewer than `most` of its runs are at work. `host.runs`.
    pub(crate) fn place(
        &self,
        token: &str,
        most: usize,
        is_working: impl Fn(&RunId) -> bool,
    ) -> Result<RunPlace<'_>, ErrorReply> {
        let mut tokens = self.0.lock();
        let begun = tokens.entry(token.to_owned()).or_default();
        begun.runs.retain(is_working);
        if begun.starts + begun.runs.len() >= most {
            let message = format!("{most} runs of this token are at work, as many as there may be at once.");
            return Err(ErrorReply::new(codes::HOST_RUNS, message)
                .hint("Send the request again when one of them has ended or waits for a person."));
        }
        begun.starts += 1;
        Ok(RunPlace { runs: self, token: token.to_owned() })
    }
}

impl RunPlace<'_> {
    /// The run was begun: it has the place while it works.
    pub(crate) fn fill(self, run: RunId) {
        if let Some(begun) = self.runs.0.lock().get_mut(&self.token) {
            begun.runs.push(run);
        }
    }
}

impl Drop for RunPlace<'_> {
    fn drop(&mut self) {
        if let Some(begun) = self.runs.0.lock().get_mut(&self.token) {
            begun.starts -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
