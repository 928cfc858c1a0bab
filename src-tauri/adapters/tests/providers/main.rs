//! Each protocol against scripted servers: what is sent, exactly; what comes back, however it is cut up; and what each
//! failure is called. [`checks`] are the same for all.

#![allow(clippy::expect_used, clippy::panic)] // All of this is tests; helpers may fail them.

mod anthropic;
mod asked;
mod checks;
mod detect;
mod gemini;
mod keys;
mod ollama;
mod openai_chat;
mod openai_responses;
mod server;
