//! Scenarios in the real window.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "variables control tests")]

mod conversational_loop;
mod crash_recovery;
mod debugger_walk;
mod draw_and_run;
mod editor;
mod flow_tests;
mod hosts;
mod images;
mod model_server;
mod newcomer;
mod open;
mod package;
mod providers;
mod terminal;
mod untrusted_data;
