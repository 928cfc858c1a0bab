//! `plait tokens`: how much of a model's window a text takes.

use std::fs;
use std::io::{self, Read as _, Write as _};

use plait_api::ErrorReply;
use plait_api::tokens::TokenCount;

use crate::args::TokensArgs;
use crate::failure::{Ending, Failure};

pub(crate) fn tokens(args: &TokensArgs) -> Result<Ending, Failure> {
    let (bytes, name) = match &args.file {
        Some(path) => (fs::read(path), path.display().to_string()),
        None => (read_input(), "standard input".to_owned()),
    };
    let unreadable = |error: &dyn std::fmt::Display| {
        Failure::from(ErrorReply::new("usage.input", format!("{name} can't be read: {error}.")))
    };
    let text = String::from_utf8(bytes.map_err(|error| unreadable(&error))?)
        .map_err(|error| unreadable(&format!("it is not text in UTF-8 ({})", error.utf8_error())))?;
    let TokenCount { tokens, window } = TokenCount::count(&args.model, &text);
    let mut out = io::stdout();
    if args.json {
        let counted = serde_json::json!({ "model": args.model, "tokens": tokens, "window": window });
        writeln!(out, "{counted}")?;
    } else {
        #[expect(clippy::cast_precision_loss, reason = "a share of a window, shown with one decimal")]
        let share = tokens as f64 * 100.0 / window.max(1) as f64;
        writeln!(out, "{tokens} tokens, {share:.1} % of the {window} of {}", args.model)?;
    }
    Ok(Ending::Finished)
}

fn read_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}
