//! The fault for arguments that a tool cannot use.

use plait_core::error::Fault;

use crate::codes;

pub(super) fn bad_arguments(tool: &str, problems: &[String]) -> Fault {
    Fault::new(
        codes::TOOL_BAD_ARGUMENTS,
        format!("The arguments of `{tool}` are invalid: {}.", problems.join("; ")),
    )
    .hint("Call the tool again with arguments that match its schema.")
}
