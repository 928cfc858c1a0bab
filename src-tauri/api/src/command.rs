//! What a command is, and the one table from which dispatch and the TypeScript bindings are made.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use ts_rs::TS;

use crate::Plait;
use crate::error_reply::ErrorReply;

/// One thing the window or the terminal can ask for. The struct is its arguments.
pub trait Command: Serialize + DeserializeOwned + TS + Send + 'static {
    /// Its name on the wire, `domain.verb`.
    const NAME: &'static str;
    /// What it answers.
    type Reply: Serialize + DeserializeOwned + TS + Send + 'static;

    /// Carries it out.
    fn run(self, app: &Plait) -> impl Future<Output = Result<Self::Reply, ErrorReply>> + Send;
}

/// Sees the type of each command.
pub trait CommandVisitor {
    /// Called once a command, in the order of the table.
    fn visit<C: Command>(&mut self);
}

/// Reads the arguments, carries the command out, and writes the reply.
pub(crate) async fn carry_out<C: Command>(app: &Plait, args: Value) -> Result<Value, ErrorReply> {
    // A command without arguments may be called with none.
    let args = if args.is_null() { Value::Object(serde_json::Map::new()) } else { args };
    let command: C = serde_json::from_value(args).map_err(|error| {
        ErrorReply::new("command.arguments", format!("The arguments of `{}` are wrong: {error}.", C::NAME))
    })?;
    let reply = command.run(app).await?;
    serde_json::to_value(reply).map_err(|error| {
        ErrorReply::new("command.reply", format!("The reply of `{}` could not be written: {error}.", C::NAME))
    })
}

/// The table: makes [`dispatch`](crate::dispatch) and [`each_command`](crate::each_command).
macro_rules! commands {
    ($($command:ty),* $(,)?) => {
        /// Carries out the command of that name. `command.unknown` when there is none, `command.arguments` when the
        /// arguments are not of its shape; else what the command itself answers.
        pub async fn dispatch(app: &$crate::Plait, name: &str, args: serde_json::Value)
            -> Result<serde_json::Value, $crate::ErrorReply>
        {
            use $crate::command::Command;
            match name {
                $(<$command>::NAME => $crate::command::carry_out::<$command>(app, args).await,)*
                _ => Err($crate::ErrorReply::new(
                    "command.unknown",
                    format!("There is no command `{name}`."),
                )),
            }
        }

        /// Shows each command's type to the visitor.
        pub fn each_command(visitor: &mut impl $crate::command::CommandVisitor) {
            $(visitor.visit::<$command>();)*
        }
    };
}
pub(crate) use commands;
