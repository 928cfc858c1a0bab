//! `mcp.*`: the MCP servers of the person. Only `mcp.connect`, `mcp.acceptTools` and `mcp.readResource` start one.

mod add;
mod control;
mod list;
mod tools;

pub use add::{AddMcpServers, RemoveMcpServer};
pub use control::{DisconnectMcpServer, GetMcpLog};
pub use list::ListMcpServers;
pub use tools::{AcceptMcpTools, ConnectMcpServer, ReadMcpResource};
