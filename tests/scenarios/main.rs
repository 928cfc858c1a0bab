//! Scenarios: complete flows with the real engine, store and binary, without a window.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

mod agents;
mod app_state;
mod attach;
mod attachments;
mod bad_files;
mod bounded_expressions;
mod canary;
mod causes;
#[cfg(target_os = "linux")]
mod certificates;
mod commands;
mod config;
mod context_operations;
mod contexts;
mod conversation;
mod conversations;
mod crash;
mod datasets;
mod debugger;
mod diff;
mod editors;
mod find_runs;
mod flow_files;
mod flow_tests;
mod forecast;
mod fork;
mod grants;
#[cfg(target_os = "linux")]
mod history_settings;
mod hostile_flow;
mod http_tools;
mod imports;
mod keys;
mod knowledge;
mod lens;
mod lineage;
mod long_term_memory;
mod loop_crashes;
mod loop_examples;
mod loop_pins;
mod loops;
mod mcp_questions;
mod mcp_server;
mod mcp_servers;
mod memory;
mod model_servers;
mod order;
mod parallel_turns;
mod pins;
mod pipelines;
mod process_failures;
mod project_files;
mod prompt_vectors;
mod providers;
mod proxies;
mod quotas;
mod recorded_journals;
mod recorded_programs;
mod recordings;
mod replies_of_other_runs;
mod rerun;
mod retry;
mod run_limits;
mod settings;
mod subflows;
mod telemetry;
mod trace;
mod untrusted_arguments;
mod usage;
mod users;
mod waiting_runs;
mod watching;
mod world;

#[path = "../support/support.rs"]
mod support;
