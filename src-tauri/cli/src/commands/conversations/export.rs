//! `plait conversations export`.

use clap::Args;
use plait_api::Connection;
use plait_api::conversations::ExportConversation;

use super::find;
use crate::exit::CliError;
use crate::text_export::ExportOptions;

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Conversation ID, a unique prefix of one, or `last`.
    conversation: String,
    #[command(flatten)]
    options: ExportOptions,
}

pub(super) async fn execute(app: &Connection, args: ExportArgs) -> Result<(), CliError> {
    let ExportArgs { conversation, options } = args;
    let conversation = find(app, &conversation).await?;
    let (format, path) = (options.format(), options.out.clone());
    let exported = app.call(ExportConversation { conversation, format, path }).await?;
    options.print(&exported.text)
}
