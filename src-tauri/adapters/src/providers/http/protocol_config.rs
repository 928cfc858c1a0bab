//! The constants of a protocol: what its servers are called and how requests carry the API key.

/// What the HTTP client needs to know about a protocol.
#[derive(Debug)]
pub(crate) struct ProtocolConfig {
    /// Its name, which is part of the keys of requests. It never changes.
    pub(crate) protocol: &'static str,
    /// What such a server is called, with its article: "an OpenAI-compatible server".
    pub(crate) server: &'static str,
    /// What its base URL usually looks like, as a sentence for hints.
    pub(crate) base_url_hint: &'static str,
    /// The header that carries the key, in lower case.
    pub(crate) key_header: &'static str,
    /// The prefix of the header's value, before the key.
    pub(crate) key_prefix: &'static str,
    /// Headers sent with every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
}
