//! What a question about a tool call shows of it, as Markdown: where the call goes, and its arguments. Both are others' texts
//! of any length, so both are shortened, and the text says what it leaves out.

use serde_json::Value;
use url::Url;

use super::requests::fenced;
use plait_llm::context::ToolCall;
use plait_llm::http_tool::{HTTP_SOURCE, HttpBinding, HttpMethod};
use plait_llm::tool::ToolSpec;

/// How many characters of the arguments are shown: so many of the beginning, and so many of the end.
const MAX_HEAD_CHARS: usize = 3_000;
const MAX_TAIL_CHARS: usize = 1_000;
/// The same for the path of a URL.
const MAX_PATH_HEAD_CHARS: usize = 200;
const MAX_PATH_TAIL_CHARS: usize = 100;

/// Where a call goes, as a sentence after another one: the request of an HTTP tool, or the MCP server. Empty for a tool that
/// has no such place.
pub(super) fn show_destination(tool: &ToolSpec, arguments: &Value) -> String {
    if let Some(server) = tool.mcp_server() {
        // The flow may have given it another name.
        let own_name = tool.binding.get("tool").and_then(Value::as_str).unwrap_or(&tool.name);
        return format!(" It is the tool {} of the MCP server {}.", code_span(own_name), code_span(server));
    }
    let request = match (tool.source.as_str(), tool.name.as_str()) {
        (HTTP_SOURCE, _) => serde::Deserialize::deserialize(&tool.binding)
            .map(|HttpBinding { method, url, .. }| show_request(method, &url))
            .ok(),
        (_, "fetch_url") => {
            arguments.get("url").and_then(Value::as_str).map(|url| show_request(HttpMethod::Get, url))
        }
        _ => None,
    };
    request.map(|request| format!(" It sends {}.", code_span(&request))).unwrap_or_default()
}

/// The method, the host as it will be requested, and the path. The query is left out: what it says stands in the arguments
/// or in the flow.
fn show_request(method: HttpMethod, url: &str) -> String {
    let text = url.trim();
    let Some((origin, rest)) =
        Url::parse(text).ok().zip(text.split_once("://")).and_then(|(url, (_, rest))| {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            Some((format!("{}://{}{port}", url.scheme(), url.host_str()?), rest))
        })
    else {
        return format!("{} {}", method.as_str(), shorten(text, MAX_PATH_HEAD_CHARS, MAX_PATH_TAIL_CHARS));
    };
    let path = rest.find(['/', '?', '#', '\\']).map_or("", |at| &rest[at..]);
    let path = path.find(['?', '#']).map_or(path, |end| &path[..end]);
    let path = shorten(path, MAX_PATH_HEAD_CHARS, MAX_PATH_TAIL_CHARS);
    format!("{} {origin}{path}", method.as_str())
}

/// The arguments as a block of Markdown.
pub(super) fn show_arguments(call: &ToolCall) -> String {
    let text = serde_json::to_string_pretty(&call.arguments).unwrap_or_default();
    let text = shorten(&text, MAX_HEAD_CHARS, MAX_TAIL_CHARS);
    fenced(&text, "json")
}

/// The beginning and the end of a text, with the size of the omitted part between them.
fn shorten(text: &str, head_chars: usize, tail_chars: usize) -> String {
    let Some((head_end, _)) = text.char_indices().nth(head_chars) else { return text.to_owned() };
    let Some((tail_start, _)) = text.char_indices().rev().nth(tail_chars.saturating_sub(1)) else {
        return text.to_owned();
    };
    if tail_start <= head_end {
        return text.to_owned();
    }
    let left_out = tail_start - head_end;
    let size = if left_out < 1_000 {
        format!("{left_out} bytes")
    } else {
        format!("{} KB", (left_out + 500) / 1_000)
    };
    format!("{} … {size} more … {}", &text[..head_end], &text[tail_start..])
}

/// Inline code on one line, with any content: characters that would end it are replaced.
fn code_span(text: &str) -> String {
    format!("`{}`", text.replace(char::is_control, " ").replace('`', "'"))
}

#[cfg(test)]
mod tests;
