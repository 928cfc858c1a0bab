//! Where a provider is: a base URL, checked, and how it is shown. Owns that no password in it is ever shown.

use plait_engine::error::{ErrorCode, Fault};
use reqwest::Url;

/// A base URL, ending in a slash.
#[derive(Clone, Debug)]
pub(super) struct Address {
    url: Url,
    shown: String,
}

impl Address {
    /// Checks a base URL. Fault `provider.bad_settings`.
    pub(super) fn new(provider: &str, base_url: Option<&str>) -> Result<Self, Fault> {
        let bad = |why: &str| {
            Fault::new(
                ErrorCode::ProviderBadSettings,
                format!("The base URL of the provider `{provider}` {why}."),
            )
            .hint("It looks like http://127.0.0.1:11434/v1.")
        };
        let given = base_url.map(str::trim).filter(|url| !url.is_empty()).ok_or_else(|| bad("is missing"))?;
        let mut url = Url::parse(given).map_err(|error| bad(&format!("is wrong: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("must begin with http:// or https://"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(bad("must not have a query or a fragment"));
        }
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        let mut shown = url.clone();
        // These fail only for addresses that can't have either, and http addresses can.
        let _ = shown.set_username("").and_then(|()| shown.set_password(None));
        let shown = shown.as_str().trim_end_matches('/').to_owned();
        Ok(Self { url, shown })
    }

    /// The URL of an endpoint below it; `query` is what stands behind the `?`, or nothing.
    pub(super) fn join(&self, endpoint: &str, query: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{endpoint}", self.url.path()));
        url.set_query(Some(query).filter(|query| !query.is_empty()));
        url
    }

    /// How it is shown: without any password.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether it is OpenAI itself.
    pub(super) fn is_openai(&self) -> bool {
        self.url.host_str() == Some("api.openai.com")
    }

    /// Whether it is this very machine, which no proxy can reach for us.
    pub(super) fn is_loopback(&self) -> bool {
        match self.url.host() {
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }
}
