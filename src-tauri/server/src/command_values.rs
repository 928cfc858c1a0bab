//! Arguments and replies of the commands that only hosts have.

use plait_api::ErrorReply;
use plait_api::hosts::HostCommand;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codes;

/// The arguments of a command. `command.arguments`.
pub(crate) fn arguments<C: HostCommand + for<'de> Deserialize<'de>>(args: Value) -> Result<C, ErrorReply> {
    serde_json::from_value(args).map_err(|error| {
        let message = format!("Invalid arguments for `{}`: {error}.", C::NAME);
        ErrorReply::new(codes::COMMAND_ARGUMENTS, message)
    })
}

pub(crate) fn reply(value: impl Serialize) -> Result<Value, ErrorReply> {
    serde_json::to_value(value).map_err(|error| {
        ErrorReply::new(codes::COMMAND_REPLY, format!("The reply could not be serialized: {error}."))
    })
}

pub(crate) fn unknown_command(name: &str) -> ErrorReply {
    ErrorReply::new(codes::COMMAND_UNKNOWN, format!("There is no command `{name}`."))
}
