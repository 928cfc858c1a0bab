//! Reads the `mcpServers` JSON of other clients.

use std::collections::BTreeMap;

use plait_core::error::Fault;
use secrecy::SecretString;
use serde_json::{Map, Value};

use super::entry::{McpEntry, McpTransport, McpValue, invalid};
use crate::codes;
use crate::redaction::Redaction;

const MAX_IMPORT_BYTES: usize = 1 << 20;
const MAX_IMPORTED_SERVERS: usize = 100;

/// The keys under which clients keep their servers.
const TABLE_KEYS: [&str; 4] = ["mcpServers", "servers", "context_servers", "mcp"];
/// Parts of the names of secrets.
const SECRET_NAMES: [&str; 8] =
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "AUTHORIZATION", "COOKIE"];

/// A server as it was pasted.
#[derive(Debug)]
pub(super) struct ImportedServer {
    pub(super) name: String,
    pub(super) entry: McpEntry,
    /// Values of variables or headers, which belong into the key store.
    pub(super) secrets: BTreeMap<String, SecretString>,
    /// Settings of other clients that have no meaning here.
    pub(super) ignored: Vec<String>,
}

/// Reads pasted JSON: `{"mcpServers": {NAME: {…}}}`, `{NAME: {…}}`, or a single entry, which needs `name`. Faults
/// `mcp.entry_invalid`, `settings.holds_secret`.
pub(super) fn import(
    text: &str,
    name: Option<&str>,
    redaction: &Redaction,
) -> Result<Vec<ImportedServer>, Fault> {
    if text.len() > MAX_IMPORT_BYTES {
        return Err(unreadable("it is larger than 1 MB"));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| unreadable(&error.to_string()))?;
    let Value::Object(mut document) = value else { return Err(unreadable("it is no object")) };
    // VS Code nests them once more.
    while let Some(key) = TABLE_KEYS.iter().find(|key| document.get(**key).is_some_and(Value::is_object)) {
        if let Some(Value::Object(table)) = document.remove(*key) {
            document = table;
        }
    }
    let is_entry = document.get("command").is_some_and(|command| !command.is_object())
        || ["url", "serverUrl", "httpUrl"].iter().any(|key| document.get(*key).is_some_and(Value::is_string));
    if is_entry {
        let name = name.ok_or_else(|| {
            unreadable("it describes one server without its name").hint("Enter a name for the server.")
        })?;
        return Ok(vec![read_entry(name, document, redaction)?]);
    }
    if document.is_empty() || document.len() > MAX_IMPORTED_SERVERS {
        return Err(unreadable(&format!(
            "it has {} servers, not 1 to {MAX_IMPORTED_SERVERS}",
            document.len()
        )));
    }
    let mut servers = Vec::with_capacity(document.len());
    for (server, entry) in document {
        let Value::Object(entry) = entry else { return Err(invalid(&server, "it is no object")) };
        servers.push(read_entry(&server, entry, redaction)?);
    }
    match (name, servers.as_mut_slice()) {
        (Some(name), [only]) => name.clone_into(&mut only.name),
        (Some(_), _) => return Err(unreadable("a name was given for several servers")),
        (None, _) => {}
    }
    Ok(servers)
}

fn read_entry(
    name: &str,
    mut entry: Map<String, Value>,
    redaction: &Redaction,
) -> Result<ImportedServer, Fault> {
    let kind = read_text(name, &mut entry, "type")?.or(read_text(name, &mut entry, "transport")?);
    let mut url = None;
    for key in ["url", "serverUrl", "httpUrl"] {
        url = url.or(read_text(name, &mut entry, key)?);
    }
    let command = read_text(name, &mut entry, "command")?;
    let mut secrets = BTreeMap::new();
    let transport = match (command, url) {
        (Some(command), None) => McpTransport::Stdio {
            command,
            args: read_list(name, &mut entry, "args")?,
            env: read_values(name, &mut entry, "env", &mut secrets, redaction)?,
            cwd: read_text(name, &mut entry, "cwd")?,
        },
        (None, Some(url)) => {
            if kind.as_deref() == Some("sse") {
                return Err(invalid(name, "its transport is `sse`, which was replaced by streamable HTTP")
                    .hint("Ask the server's documentation for its streamable HTTP URL, often one that ends with `/mcp`."));
            }
            McpTransport::Http {
                url,
                headers: read_values(name, &mut entry, "headers", &mut secrets, redaction)?,
            }
        }
        (Some(_), Some(_)) => return Err(invalid(name, "it has both a `command` and a `url`")),
        (None, None) => return Err(invalid(name, "it has neither a `command` nor a `url`")),
    };
    let send_context = matches!(entry.remove("sendContext"), Some(Value::Bool(true)));
    let entry_keys = entry.into_iter().map(|(key, _)| key).collect();
    let entry = McpEntry { transport, send_context };
    entry.check(name)?;
    refuse_secrets(name, &entry, redaction)?;
    Ok(ImportedServer { name: name.to_owned(), entry, secrets, ignored: entry_keys })
}

/// Arguments and addresses are stored as plain text and shown to everyone on the machine.
fn refuse_secrets(name: &str, entry: &McpEntry, redaction: &Redaction) -> Result<(), Fault> {
    let texts: Vec<&String> = match &entry.transport {
        McpTransport::Stdio { command, args, cwd, .. } => args.iter().chain([command]).chain(cwd).collect(),
        McpTransport::Http { url, .. } => vec![url],
    };
    if texts.into_iter().all(|text| redaction.first_secret(text).is_none()) {
        return Ok(());
    }
    let message = format!("The command line or the address of the MCP server `{name}` holds a key.");
    Err(Fault::new(codes::SETTINGS_HOLDS_SECRET, message)
        .hint("Put the key into `env` or `headers`, or name a variable of the environment, as `${NAME}`."))
}

fn read_text(name: &str, entry: &mut Map<String, Value>, key: &str) -> Result<Option<String>, Fault> {
    match entry.remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(invalid(name, &format!("`{key}` is no text"))),
    }
}

fn read_list(name: &str, entry: &mut Map<String, Value>, key: &str) -> Result<Vec<String>, Fault> {
    let problem = || invalid(name, &format!("`{key}` is no list of texts"));
    match entry.remove(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items.into_iter().map(|item| scalar(item).ok_or_else(problem)).collect(),
        Some(_) => Err(problem()),
    }
}

/// The variables or headers. Secrets, by their name or their form, are moved to `secrets`, unless they name a variable
/// of the environment.
fn read_values(
    name: &str,
    entry: &mut Map<String, Value>,
    key: &str,
    secrets: &mut BTreeMap<String, SecretString>,
    redaction: &Redaction,
) -> Result<BTreeMap<String, McpValue>, Fault> {
    let problem = || invalid(name, &format!("`{key}` is no table of texts"));
    let table = match entry.remove(key) {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Object(table)) => table,
        Some(_) => return Err(problem()),
    };
    let mut values = BTreeMap::new();
    for (variable, value) in table {
        let text = scalar(value).ok_or_else(problem)?;
        let upper = variable.to_uppercase();
        let is_secret = !text.is_empty()
            && !text.contains("${")
            && (SECRET_NAMES.iter().any(|part| upper.contains(part))
                || redaction.first_secret(&text).is_some());
        if is_secret {
            secrets.insert(variable.clone(), SecretString::from(text));
            values.insert(variable, McpValue::Secret);
        } else {
            values.insert(variable, McpValue::Text(text));
        }
    }
    Ok(values)
}

/// People write numbers and booleans without quotes.
fn scalar(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn unreadable(why: &str) -> Fault {
    Fault::new(codes::MCP_ENTRY_INVALID, format!("The JSON cannot be used: {why}.")).hint(
        "Paste an object such as `{\"mcpServers\": {\"files\": {\"command\": \"npx\", \"args\": [\"…\"]}}}`.",
    )
}
