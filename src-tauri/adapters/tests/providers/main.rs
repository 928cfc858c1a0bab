//! Tests each protocol against scripted servers: exact requests, decoded replies, and error codes. [`protocol_checks`] are
//! the same for all protocols.

#![allow(clippy::expect_used, clippy::panic)] // All of this is tests; helpers may fail them.

mod anthropic;
mod detect;
mod gemini;
mod gemini_interactions;
mod keys;
mod odd_replies;
mod ollama;
mod openai_chat;
mod openai_responses;
mod protocol_checks;
mod random_schemas;
mod recorded_requests;
mod requests;
mod schema_forms;
mod server;
mod vendor_replies;
