//! `plait memory export`.

use clap::Args;
use plait_api::Connection;
use plait_api::memories::ExportMemories;

use crate::exit::CliError;
use crate::terminal::print_error;
use crate::text_export::ExportOptions;

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    options: ExportOptions,
}

pub(super) async fn execute(app: &Connection, ExportArgs { options }: ExportArgs) -> Result<(), CliError> {
    let (format, path) = (options.format(), options.out.clone());
    let exported = app.call(ExportMemories { user: None, format, path }).await?;
    if let Some(path) = &options.out {
        print_error(&format!("Wrote {} memories to {path}.\n", exported.count));
    }
    options.print(&exported.text)
}
