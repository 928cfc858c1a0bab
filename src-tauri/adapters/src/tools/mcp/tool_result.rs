//! From the result of a server to the result for a model and the journal.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plait_core::attachment;
use plait_core::attachment::{Attachment, AttachmentKind};
use plait_core::error::Fault;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Value, json};

use super::log::cut;
use crate::codes;

/// The longest result. A model's window holds less.
const MAX_RESULT_BYTES: usize = 4 << 20;
const MAX_ERROR_BYTES: usize = 8 << 10;

/// The result of a call, and the images in it with their bytes, which the result refers to.
pub(super) type ResultWithImages = (Value, Vec<Attachment>);

/// The result of a call: the structured content if there is some, else the text, or a list of all content. Images are references to
/// attachments; other content is described by its type and size. `mcp.tool_failed` if the tool reports an error, `mcp.too_large`.
pub(super) fn to_value(server: &str, tool: &str, result: CallToolResult) -> Result<ResultWithImages, Fault> {
    if result.is_error == Some(true) {
        let texts: Vec<String> = result.content.into_iter().filter_map(as_text).collect();
        let said = cut(texts.join("\n").trim(), MAX_ERROR_BYTES);
        let what = if said.is_empty() { "It does not say why.".to_owned() } else { said };
        return Err(Fault::new(
            codes::MCP_TOOL_FAILED,
            format!("The tool `{tool}` of `{server}` failed: {what}"),
        ));
    }
    let mut images = Vec::new();
    let value = if let Some(value) = result.structured_content {
        value
    } else {
        let mut items: Vec<Value> = result
            .content
            .into_iter()
            .map(|block| match read_image(tool, &block) {
                Some(image) => {
                    let reference = attachment::to_value(&image);
                    images.push(image);
                    reference
                }
                None => describe(block),
            })
            .collect();
        let is_text = items.iter().all(Value::is_string);
        match items.len() {
            0 => Value::Null,
            1 => items.remove(0),
            _ if is_text => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n").into(),
            _ => Value::Array(items),
        }
    };
    let bytes = size_of(&value);
    if bytes > MAX_RESULT_BYTES {
        let message = format!(
            "The tool `{tool}` of `{server}` returned {} MB; at most {} MB can be used.",
            bytes >> 20,
            MAX_RESULT_BYTES >> 20
        );
        return Err(Fault::new(codes::MCP_TOO_LARGE, message).hint("Ask the tool for less."));
    }
    Ok((value, images))
}

/// The image of a block, if models take images of its kind. It is named after the tool.
fn read_image(tool: &str, block: &ContentBlock) -> Option<Attachment> {
    let ContentBlock::Image(image) = block else { return None };
    let bytes = STANDARD.decode(&image.data).ok()?;
    let mut found = attachment::inspect(tool, bytes.into()).ok()?;
    if found.kind() != AttachmentKind::Image {
        return None;
    }
    if let Some((_, extension)) = found.media_type.split_once('/') {
        found.name = format!("{}.{extension}", found.name);
    }
    Some(found)
}

fn size_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        other => other.to_string().len(),
    }
}

fn as_text(block: ContentBlock) -> Option<String> {
    match block {
        ContentBlock::Text(text) => Some(text.text),
        _ => None,
    }
}

fn describe(block: ContentBlock) -> Value {
    match block {
        ContentBlock::Text(text) => text.text.into(),
        ContentBlock::Image(image) => describe_binary("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => describe_binary("audio", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => describe_resource(embedded.resource),
        ContentBlock::ResourceLink(link) => {
            let mut described = json!({ "type": "resourceLink", "uri": link.uri, "name": link.name });
            if let Some(description) = link.description {
                described["description"] = description.into();
            }
            described
        }
        _ => json!({ "type": "unknown" }),
    }
}

pub(super) fn describe_resource(resource: ResourceContents) -> Value {
    match resource {
        ResourceContents::TextResourceContents { uri, text, .. } => {
            json!({ "type": "resource", "uri": uri, "text": text })
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let mut described = describe_binary("resource", &mime_type.unwrap_or_default(), &blob);
            described["uri"] = uri.into();
            described
        }
        _ => json!({ "type": "unknown" }),
    }
}

fn describe_binary(kind: &str, mime_type: &str, base64: &str) -> Value {
    let padding = base64.bytes().rev().take_while(|byte| *byte == b'=').count();
    json!({ "type": kind, "mimeType": mime_type, "bytes": (base64.len() / 4 * 3).saturating_sub(padding) })
}
