//! The URL of an OTLP/HTTP endpoint.

use plait_core::error::Fault;
use url::Url;

use crate::codes;

const TRACES_PATH: &str = "v1/traces";

/// The URL that spans are posted to: the endpoint with `/v1/traces`, unless it ends with that. Fault `telemetry.bad_endpoint`.
pub(super) fn traces_url(endpoint: &str) -> Result<Url, Fault> {
    let bad = |why: &str| {
        Fault::new(codes::TELEMETRY_BAD_ENDPOINT, format!("The OpenTelemetry endpoint {why}.")).hint(
            "Use a URL like http://127.0.0.1:4318. Headers with keys belong into an environment variable.",
        )
    };
    let mut url = Url::parse(endpoint.trim()).map_err(|error| bad(&format!("is no URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("must begin with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("must not contain a password"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if !path.ends_with(TRACES_PATH) {
        url.set_path(&format!("{path}/{TRACES_PATH}"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests;
