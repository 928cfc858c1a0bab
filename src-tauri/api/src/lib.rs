//! Every command of Plait, declared once with its body, for the window and for the terminal.
//!
//! Owns the application: the store, the providers, the runs that are going on, and who watches them. Refuses to know who
//! is asking: no window, no terminal, no arguments parsed from a command line.

mod app;
pub mod command;
mod commands;
pub mod conversations;
mod data_dir;
pub mod dialogs;
mod error_reply;
pub mod flows;
mod nodes;
mod plait;
pub mod providers;
pub mod runs;
pub mod settings;
pub mod tokens;
pub mod usage;

pub use commands::{dispatch, each_command};
pub use data_dir::home;
pub use dialogs::Dialogs;
pub use error_reply::ErrorReply;
pub use flows::examples;
pub use plait::{Options, Plait};
pub use runs::Watch;

/// Flow files on disk.
pub use plait_adapters::files;
/// Where the keys of providers are.
pub use plait_adapters::keys;
/// The engine, for those who show what it says.
pub use plait_engine as engine;

use plait_adapters::Store;
use plait_engine::flow::{self, Flow};

/// Runs blocking work off the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ErrorReply> + Send + 'static,
) -> Result<T, ErrorReply> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(ErrorReply::new("app.internal", format!("A piece of work ended early: {error}."))
            .hint("This is a bug in Plait; nothing was lost. Please report it."))
    })
}

/// The text of a flow's file.
pub(crate) fn flow_text(flow: &Flow) -> Result<String, ErrorReply> {
    flow::write(flow).map_err(|error| {
        ErrorReply::new("flow.unwritable", format!("The flow could not be written: {error}."))
    })
}

/// A flow as it ran, by its hash.
pub(crate) fn flow_of(store: &Store, hash: &str) -> Result<Flow, ErrorReply> {
    let text = store.flow(hash)?;
    flow::read(&text).map_err(|error| {
        ErrorReply::new(&error.diagnostic.code, format!("The flow as it ran: {}", error.diagnostic.message))
    })
}
