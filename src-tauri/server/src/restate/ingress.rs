//! Requests to Restate, at the addresses of its ingress.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use plait_api::ErrorReply;
use plait_core::id::RunId;
use plait_host_store::TenantName;
use reqwest::{Client, StatusCode, Url};

use super::{HANDLER, OBJECT, key_of_run};
use crate::codes;

/// How long a node may take to store a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct Ingress {
    client: Client,
    /// Those of the nodes, or of a balancer before them.
    urls: Vec<Url>,
    /// The one that answered last.
    current: AtomicUsize,
    is_away: AtomicBool,
}

impl Ingress {
    /// `host.restate` if there can be no requests.
    pub(crate) fn new(urls: Vec<Url>) -> Result<Self, ErrorReply> {
        // It is in the network of the host: no proxy is between them.
        let client = Client::builder().timeout(REQUEST_TIMEOUT).no_proxy().build().map_err(|error| {
            ErrorReply::new(codes::HOST_RESTATE, format!("No requests can be sent to Restate: {error}."))
        })?;
        Ok(Self { client, urls, current: AtomicUsize::new(0), is_away: AtomicBool::new(false) })
    }

    /// Whether it did not take what was sent to it last.
    pub(crate) fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Relaxed)
    }

    /// Has a tree driven. What has the same number is stored once. `host.restate` if no node stores it.
    pub(super) async fn advance(
        &self,
        tenant: &TenantName,
        root: &RunId,
        number: &str,
    ) -> Result<(), ErrorReply> {
        let first = self.current.load(Ordering::Relaxed);
        let mut refused = None;
        for turn in 0..self.urls.len() {
            let at = (first + turn) % self.urls.len();
            match self.send(&self.urls[at], &key_of_run(tenant, root), number).await {
                Ok(()) => {
                    self.current.store(at, Ordering::Relaxed);
                    if self.is_away.swap(false, Ordering::Relaxed) {
                        eprintln!("Restate is back.");
                    }
                    return Ok(());
                }
                Err(message) => refused = Some(message),
            }
        }
        let message = refused.unwrap_or_default();
        let error = ErrorReply::new(codes::HOST_RESTATE, format!("Restate does not take what runs are asked: {message}."))
            .hint("What is asked is stored, and sent when Restate takes it. Check `--restate`, and that the workers are registered with Restate.");
        if !self.is_away.swap(true, Ordering::Relaxed) {
            eprintln!("warning: {error}");
        }
        Err(error)
    }

    async fn send(&self, url: &Url, key: &str, number: &str) -> Result<(), String> {
        let mut url = url.clone();
        url.path_segments_mut()
            .map_err(|()| "its address cannot have a path".to_owned())?
            .pop_if_empty()
            .extend([OBJECT, key, HANDLER, "send"]);
        let request = self.client.post(url.clone()).header("idempotency-key", number);
        let response = request.send().await.map_err(|error| {
            let reason =
                std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            format!("{}: {reason}", url.origin().ascii_serialization())
        })?;
        match response.status() {
            status if status.is_success() => Ok(()),
            StatusCode::NOT_FOUND => Err("no workers are registered".to_owned()),
            status => Err(format!("{} answers {status}", url.origin().ascii_serialization())),
        }
    }
}
