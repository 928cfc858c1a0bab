//! The host through its binary and HTTP, with a scripted model server.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

mod access;
#[cfg(unix)]
mod callbacks;
mod chat;
#[cfg(unix)]
mod cluster;
#[cfg(unix)]
mod database_board;
#[cfg(unix)]
mod database_controls;
#[cfg(unix)]
mod database_conversations;
#[cfg(unix)]
mod database_events;
#[cfg(unix)]
mod database_retention;
#[cfg(unix)]
mod database_tenants;
#[cfg(unix)]
mod database_traces;
#[cfg(target_os = "linux")]
mod disruptions;
mod hooks;
#[cfg(unix)]
mod identities;
mod limits;
#[cfg(unix)]
mod operations;
mod process;
#[cfg(unix)]
mod restate;
#[cfg(unix)]
mod restate_server;
mod runs;
#[cfg(unix)]
mod schedules;
#[cfg(unix)]
mod shared_replies;
mod subflows;
#[cfg(unix)]
mod survival;
mod tenant_routes;
mod tenants;
mod terminal;
mod tls;
#[cfg(target_os = "linux")]
mod upgrade;
mod window;
#[cfg(unix)]
mod workers;

#[cfg(unix)]
#[path = "../../../../tests/support/collector.rs"]
#[allow(dead_code, reason = "the scenarios use the other part of it")]
mod collector;

#[cfg(unix)]
#[path = "../../../../tests/support/postgres.rs"]
#[allow(dead_code, reason = "other tests use the other part of it")]
mod postgres;

#[path = "../../../../tests/support/server.rs"]
#[allow(dead_code, reason = "the scenarios use the other part of it")]
mod server;
