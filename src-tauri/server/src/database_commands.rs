//! What a host does with each command about runs and conversations if what it names is in a database. The one table of it; a test compares
//! it with the commands of the api.

/// What a command about something in the database leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The worker that has the run executes it, or the next one that takes it.
    ByWorker,
    /// It only reads: a copy answers.
    FromCopy,
    /// The host does it in the database.
    ByHost,
    /// It needs the files of one machine.
    Refused,
}

use Way::{ByHost, ByWorker, FromCopy, Refused};

const COMMANDS: &[(&str, Way)] = &[
    ("run.answer", ByWorker),
    ("run.end", ByWorker),
    ("run.pin", ByWorker),
    ("run.cancel", ByWorker),
    ("run.resume", ByWorker),
    ("run.stop", ByWorker),
    ("run.go", ByWorker),
    ("run.continueAll", ByWorker),
    ("run.setBreakpoints", ByWorker),
    ("run.putBreakpoint", ByWorker),
    ("run.dropBreakpoint", ByWorker),
    ("run.changeValue", ByWorker),
    ("run.editHistory", ByWorker),
    ("run.forceWay", ByWorker),
    ("run.tryConfig", ByWorker),
    ("run.dropTrials", ByWorker),
    ("run.held", FromCopy),
    ("run.heldHistory", FromCopy),
    ("run.nodeConfig", FromCopy),
    // It writes the file of the flow, and reads the run.
    ("run.acceptTrials", FromCopy),
    ("runs.show", FromCopy),
    ("lens.list", FromCopy),
    ("lens.show", FromCopy),
    ("lens.trace", FromCopy),
    ("lens.search", FromCopy),
    ("lens.compare", FromCopy),
    ("lens.matrix", FromCopy),
    ("lens.turns", FromCopy),
    ("lens.lineage", FromCopy),
    ("lens.evaluate", FromCopy),
    ("lens.request", FromCopy),
    ("conversations.get", FromCopy),
    ("conversations.messages", FromCopy),
    ("conversations.export", FromCopy),
    ("runs.list", ByHost),
    ("runs.resolve", ByHost),
    ("runs.remove", ByHost),
    ("runs.forgetReplies", ByHost),
    ("conversations.open", ByHost),
    ("conversations.list", ByHost),
    ("conversations.resolve", ByHost),
    ("conversations.delete", ByHost),
    ("conversations.rename", ByHost),
    ("conversations.fork", ByHost),
    ("run.start", Refused),
    ("run.rerun", Refused),
    ("run.bill", Refused),
    ("run.beginInquiry", Refused),
    ("run.continueInquiry", Refused),
    ("run.retry", Refused),
    ("run.checkWaiting", Refused),
    ("run.move", Refused),
    ("runs.find", Refused),
    ("lens.export", Refused),
    ("conversations.keep", Refused),
];

impl Way {
    /// What a command that names something in the database leads to.
    pub(crate) fn of(command: &str) -> Self {
        COMMANDS.iter().find(|(name, _)| *name == command).map_or(Refused, |(_, way)| *way)
    }
}

#[cfg(test)]
mod tests;
