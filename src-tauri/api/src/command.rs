//! What a command is.

use serde::Serialize;
use serde::de::DeserializeOwned;
use ts_rs::TS;

use crate::ErrorReply;

/// One thing that the window or the terminal can ask for. The struct is its arguments.
///
/// A command is declared once, beside its domain, and listed once, in the table of `commands.rs`.
pub trait Command: Serialize + DeserializeOwned + TS + Send + 'static {
    /// Its name on the wire, `domain.verb`.
    const NAME: &'static str;
    /// The part of the application it works with.
    type Service: ?Sized + Sync;
    /// Whether it may be executed again if the process that executes it ends meanwhile: it goes on with what was done, or only reads.
    const IS_REPEATABLE: bool = false;
    /// Its result.
    type Reply: Serialize + DeserializeOwned + TS + Send + 'static;

    /// Executes it.
    fn run(self, service: &Self::Service) -> impl Future<Output = Result<Self::Reply, ErrorReply>> + Send;
}

pub trait CommandVisitor {
    /// Called once for each command, in the order of the table.
    fn visit<C: Command>(&mut self);
}
