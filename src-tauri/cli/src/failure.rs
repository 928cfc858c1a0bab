//! How a command ends: its exit code, and what is said on standard error when it did not end well.

use std::io;
use std::process::ExitCode;

use plait_api::ErrorReply;
use plait_api::engine::diagnostic::Diagnostic;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// All went well.
    Finished,
    /// The run failed, or a command could not be carried out.
    Failed,
    /// Bad usage, or a flow that can't run.
    Invalid,
    /// The run waits for a person.
    Waiting,
    /// The run was cancelled.
    Cancelled,
}

impl Ending {
    /// The process's exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Finished => 0,
            Self::Failed => 1,
            Self::Invalid => 2,
            Self::Waiting => 3,
            Self::Cancelled => 130,
        }
    }
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(ending.code())
    }
}

/// Why a command could not go on.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something to say; the codes that are a matter of usage end with [`Ending::Invalid`].
    Error(ErrorReply),
    /// A flow that is not valid.
    InvalidFlow {
        /// The findings with their places, drawn for people.
        drawn: String,
        /// The same for programs.
        found: Vec<Diagnostic>,
    },
    /// Nobody reads standard output any more.
    BrokenPipe,
}

impl From<ErrorReply> for Failure {
    fn from(error: ErrorReply) -> Self {
        Self::Error(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::BrokenPipe;
        }
        Self::Error(ErrorReply::new(
            "output.failed",
            format!("Standard output could not be written: {error}."),
        ))
    }
}

impl Failure {
    /// Says it on standard error and gives the exit code.
    pub(crate) fn tell(self) -> ExitCode {
        match self {
            Self::Error(error) => {
                say(&error_text(&error));
                if is_usage(&error.code) { Ending::Invalid.into() } else { Ending::Failed.into() }
            }
            Self::InvalidFlow { drawn, .. } => {
                say(&drawn);
                Ending::Invalid.into()
            }
            // As a process that `SIGPIPE` ends: 128 + 13.
            Self::BrokenPipe => ExitCode::from(141),
        }
    }
}

/// An error in two or three lines.
pub(crate) fn error_text(error: &ErrorReply) -> String {
    let help = error.hint.as_ref().map(|hint| format!("  help: {hint}\n")).unwrap_or_default();
    format!("error[{}]: {}\n{help}", error.code, error.message)
}

/// Writes to standard error; when nobody reads it there is no one left to tell.
pub(crate) fn say(text: &str) {
    use std::io::Write as _;
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether the caller asked for something that makes no sense, rather than something going wrong.
fn is_usage(code: &str) -> bool {
    const USAGE: [&str; 18] = [
        "run.unknown",
        "run.ambiguous",
        "run.none",
        "run.ended",
        "run.bad_id",
        "run.unknown_target",
        "conversation.unknown",
        "conversation.ambiguous",
        "conversation.none",
        "conversation.no_context",
        "conversation.no_message",
        "conversation.no_title",
        "conversation.busy",
        "nodes.unknown",
        "usage.input",
        "provider.unknown",
        "provider.no_key",
        "keys.bad_key",
    ];
    // Everything that is wrong with a flow file, but for the disk it is on.
    let flow = code.starts_with("flow.") && !matches!(code, "flow.disk_full" | "flow.unwritable");
    flow || USAGE.contains(&code) || code.starts_with("answer.")
}

#[cfg(test)]
mod tests;
