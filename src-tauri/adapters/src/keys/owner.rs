//! The owner of a key: a provider at an address.

use url::Url;

/// A provider at a host. A key that was entered for one host is never sent to another one, nor without encryption if it was
/// entered for an encrypted connection: for the key store these are different owners.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyOwner {
    provider: String,
    origin: Option<String>,
}

/// Stands between provider and origin in the names of stored keys.
const SEPARATOR: &str = " at ";

impl KeyOwner {
    pub fn new(provider: &str, base_url: Option<&str>) -> Self {
        let url = base_url.and_then(|base_url| Url::parse(base_url.trim()).ok());
        Self { provider: provider.to_owned(), origin: url.map(|url| url.origin().ascii_serialization()) }
    }

    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Scheme, host and port, for example `https://api.openai.com`. None for a provider without a valid base URL.
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    pub(super) fn storage_name(&self) -> String {
        let origin = self.origin.iter().flat_map(|origin| [SEPARATOR, origin]);
        std::iter::once(self.provider.as_str()).chain(origin).collect()
    }

    pub(super) fn provider_of(storage_name: &str) -> &str {
        storage_name.rsplit_once(SEPARATOR).map_or(storage_name, |(provider, _)| provider)
    }
}
