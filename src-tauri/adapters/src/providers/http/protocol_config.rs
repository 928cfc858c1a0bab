//! The constants of a protocol: the names of its servers and the place of the API key in requests.

/// The facts about a protocol that the HTTP client needs.
#[derive(Debug)]
pub(crate) struct ProtocolConfig {
    /// Its name, which is part of the keys of requests. It never changes.
    pub(crate) protocol: &'static str,
    /// What such a server is called, with its article: "an OpenAI-compatible server".
    pub(crate) server: &'static str,
    /// The usual form of its base URL, as a sentence for hints.
    pub(crate) base_url_hint: &'static str,
    /// The header that carries the key, in lower case.
    pub(crate) key_header: &'static str,
    /// The prefix of the header's value, before the key.
    pub(crate) key_prefix: &'static str,
    /// Headers sent with every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
}
