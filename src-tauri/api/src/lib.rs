//! Every command of Plait, declared once with its body, for the window and for the terminal.
//!
//! Owns the application: the store, the providers, the runs that are going on, and who watches them. Refuses to know who
//! is asking: no window, no terminal, no arguments parsed from a command line.

pub mod answer;
mod called;
mod children;
pub mod command;
pub mod commands;
mod dialogs;
pub mod examples;
mod home;
mod hub;
mod live;
mod plait;
mod reply;
mod runner;
mod runs;
pub mod schema;
mod token_calibration;
pub mod tree;
mod watch;

pub use commands::{dispatch, each_command};
pub use dialogs::Dialogs;
pub use home::home;
pub use plait::{Options, Plait};
pub use reply::ErrorReply;
pub use watch::Watch;

/// Flow files on disk.
pub use plait_adapters::files;
/// Where the keys of providers are.
pub use plait_adapters::keys;
/// Model servers that were found, and the settings of providers.
pub use plait_adapters::providers;
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
