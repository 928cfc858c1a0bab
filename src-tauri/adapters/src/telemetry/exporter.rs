//! Sends spans to an OTLP/HTTP endpoint.

use std::time::Duration;

use plait_core::error::Fault;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, StatusCode};
use serde_json::Value;
use url::Url;

use super::TelemetrySettings;
use super::endpoint::traces_url;
use super::otlp;
use super::span::Span;
use crate::codes;
use crate::net::is_loopback;

/// The spans of one request. Collectors accept 4 MB by default.
const MAX_BATCH_SPANS: usize = 512;
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a request is sent, if the server cannot take it now.
const MAX_ATTEMPTS: u32 = 3;
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// How much of a response is read.
const MAX_RESPONSE_BYTES: usize = 64 << 10;

/// The spans that a server accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportReport {
    /// How many spans were sent and not rejected.
    pub accepted: u64,
    /// How many the server rejected.
    pub rejected: u64,
}

/// Sends spans to one endpoint.
#[derive(Debug)]
pub struct SpanExporter {
    client: Client,
    url: Url,
}

impl SpanExporter {
    /// For the endpoint and headers of the settings. Faults: `telemetry.bad_endpoint`, `settings.telemetry`, `telemetry.export_failed`.
    pub fn new(settings: &TelemetrySettings) -> Result<Self, Fault> {
        let endpoint = settings.endpoint().ok_or_else(no_endpoint)?;
        let url = traces_url(endpoint)?;
        let variable = settings.headers_variable.as_deref().filter(|name| !name.is_empty());
        let headers = variable.map(read_headers).transpose()?.unwrap_or_default();
        let mut client = Client::builder()
            .user_agent(concat!("plait/", env!("CARGO_PKG_VERSION")))
            // A redirect would take the headers elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            .default_headers(headers)
            .timeout(REQUEST_TIMEOUT);
        if is_loopback(&url) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| failed(&url, &error.to_string()))?;
        Ok(Self { client, url })
    }

    /// Sends the spans, in requests of a limited size. Fault `telemetry.export_failed`; earlier requests stay sent.
    pub async fn send(&self, spans: &[Span]) -> Result<ExportReport, Fault> {
        let mut report = ExportReport::default();
        for batch in spans.chunks(MAX_BATCH_SPANS) {
            let sent = batch.len() as u64;
            let rejected = self.send_batch(batch).await?.min(sent);
            report.rejected += rejected;
            report.accepted += sent - rejected;
        }
        Ok(report)
    }

    /// Returns how many spans the server rejected.
    async fn send_batch(&self, spans: &[Span]) -> Result<u64, Fault> {
        let body = otlp::encode(spans).to_string();
        let mut attempt = 1;
        loop {
            match self.post(body.clone()).await {
                Ok(rejected) => return Ok(rejected),
                Err(PostError::Temporary(_)) if attempt < MAX_ATTEMPTS => {
                    tokio::time::sleep(RETRY_DELAY * attempt).await;
                    attempt += 1;
                }
                Err(PostError::Temporary(why) | PostError::Final(why)) => {
                    return Err(failed(&self.url, &why));
                }
            }
        }
    }

    async fn post(&self, body: String) -> Result<u64, PostError> {
        let request = self.client.post(self.url.clone()).header(CONTENT_TYPE, "application/json").body(body);
        let mut response =
            request.send().await.map_err(|error| PostError::Temporary(error.without_url().to_string()))?;
        let status = response.status();
        let mut bytes = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MAX_RESPONSE_BYTES {
                break;
            }
        }
        // The statuses that the specification lets clients retry.
        match status {
            _ if status.is_success() => Ok(rejected_spans(&bytes)),
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => Err(PostError::Temporary(format!("it answered {status}"))),
            _ => Err(PostError::Final(format!("it answered {status}"))),
        }
    }
}

/// Why a request failed.
enum PostError {
    /// It may succeed later.
    Temporary(String),
    Final(String),
}

/// How many spans a response says were rejected. A response in another form says that none was.
fn rejected_spans(body: &[u8]) -> u64 {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let rejected = &body["partialSuccess"]["rejectedSpans"];
    rejected.as_u64().or_else(|| rejected.as_str()?.parse().ok()).unwrap_or_default()
}

/// The headers in an environment variable, as `name=value,name=value`. This is the form of
/// `OTEL_EXPORTER_OTLP_HEADERS`.
fn read_headers(variable: &str) -> Result<HeaderMap, Fault> {
    let text = crate::environment::variable(variable).unwrap_or_default();
    parse_headers(&text).ok_or_else(|| {
        let message = format!("The environment variable `{variable}` does not hold headers.");
        Fault::new(codes::SETTINGS_TELEMETRY, message).hint("Set it to `name=value,name=value`.")
    })
}

fn parse_headers(text: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let mut value = HeaderValue::from_str(value.trim()).ok()?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_bytes(name.trim().as_bytes()).ok()?, value);
    }
    Some(headers)
}

fn no_endpoint() -> Fault {
    Fault::new(codes::TELEMETRY_NO_ENDPOINT, "There is no endpoint to send spans to.")
        .hint("Name one with --endpoint or in the settings, or write them to a file with --file.")
}

fn failed(url: &Url, why: &str) -> Fault {
    let message = format!("Spans could not be sent to {url}: {why}.");
    Fault::new(codes::TELEMETRY_EXPORT_FAILED, message)
        .hint("Check that a collector with OTLP over HTTP listens there. The run is not affected; export it again later.")
}

#[cfg(test)]
mod tests;
