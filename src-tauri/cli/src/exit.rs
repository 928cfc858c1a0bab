//! How a command ends: its exit status, and its error on standard error.

use std::fmt::Write as _;
use std::io;
use std::process::ExitCode;

use plait_api::ErrorReply;
use plait_core::diagnostic::Diagnostic;
use plait_core::error::{Cause, ErrorCode, Fault};
use serde_json::Value;

use crate::codes;
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
    /// A debugger holds the run.
    Stopped,
    /// The run was canceled.
    Canceled,
    /// A recorded program ended with this code.
    Program(u8),
}

impl ExitStatus {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Invalid => 2,
            Self::Waiting => 3,
            Self::Stopped => 4,
            Self::Canceled => 130,
            Self::Program(code) => code,
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

impl From<Fault> for CliError {
    fn from(fault: Fault) -> Self {
        Self::Error(fault.into())
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::BrokenPipe;
        }
        Self::Error(ErrorReply::new(
            codes::OUTPUT_FAILED,
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

/// An error as text, with each of its findings and causes and its hint on a line of its own. A finding that its message says, with the
/// place in the file, is not repeated.
pub(crate) fn error_text(error: &ErrorReply) -> String {
    let mut text = format!("error[{}]: {}\n", error.code, error.message);
    let findings = error.details.get("diagnostics").and_then(Value::as_array);
    for finding in findings.into_iter().flatten() {
        let part = |name: &str| finding.get(name).and_then(Value::as_str).unwrap_or_default();
        if error.code == *part("code") && error.message.contains(part("message")) {
            continue;
        }
        let _ = writeln!(text, "  {} at {}: {}", part("code"), part("pointer"), part("message"));
    }
    text + &lines_below(error.cause.as_deref(), error.hint.as_deref())
}

/// A fault that does not end the command as text, likewise.
pub(crate) fn warning_text(fault: &Fault) -> String {
    let below = lines_below(fault.cause.as_deref(), fault.hint.as_deref());
    format!("warning[{}]: {}\n{below}", fault.code, fault.message)
}

fn lines_below(cause: Option<&Cause>, hint: Option<&str>) -> String {
    let mut lines = String::new();
    for cause in cause.iter().flat_map(|cause| cause.chain()) {
        let code = cause.code.as_ref().map(|code| format!(" [{code}]")).unwrap_or_default();
        let _ = writeln!(lines, "  caused by: {}{code}", cause.message);
    }
    if let Some(hint) = hint {
        let _ = writeln!(lines, "  help: {hint}");
    }
    lines
}

/// The codes that mean invalid usage, beside those of whole domains.
const USAGE: &[ErrorCode] = &[
    codes::RUN_UNKNOWN,
    codes::RUN_AMBIGUOUS,
    codes::RUN_NONE,
    codes::RUN_ENDED,
    codes::RUN_NOT_RETRYABLE,
    codes::RUN_NOT_CONFIRMED,
    codes::RUN_IS_CHILD,
    codes::RUN_BAD_ID,
    codes::RUN_UNKNOWN_TARGET,
    codes::RUN_UNKNOWN_TRIGGER,
    codes::CONVERSATION_UNKNOWN,
    codes::CONVERSATION_AMBIGUOUS,
    codes::CONVERSATION_NONE,
    codes::CONVERSATION_NO_CONTEXT,
    codes::CONVERSATION_NO_MESSAGE,
    codes::CONVERSATION_NO_TITLE,
    codes::CONVERSATION_BUSY,
    codes::CONVERSATION_OTHER_USER,
    codes::MEMORY_AMBIGUOUS,
    codes::MEMORY_EMPTY,
    codes::MEMORY_HAS_STEPS,
    codes::MEMORY_TOO_LONG,
    codes::MEMORY_UNKNOWN,
    codes::NODES_UNKNOWN,
    codes::NODE_UNKNOWN,
    codes::SETTINGS_BAD_VALUE,
    codes::SETTINGS_UNKNOWN_KEY,
    codes::SETTINGS_WRONG_LAYER,
    codes::ATTACHMENT_NO_TAKER,
    codes::ATTACHMENT_UNREADABLE,
    codes::DEBUG_BAD_BREAKPOINT,
    codes::DEBUG_UNKNOWN_NODE,
    codes::USAGE_HOST,
    codes::USAGE_INPUT,
    codes::HOSTS_BAD_ADDRESS,
    codes::HOSTS_BAD_NAME,
    codes::HOSTS_NO_TOKEN,
    codes::HOSTS_UNKNOWN,
    codes::DIFF_ARGUMENTS,
    codes::PROVIDER_UNKNOWN,
    codes::PROVIDER_NO_KEY,
    codes::PROVIDER_BAD_SETTINGS,
    codes::PROVIDER_BUILT_IN,
    codes::PROVIDER_EXISTS,
    codes::PROVIDER_UNKNOWN_PRESET,
    codes::KEYS_BAD_KEY,
];

/// Codes of those domains that mean a failure: the disk is at fault, not the flow.
const FAILURES: &[ErrorCode] = &[codes::FLOW_DISK_FULL, codes::FLOW_UNWRITABLE, codes::SUITE_NOT_WRITTEN];

/// Whether a code means invalid usage, as opposed to a failure.
fn is_usage(code: &ErrorCode) -> bool {
    let is_of_domain = matches!(code.domain(), "flow" | "answer" | "grant" | "suite" | "user");
    USAGE.contains(code) || is_of_domain && !FAILURES.contains(code)
}

#[cfg(test)]
mod tests;
