//! `GET /metrics`, at an address of its own.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum_server::Control;

use crate::blocking::blocking;
use crate::certificate::ServedCertificate;
use crate::failure::Failure;
use crate::host::Host;
use crate::metrics::Snapshot;

/// The media type of the text format.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What the metrics are made of.
#[derive(Clone)]
pub(crate) struct Scrape {
    pub(crate) host: Arc<Host>,
    pub(crate) certificate: Option<Arc<ServedCertificate>>,
    pub(crate) control: Control,
}

pub(super) async fn text(State(scrape): State<Scrape>) -> Result<Response, Failure> {
    let Scrape { host, certificate, control } = scrape;
    let tenants = host.tenants.opened();
    let expires_at = certificate.map(|certificate| certificate.expires_at());
    let snapshot = blocking(move || Snapshot::read(&tenants, expires_at, control.connection_count())).await?;
    Ok(([(CONTENT_TYPE, OPEN_METRICS)], host.metrics.text(&snapshot)?).into_response())
}
