//! The entry of a person for an MCP server: how to start it, or where it is. Secrets are not part of it: they are in
//! the key store, and the entry only says that they exist.

use std::collections::BTreeMap;

use plait_core::error::Fault;
use plait_llm::tool::ServerAddress;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use url::Url;

use crate::codes;

const MAX_NAME_CHARS: usize = 64;

/// An MCP server of the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct McpEntry {
    /// How it is reached.
    pub transport: McpTransport,
    /// Whether its tools receive what they may know of the conversation, in `_meta`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub send_context: bool,
}

/// How an MCP server is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum McpTransport {
    /// A process that speaks over its standard input and output.
    Stdio {
        command: String,
        #[serde(default)]
        args: Vec<String>,
        /// The variables that it gets besides `PATH`, `HOME` and the like.
        #[serde(default)]
        env: BTreeMap<String, McpValue>,
        /// Its working directory. If empty, that of Plait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        cwd: Option<String>,
    },
    /// A server that speaks streamable HTTP.
    Http {
        url: String,
        #[serde(default)]
        headers: BTreeMap<String, McpValue>,
    },
}

/// The value of a variable or a header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum McpValue {
    /// As it is. `${NAME}` stands for a variable of Plait's environment.
    Text(String),
    /// In the key store.
    Secret,
}

impl McpEntry {
    /// The names of the variables or headers whose values are in the key store.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &String> {
        let values = match &self.transport {
            McpTransport::Stdio { env, .. } => env,
            McpTransport::Http { headers, .. } => headers,
        };
        values.iter().filter(|(_, value)| **value == McpValue::Secret).map(|(name, _)| name)
    }

    /// How it is reached, for people: its command line, or its URL with the variables of the environment.
    pub(super) fn address(&self, name: &str) -> ServerAddress {
        match &self.transport {
            McpTransport::Stdio { command, args, .. } => {
                let parts: Vec<&str> = std::iter::once(command).chain(args).map(String::as_str).collect();
                ServerAddress::Command(parts.join(" "))
            }
            McpTransport::Http { url, .. } => {
                let expanded = expand(url, crate::environment::variable, name);
                ServerAddress::Url(expanded.unwrap_or_else(|_| url.clone()))
            }
        }
    }

    /// The address that its secrets belong to.
    pub(super) fn url(&self) -> Option<&str> {
        match &self.transport {
            McpTransport::Stdio { .. } => None,
            McpTransport::Http { url, .. } => Some(url),
        }
    }

    /// Checks the rules that the types cannot express. `mcp.entry_invalid`.
    pub(super) fn check(&self, name: &str) -> Result<(), Fault> {
        check_name(name)?;
        let invalid = |what: &str| Err(invalid(name, what));
        match &self.transport {
            McpTransport::Stdio { command, args, env, cwd } => {
                if command.trim().is_empty() {
                    return invalid("`command` is empty");
                }
                let texts = args.iter().chain([command]).chain(cwd);
                if texts.into_iter().chain(env.keys()).any(|text| text.contains('\0')) {
                    return invalid("a text contains a NUL character");
                }
                if env.keys().any(|key| key.is_empty() || key.contains('=')) {
                    return invalid("the name of a variable is empty or contains `=`");
                }
            }
            McpTransport::Http { url, headers } => {
                // Variables may stand for any part of it.
                if !url.contains("${") {
                    check_url(name, url)?;
                }
                let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
                if headers.keys().any(|key| key.is_empty() || !key.bytes().all(is_token)) {
                    return invalid("the name of a header is empty or contains invalid characters");
                }
            }
        }
        Ok(())
    }
}

/// A URL that can be called: `http` or `https`, with a host, without a name and password. `mcp.entry_invalid`.
pub(super) fn check_url(name: &str, url: &str) -> Result<Url, Fault> {
    let parsed = Url::parse(url).map_err(|error| invalid(name, &format!("`url` is no URL: {error}")))?;
    if !matches!(parsed.scheme(), "http" | "https") || parsed.host().is_none() {
        return Err(invalid(name, "`url` has to begin with `http://` or `https://`"));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(invalid(name, "`url` holds a name or password; use the header `Authorization`"));
    }
    Ok(parsed)
}

/// A name that can stand in a tool's source, in a command line and in the name of a key.
pub(super) fn check_name(name: &str) -> Result<(), Fault> {
    let is_valid = |char: char| char.is_alphanumeric() || " -_./@".contains(char);
    let is_trimmed = name.trim() == name && !name.is_empty();
    if is_trimmed && name.chars().count() <= MAX_NAME_CHARS && name.chars().all(is_valid) {
        return Ok(());
    }
    let message = "The name of an MCP server is empty, too long, or contains invalid characters.";
    Err(Fault::new(codes::MCP_ENTRY_INVALID, message)
        .hint(format!("Use up to {MAX_NAME_CHARS} letters, digits, spaces, and `-`, `_`, `.`, `/`, `@`.")))
}

pub(super) fn invalid(name: &str, what: &str) -> Fault {
    Fault::new(codes::MCP_ENTRY_INVALID, format!("The entry of the MCP server `{name}` is invalid: {what}."))
}

/// Replaces `${NAME}` and `${NAME:-default}` with variables of the environment, which `variable` reads. `mcp.no_variable`.
pub(super) fn expand(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
    server: &str,
) -> Result<String, Fault> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        expanded.push_str(before);
        let Some((reference, after)) = after.split_once('}') else {
            expanded.push_str("${");
            rest = after;
            continue;
        };
        let (name, default) =
            reference.split_once(":-").map_or((reference, None), |(name, default)| (name, Some(default)));
        let value = variable(name).filter(|value| !value.is_empty()).or_else(|| default.map(str::to_owned));
        let Some(value) = value else {
            let message = format!("The MCP server `{server}` needs the variable `{name}`, which is not set.");
            return Err(Fault::new(codes::MCP_NO_VARIABLE, message)
                .hint("Set it before Plait starts, or enter the value in the server's entry."));
        };
        expanded.push_str(&value);
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}
