//! Every command of Plait, declared once with its body, for the window and for the terminal.
//!
//! One module for each domain: its service, which owns the state, and its commands. A domain imports other domains in one
//! direction only, and none imports the application: `plait` wires them together, and `commands` lists the commands. Knows
//! nothing of its callers: no window, no terminal, no command line.

mod app;
pub mod attachments;
mod blocking;
pub mod codes;
pub mod command;
mod commands;
pub mod config;
mod connection;
pub mod conversations;
mod data_dir;
pub mod dialogs;
pub mod doctor;
mod error_reply;
pub mod flows;
pub mod grants;
mod host_window;
pub mod hosts;
mod images;
pub mod knowledge;
pub mod lens;
pub mod mcp;
pub mod memories;
pub mod nodes;
mod plait;
pub mod proposals;
pub mod providers;
mod recordings;
mod regular_file;
mod run_config;
pub mod runs;
pub mod settings;
pub mod suites;
mod text_export;
pub mod tokens;
pub mod tools;
pub mod usage;
pub mod users;
mod window_json;
mod worker;

pub use commands::{dispatch, visit_commands};
pub use connection::{Connection, ConnectionWatch, Opening, Serving};
pub use data_dir::data_dir;
pub use dialogs::Dialogs;
pub use error_reply::ErrorReply;
pub use flows::examples;
pub use host_window::{RunChanges, WindowWatch, dispatch_in_window, run_changes_in_window, watch_in_window};
pub use plait::{Options, Parts, Plait};
pub use recordings::check_recording;
pub use runs::Watch;
pub use text_export::ExportFormat;
pub use window_json::{from_window_json, to_window_json};
pub use worker::serve_if_worker;

/// A secret that tools may send.
pub use plait_adapters::ToolSecret;
/// Where the keys of providers are stored.
pub use plait_adapters::keys;
/// A host that the person allows.
pub use plait_adapters::net::AllowedHost;
/// Tokens of identity providers.
pub use plait_adapters::openid;
/// Regular expressions of the person for secrets.
pub use plait_adapters::redaction::{RedactionPattern, RedactionSettings};
/// Where spans are sent.
pub use plait_adapters::telemetry::TelemetrySettings;
/// What MCP servers are and offer.
pub use plait_adapters::tools::mcp as mcp_servers;
/// Removes secrets from texts.
pub use plait_adapters::{Redaction, ToolEnvironment, confine_projects};
/// Flow files on disk.
pub use plait_store::flow_files;
