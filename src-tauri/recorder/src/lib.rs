//! Programs that Plait did not run, recorded.
//!
//! [`endpoint`] is what a program calls in place of its model servers: it forwards, or answers from what was recorded, and writes each
//! [`exchange`] to a log as it happens. [`observed`] reads exchanges, and [`otlp`] reads traces, as calls of models. [`conversation`]
//! finds which calls belong together, [`draft`] makes a flow of them, and [`play`] has the driver run that flow with what was observed,
//! so that the journal is that of a run like any other.
//!
//! Refuses to know the store: it gets logs and returns flows and entries.

pub mod codes;
pub mod conversation;
pub mod draft;
pub mod endpoint;
pub mod exchange;
pub mod observed;
pub mod otlp;
pub mod play;
pub mod replay;
mod response_secrets;
pub mod upstream;
