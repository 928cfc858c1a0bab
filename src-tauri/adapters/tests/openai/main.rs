//! The OpenAI protocol against scripted servers: what is sent, exactly; what comes back, however it is cut up; and what
//! each failure is called.

#![allow(clippy::expect_used, clippy::panic)] // All of this is tests; helpers may fail them.

mod failure;
mod reply;
mod request;
mod server;
