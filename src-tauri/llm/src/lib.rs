//! Talking to language models: messages and contexts, what a prompt is made of, models with their prices and windows, and what a model
//! is given to call.
//!
//! Owns the histories that models read ([`context`], [`loop_history`], [`memory`], [`transcript`]), the record of each prompt
//! ([`prompt_record`]), the traits of what answers ([`provider`], [`tool`], [`retriever`], [`long_term_memory`]), and the limits
//! of calls ([`quota`], [`grant`]). Refuses to know runs, events and node types, and to touch the outside: no HTTP, files,
//! database, system clock or randomness.

pub mod codes;
pub mod context;
pub mod grant;
pub mod http_tool;
pub mod long_term_memory;
pub mod loop_history;
pub mod memory;
pub mod models;
pub mod needs;
pub mod prompt_record;
pub mod provider;
pub mod quota;
pub mod retriever;
pub mod stream_pace;
pub mod tokens;
pub mod tool;
pub mod transcript;
