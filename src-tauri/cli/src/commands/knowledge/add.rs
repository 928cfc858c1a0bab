//! `plait knowledge add`.

use std::path::{Path, PathBuf};

use clap::Args;
use plait_api::knowledge::AddKnowledge;
use plait_api::knowledge::base::EmbeddingModel;
use plait_api::{Connection, ErrorReply};

use super::index;
use crate::codes;
use crate::exit::{CliError, ExitStatus};

#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// The name by which flows refer to it.
    name: String,
    /// Folders and files: Markdown, text, HTML, PDF, code.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The provider and model that embed the passages. Their text is sent to the provider.
    #[arg(long, value_name = "PROVIDER/MODEL", value_parser = parse_model)]
    embeddings: Option<EmbeddingModel>,
}

pub(super) async fn execute(app: &Connection, args: AddArgs) -> Result<ExitStatus, CliError> {
    let AddArgs { name, paths, embeddings } = args;
    let paths = if app.host_name().is_some() {
        // A host has its own files: paths are relative to its folder with the flows.
        paths.iter().map(|path| path.display().to_string()).collect()
    } else {
        paths.iter().map(|path| to_absolute(path)).collect::<Result<_, _>>()?
    };
    let added = app.call(AddKnowledge { name, paths, embeddings }).await?;
    index::run(app, added.definition.name, false).await
}

fn to_absolute(path: &Path) -> Result<String, ErrorReply> {
    let absolute = path.canonicalize().map_err(|error| {
        let message = format!("`{}` cannot be opened: {error}.", path.display());
        ErrorReply::new(codes::KNOWLEDGE_NO_FOLDER, message).hint("Check that it exists and may be read.")
    })?;
    Ok(absolute.display().to_string())
}

fn parse_model(text: &str) -> Result<EmbeddingModel, String> {
    match text.split_once('/') {
        Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
            Ok(EmbeddingModel { provider: provider.to_owned(), model: model.to_owned() })
        }
        _ => Err("write it as PROVIDER/MODEL, for example openai/text-embedding-3-small".to_owned()),
    }
}
