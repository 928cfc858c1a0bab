//! The model servers that programs know by an environment variable, and which protocol a path belongs to.

use plait_adapters::providers::{ProviderKind, Url};
use plait_core::error::Fault;

use crate::codes;

/// A vendor whose packages read their base URL from the environment.
pub struct Vendor {
    /// The name in the endpoint's paths and of `--upstream`.
    pub name: &'static str,
    /// The variables that vendors' and others' packages read, the usual one first.
    pub variables: &'static [&'static str],
    /// Where requests go if nothing else is said.
    pub base_url: &'static str,
}

/// All vendors with a protocol that Plait has.
pub const VENDORS: [Vendor; 4] = [
    Vendor {
        name: "openai",
        variables: &["OPENAI_BASE_URL", "OPENAI_API_BASE"],
        base_url: "https://api.openai.com/v1",
    },
    Vendor {
        name: "anthropic",
        variables: &["ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL"],
        base_url: "https://api.anthropic.com",
    },
    Vendor {
        name: "gemini",
        variables: &["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"],
        base_url: "https://generativelanguage.googleapis.com",
    },
    Vendor {
        name: "ollama",
        variables: &["OLLAMA_HOST", "OLLAMA_BASE_URL"],
        base_url: "http://127.0.0.1:11434",
    },
];

/// A model server that requests are forwarded to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    pub name: String,
    /// Without a slash at its end, and without a password.
    pub base_url: String,
}

impl Upstream {
    /// `name=URL`, or `URL` with `name` known. Faults `record.upstream`.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let bad = |why: &str| {
            Fault::new(codes::RECORD_UPSTREAM, format!("`{text}` names no model server: {why}."))
                .hint("Write it as NAME=URL, for example openai=http://127.0.0.1:8000/v1.")
        };
        let (name, url) = text.split_once('=').ok_or_else(|| bad("there is no `=`"))?;
        if !VENDORS.iter().any(|vendor| vendor.name == name) {
            let names: Vec<&str> = VENDORS.iter().map(|vendor| vendor.name).collect();
            return Err(bad(&format!("the name is one of {}", names.join(", "))));
        }
        Self::at(name, url).ok_or_else(|| bad("the URL is none of http or https, or has a password"))
    }

    /// None if the URL is none that can be requested.
    fn at(name: &str, url: &str) -> Option<Self> {
        let url = url.trim().trim_end_matches('/');
        let url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
        let parsed = Url::parse(&url).ok()?;
        let is_plain =
            parsed.username().is_empty() && parsed.password().is_none() && parsed.query().is_none();
        let is_http = matches!(parsed.scheme(), "http" | "https") && parsed.has_host();
        (is_plain && is_http).then(|| Self { name: name.to_owned(), base_url: url })
    }

    /// Where a vendor's programs call now: as the environment says, or at the vendor's own address. Faults `record.upstream`.
    pub fn of_vendor(vendor: &Vendor, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Fault> {
        let set = vendor
            .variables
            .iter()
            .find_map(|name| Some((name, variable(name).filter(|value| !value.is_empty())?)));
        let Some((variable, url)) = set else {
            return Ok(Self { name: vendor.name.to_owned(), base_url: vendor.base_url.to_owned() });
        };
        Self::at(vendor.name, &url).ok_or_else(|| {
            Fault::new(
                codes::RECORD_UPSTREAM,
                format!("The variable {variable} holds no URL that can be requested."),
            )
        })
    }

    /// The URL of a path below the base URL.
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }
}

/// The protocol of a request, by its path below the base URL; none for what is no call of a model.
pub fn protocol(method: &str, path: &str) -> Option<ProviderKind> {
    let path = path.split('?').next().unwrap_or_default().trim_end_matches('/');
    if method != "POST" {
        return None;
    }
    if path.ends_with("/chat/completions") {
        Some(ProviderKind::OpenAi)
    } else if path.ends_with("/responses") {
        Some(ProviderKind::OpenAiResponses)
    } else if path.ends_with("/v1/messages") {
        Some(ProviderKind::Anthropic)
    } else if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
        Some(ProviderKind::Gemini)
    } else if path.ends_with("/api/chat") {
        Some(ProviderKind::Ollama)
    } else {
        None
    }
}

/// A path without the values of query parameters that hold a key.
pub fn without_keys(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
    let is_key = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
        name.contains("key") || name.contains("token") || name.contains("secret")
    };
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_key(pair)).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}
