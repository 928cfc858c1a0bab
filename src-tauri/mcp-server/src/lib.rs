//! Plait as an MCP server: what agents may read of flows and runs, and what else the person permits them.
//!
//! Every tool is a command of the api, or a few of them. Reading is always permitted; running flows only if the person said so when the
//! server was started, and how much that may cost. Nobody gives grants, answers approvals or reads keys here.
//!
//! Texts of runs are marked as data, and replies are pages of at most 32 KB (`reply`).

mod application;
pub mod codes;
mod flow_tool;
mod http;
mod reply;
mod running;
mod server;
mod spending;
mod stdio;
mod tools;

pub use flow_tool::ServedFlow;
pub use http::HttpServer;
pub use server::{PlaitServer, ServeOptions};
pub use spending::nano_usd;
