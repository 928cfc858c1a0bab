//! A provider's base URL: checked, and displayed without any password in it.

use plait_core::error::Fault;
use reqwest::Url;

use crate::codes;
use crate::net::is_loopback;

/// A base URL that ends in a slash.
#[derive(Clone, Debug)]
pub(super) struct BaseUrl {
    url: Url,
    /// The URL without user name and password.
    display: String,
}

impl BaseUrl {
    /// Checks a base URL. Fault `provider.bad_settings`.
    pub(super) fn new(provider: &str, base_url: Option<&str>) -> Result<Self, Fault> {
        let bad = |why: &str| {
            Fault::new(
                codes::PROVIDER_BAD_SETTINGS,
                format!("The base URL of the provider `{provider}` {why}."),
            )
            .hint("Use a URL like http://127.0.0.1:11434/v1.")
        };
        let text = base_url.map(str::trim).filter(|url| !url.is_empty()).ok_or_else(|| bad("is missing"))?;
        let mut url = Url::parse(text).map_err(|error| bad(&format!("is invalid: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("must begin with http:// or https://"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(bad(
                "must not have a query or a fragment: set `query` for parameters of every request",
            ));
        }
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        let mut display = url.clone();
        // These fail only for URLs that can't have user info, and http URLs can.
        let _ = display.set_username("").and_then(|()| display.set_password(None));
        let display = display.as_str().trim_end_matches('/').to_owned();
        Ok(Self { url, display })
    }

    /// The URL of an endpoint; an empty `query` adds none.
    pub(super) fn join(&self, endpoint: &str, query: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{endpoint}", self.url.path()));
        url.set_query(Some(query).filter(|query| !query.is_empty()));
        url
    }

    /// The same for display, without user name and password.
    pub(super) fn join_for_display(&self, endpoint: &str, query: &str) -> String {
        let separator = if query.is_empty() { "" } else { "?" };
        format!("{}/{endpoint}{separator}{query}", self.display)
    }

    /// The URL for messages, without a password.
    pub(super) fn display(&self) -> &str {
        &self.display
    }

    /// Whether this is OpenAI's own API.
    pub(super) fn is_openai(&self) -> bool {
        self.url.host_str() == Some("api.openai.com")
    }

    /// Whether this is the local machine, which no proxy can reach for us.
    pub(super) fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }
}
