//! `plait tokens`.
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

use clap::Args;
use plait_api::ErrorReply;
use plait_api::tokens::TokenCount;
use plait_core::text_file;

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plait tokens --model gpt-4o notes.md\n  git diff | plait tokens --model gpt-4o"
)]
pub(crate) struct TokensArgs {
    /// Model whose tokens to count.
    #[arg(long)]
    model: String,
    /// File to read; standard input by default.
    file: Option<PathBuf>,
    /// Print the counts as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn execute(args: &TokensArgs) -> Result<ExitStatus, CliError> {
    let (bytes, name) = match &args.file {
        Some(path) => (fs::read(path), path.display().to_string()),
        None => (read_stdin(), "standard input".to_owned()),
    };
    let unreadable = |error: &dyn std::fmt::Display| {
        CliError::from(ErrorReply::new(codes::USAGE_INPUT, format!("Could not read {name}: {error}.")))
    };
    let bytes = bytes.map_err(|error| unreadable(&error))?;
    let text = text_file::decode(&bytes).ok_or_else(|| unreadable(&"it is no text"))?.text;
    let TokenCount { tokens, window } = TokenCount::count(&args.model, &text);
    let mut out = stdout();
    if args.json {
        let counts = serde_json::json!({ "model": args.model, "tokens": tokens, "window": window });
        writeln!(out, "{counts}")?;
    } else {
        #[expect(clippy::cast_precision_loss, reason = "a percentage, shown with one decimal")]
        let percent = tokens as f64 * 100.0 / window.max(1) as f64;
        writeln!(out, "{tokens} tokens, {percent:.1}% of the {window} token window of {}", args.model)?;
    }
    Ok(ExitStatus::Success)
}

fn read_stdin() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}
