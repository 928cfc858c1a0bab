//! How a command ends: its exit status, and its error on standard error.

use plait_core::error::ErrorCode;
use std::io;
use std::process::ExitCode;

use plait_api::ErrorReply;
use plait_core::diagnostic::Diagnostic;
use plait_core::error::Fault;

use crate::terminal::{print_error, print_styled};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    Success,
    /// The run or the command failed.
    Failure,
    /// Invalid usage, or an invalid flow.
    Invalid,
    /// The run is waiting for an answer.
    Waiting,
    /// The run was canceled.
    Canceled,
}

impl ExitStatus {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Invalid => 2,
            Self::Waiting => 3,
            Self::Canceled => 130,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(ending: ExitStatus) -> Self {
        Self::from(ending.code())
    }
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum CliError {
    /// An error. Codes that mean invalid usage end with [`ExitStatus::Invalid`].
    Error(ErrorReply),
    InvalidFlow {
        /// The diagnostics with their positions, as text.
        rendered: String,
        diagnostics: Vec<Diagnostic>,
    },
    /// The reader of standard output is gone.
    BrokenPipe,
}

impl From<ErrorReply> for CliError {
    fn from(error: ErrorReply) -> Self {
        Self::Error(error)
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::BrokenPipe;
        }
        Self::Error(ErrorReply::new(
            ErrorCode::OutputFailed,
            format!("Could not write to standard output: {error}."),
        ))
    }
}

impl CliError {
    /// Prints the error to standard error and returns the exit code.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Error(error) => {
                print_error(&error_text(&error));
                if is_usage(&error.code) { ExitStatus::Invalid.into() } else { ExitStatus::Failure.into() }
            }
            Self::InvalidFlow { rendered, .. } => {
                print_styled(&rendered);
                ExitStatus::Invalid.into()
            }
            // Like a process that `SIGPIPE` ends: 128 + 13.
            Self::BrokenPipe => ExitCode::from(141),
        }
    }
}

/// An error as text, with its hint on a line of its own.
pub(crate) fn error_text(error: &ErrorReply) -> String {
    let help = error.hint.as_ref().map(|hint| format!("  help: {hint}\n")).unwrap_or_default();
    format!("error[{}]: {}\n{help}", error.code, error.message)
}

/// A fault that does not end the command as text, likewise.
pub(crate) fn warning_text(fault: &Fault) -> String {
    let help = fault.hint.as_ref().map(|hint| format!("  help: {hint}\n")).unwrap_or_default();
    format!("warning[{}]: {}\n{help}", fault.code, fault.message)
}

/// Whether a code means invalid usage, as opposed to a failure.
fn is_usage(code: &ErrorCode) -> bool {
    match code {
        ErrorCode::RunUnknown
        | ErrorCode::RunAmbiguous
        | ErrorCode::RunNone
        | ErrorCode::RunEnded
        | ErrorCode::RunNotRetryable
        | ErrorCode::RunBadId
        | ErrorCode::RunUnknownTarget
        | ErrorCode::ConversationUnknown
        | ErrorCode::ConversationAmbiguous
        | ErrorCode::ConversationNone
        | ErrorCode::ConversationNoContext
        | ErrorCode::ConversationNoMessage
        | ErrorCode::ConversationNoTitle
        | ErrorCode::ConversationBusy
        | ErrorCode::ConversationOtherUser
        | ErrorCode::MemoryAmbiguous
        | ErrorCode::MemoryEmpty
        | ErrorCode::MemoryHasSteps
        | ErrorCode::MemoryTooLong
        | ErrorCode::MemoryUnknown
        | ErrorCode::NodesUnknown
        | ErrorCode::NodeUnknown
        | ErrorCode::SettingsBadValue
        | ErrorCode::SettingsUnknownKey
        | ErrorCode::SettingsWrongLayer
        | ErrorCode::AttachmentNoTaker
        | ErrorCode::AttachmentUnreadable
        | ErrorCode::UsageInput
        | ErrorCode::ProviderUnknown
        | ErrorCode::ProviderNoKey
        | ErrorCode::ProviderBadSettings
        | ErrorCode::ProviderBuiltIn
        | ErrorCode::ProviderExists
        | ErrorCode::ProviderUnknownPreset
        | ErrorCode::KeysBadKey => true,
        // The disk is at fault, not the flow.
        ErrorCode::FlowDiskFull | ErrorCode::FlowUnwritable => false,
        code => matches!(code.domain(), "flow" | "answer" | "grant" | "user"),
    }
}

#[cfg(test)]
mod tests;
