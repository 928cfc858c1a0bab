//! A request as a curl command for a POSIX shell.

use plait_llm::provider::{HttpRequest, KeyPlaceholder};

/// The command. The key is left out: its header names the environment variable that holds it.
pub(super) fn curl_command(request: &HttpRequest) -> String {
    let mut lines = vec![format!("curl {}", quote(&request.url))];
    lines.extend(
        request.headers.iter().map(|(name, value)| format!("-H {}", quote(&format!("{name}: {value}")))),
    );
    if let Some(KeyPlaceholder { header, prefix, variable }) = &request.key {
        lines.push(format!("-H \"{header}: {prefix}${variable}\""));
    }
    lines.push(format!("--data-raw {}", quote(&request.body.to_string())));
    lines.join(" \\\n  ")
}

/// A word that a shell takes literally.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests;
