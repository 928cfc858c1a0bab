//! Secrets in headers: `${NAME}` in a declared header becomes a secret that the person allows for the host of the request.
//!
//! Only the text of the declaration is searched for references, never an argument: a model can't name a secret.

use plait_core::error::Fault;
use plait_llm::http_tool::HttpBinding;
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::ExposeSecret as _;
use secrecy::zeroize::Zeroizing;
use serde_json::Value;
use url::Url;

use super::render::render_text;
use crate::codes;
use crate::keys::KeyOwner;
use crate::net::GuardedRequest;
use crate::tools::environment::ToolEnvironment;

/// Inserts the secrets into the headers of a request. Fault `tool.no_secret`, `keys.*`.
pub(super) async fn insert(
    environment: &ToolEnvironment,
    binding: &HttpBinding,
    arguments: &Value,
    request: &mut GuardedRequest,
) -> Result<(), Fault> {
    for (name, template) in &binding.headers {
        let references = references(template);
        if references.is_empty() {
            continue;
        }
        let mut value = Zeroizing::new(String::new());
        let mut rest = template.as_str();
        for (start, end) in references {
            let at = template.len() - rest.len();
            value.push_str(&render_text(&template[at..start], arguments));
            let secret = find(environment, &template[start + 2..end - 1], &request.url).await?;
            value.push_str(&secret);
            rest = &template[end..];
        }
        value.push_str(&render_text(rest, arguments));
        let invalid =
            || Fault::new(codes::TOOL_NO_SECRET, format!("The header `{name}` can't hold this secret."));
        let mut header = HeaderValue::from_str(&value).map_err(|_| invalid())?;
        header.set_sensitive(true);
        request.headers.insert(HeaderName::try_from(name.as_str()).map_err(|_| invalid())?, header);
    }
    Ok(())
}

fn references(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(start) = text[from..].find("${").map(|at| from + at) {
        let Some(end) = text[start..].find('}').map(|at| start + at + 1) else { break };
        found.push((start, end));
        from = end;
    }
    found
}

/// Whether a header has a secret.
pub(super) fn has_reference(text: &str) -> bool {
    !references(text).is_empty()
}

/// A secret, if it may be sent to this URL.
async fn find(environment: &ToolEnvironment, name: &str, url: &Url) -> Result<Zeroizing<String>, Fault> {
    let name = name.trim();
    let origin = url.origin().ascii_serialization();
    let missing = |what: String| {
        Fault::new(codes::TOOL_NO_SECRET, what).hint(format!(
            "Add `{name}` to the secrets for tools in the settings, with the origin {origin} and the variable that holds it."
        ))
    };
    let allowed = environment
        .secret(name)
        .filter(|secret| Url::parse(&secret.origin).is_ok_and(|allowed| allowed.origin() == url.origin()))
        .ok_or_else(|| missing(format!("The settings do not allow the secret `{name}` for {origin}.")))?;
    let owner = KeyOwner::new(name, Some(&allowed.origin));
    // Finding a key registers it for redaction, so that a server that echoes it does not reveal it.
    let resolved = environment.keys.find(&owner, allowed.variable.as_deref()).await?;
    let resolved = resolved.ok_or_else(|| missing(format!("The secret `{name}` is not set.")))?;
    Ok(Zeroizing::new(resolved.key.expose_secret().to_owned()))
}
