//! `plait new`.

use std::path::PathBuf;

use clap::Args;
use plait_api::{ErrorReply, flow_files};
use plait_core::flow;
use plait_formats::pipeline;
use plait_formats::pipeline::Pipeline;

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::terminal::print_error;

#[derive(Debug, Args)]
#[command(after_help = "\
A name that ends in .yaml or .yml makes a pipeline: steps in YAML, with comments that explain them. Any other name makes a \
flow in JSON with the same steps. To a name without an ending, .flow.json is added, or with --loop .yaml.

Examples:
  plait new my.yaml
  plait new --loop chat.yaml
  plait new my.flow.json")]
pub(crate) struct NewArgs {
    /// The file to write. It must not exist.
    file: PathBuf,
    /// Begin with a conversation in a loop, with all keys for its history.
    #[arg(long = "loop")]
    with_loop: bool,
}

pub(crate) fn execute(args: &NewArgs) -> Result<ExitStatus, CliError> {
    let file = match args.file.extension() {
        Some(_) => args.file.clone(),
        None => args.file.with_extension(if args.with_loop { "yaml" } else { "flow.json" }),
    };
    let pipeline = pipeline::scaffold(args.with_loop);
    let text = if pipeline::is_pipeline(&file) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        pipeline.replace("FILE", &name)
    } else {
        let read = Pipeline::read(pipeline).map_err(|_| not_written("The template cannot be read."))?;
        flow::write(&read.flow).map_err(|error| not_written(&error.to_string()))?
    };
    flow_files::create(&file, &text).map_err(ErrorReply::from)?;
    print_error(&format!("Wrote {}. Run it: plait run {} --input \"…\"\n", file.display(), file.display()));
    Ok(ExitStatus::Success)
}

fn not_written(reason: &str) -> ErrorReply {
    ErrorReply::new(codes::FLOW_UNWRITABLE, format!("The file could not be written. {reason}"))
}
