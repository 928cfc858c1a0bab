//! Everything else that performs I/O: model providers, API keys, tools, retrieval, telemetry and the clock.
//!
//! Implements the traits that the engine declares. Decides nothing about flows: what runs when, what a prompt contains and
//! what an event means is up to the engine.

pub mod clock;
pub mod codes;
pub mod documents;
pub mod environment;
pub mod hosts;
pub mod keys;
pub mod memory;
pub mod net;
pub mod openid;
mod project_files;
pub mod providers;
pub mod redaction;
pub mod retrieval;
pub mod telemetry;
pub mod tools;
pub mod workers;

pub use clock::SystemClock;
pub use keys::KeyStore;
pub use memory::LongTermMemory;
pub use project_files::{AccessError, FileAccess, ReadableFolder, confine_projects, may_lead_to};
pub use providers::{ProviderRegistry, ProviderSettings};
pub use redaction::Redaction;
pub use tools::{
    FlowGuard, HttpTools, McpServers, NativeTools, RedactingTools, ToolEnvironment, ToolHosts, ToolSecret,
    ToolSettings,
};
