//! Parses `OLLAMA_HOST` as Ollama's own programs do.

use reqwest::Url;

const VARIABLE: &str = "OLLAMA_HOST";
const DEFAULT_PORT: u16 = 11_434;

/// The address of Ollama, if the variable is set to a valid one.
pub(super) fn from_environment() -> Option<Url> {
    origin(&crate::environment::variable(VARIABLE)?)
}

/// Accepts `host`, `:port`, `host:port`, each with or without a scheme. A wildcard address becomes the local one.
fn origin(value: &str) -> Option<Url> {
    let value = value.trim().trim_matches(['"', '\'']).trim();
    if value.is_empty() {
        return None;
    }
    let (scheme, rest) = value.split_once("://").unwrap_or(("http", value));
    let rest = rest.split('/').next().unwrap_or_default();
    let rest = if rest.starts_with(':') { format!("127.0.0.1{rest}") } else { rest.to_owned() };
    let mut url = Url::parse(&format!("{scheme}://{rest}/")).ok()?;
    if !matches!(scheme, "http" | "https") || !url.has_host() {
        return None;
    }
    // With a scheme, the default port is the scheme's.
    if url.port().is_none() && !value.contains("://") && !rest.ends_with(":80") {
        url.set_port(Some(DEFAULT_PORT)).ok()?;
    }
    if matches!(url.host_str(), Some("0.0.0.0" | "[::]")) {
        url.set_host(Some("127.0.0.1")).ok()?;
    }
    Some(url)
}

#[cfg(test)]
mod tests;
