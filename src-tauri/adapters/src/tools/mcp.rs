//! MCP servers of the person, over standard input and output or streamable HTTP, with the official SDK.
//!
//! | what | where |
//! |---|---|
//! | what a person enters, and the JSON of other clients | [`entry`], [`import`] |
//! | the process, its log, what it writes to its standard output | [`process`], [`log`], [`stdio_guard`] |
//! | one connection: handshake, lists, calls, questions | [`connection`], [`probed_transport`], [`handler`], [`tool_result`], [`faults`] |
//! | starting, starting again, leaving alone | [`server`] |
//! | the definitions that were accepted, and what changed | [`definitions`] |
//! | all servers, as a host of tools | [`servers`] |
//!
//! A server never starts because a flow was opened, checked or listed: it starts when a run needs it, or when the person
//! connects it. Its command is the person's, never the flow's.

mod connection;
mod definitions;
mod entry;
mod faults;
mod handler;
mod import;
mod log;
mod probed_transport;
mod process;
mod server;
mod servers;
mod status;
mod stdio_guard;
mod tool_result;

pub use definitions::{McpPin, McpTool, McpToolChange, McpToolChanges};
pub use entry::{McpEntry, McpTransport, McpValue};
pub use log::{McpLogLine, McpLogOrigin};
pub use servers::McpServers;
pub use status::{
    McpImport, McpPrompt, McpResource, McpResourceContent, McpServerDetails, McpServerPhase, McpServerStatus,
};
