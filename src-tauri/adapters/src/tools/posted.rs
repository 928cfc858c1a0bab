//! Messages to addresses that somebody named: they reach what tools reach.

use plait_core::error::Fault;
use plait_llm::grant::CallGrants;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::ToolEnvironment;
use crate::codes;
use crate::net::GuardedRequest;

/// The most bytes of an answer that are read; nothing of it is used.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

impl ToolEnvironment {
    /// Whether messages could be sent to a URL, as far as that is seen before its host is looked up. Faults `tool.address_refused`,
    /// `tool.bad_url`.
    pub fn check_url(&self, url: &str) -> Result<(), Fault> {
        self.client.check(&parse(url)?)
    }

    /// Sends JSON with these headers. The status of the answer; a redirect is a fault. Faults `tool.address_refused`, `tool.bad_url`,
    /// `tool.redirected`, `tool.request_failed`.
    pub async fn post_json(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        body: Vec<u8>,
    ) -> Result<u16, Fault> {
        let mut all = HeaderMap::new();
        all.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in headers {
            let value = HeaderValue::from_str(value).map_err(|_| {
                Fault::new(codes::TOOL_REQUEST_FAILED, format!("The header `{name}` cannot be sent."))
            })?;
            all.insert(HeaderName::from_static(name), value);
        }
        let request = GuardedRequest {
            method: Method::POST,
            url: parse(url)?,
            headers: all,
            body: Some(body),
            max_bytes: MAX_ANSWER_BYTES,
            truncate: true,
        };
        Ok(self.client.send(request, &CallGrants::default()).await?.status.as_u16())
    }
}

fn parse(url: &str) -> Result<Url, Fault> {
    Url::parse(url).map_err(|error| {
        Fault::new(codes::TOOL_BAD_URL, format!("`{url}` is no URL: {error}."))
            .hint("Use a full URL that begins with http:// or https://.")
    })
}
