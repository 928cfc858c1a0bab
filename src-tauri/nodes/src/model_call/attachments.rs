//! The images and files of a model call: read for a message, checked before the call, and kept of a reply.

use std::sync::Arc;

use plait_core::attachment::{Attachment, AttachmentKind, AttachmentStore, attachments_of};
use plait_core::error::Fault;
use plait_core::port::ATTACH_PORT;
use plait_llm::context::{Content, Message, Part, SharedMessage};
use plait_llm::models;
use plait_llm::models::ModelConfig;
use plait_llm::provider::{ModelReply, ModelRequest, Provider};
use plait_run::node::{Inputs, NodeContext};

use crate::codes;

/// The attachments on the input `attach`. Faults `attachment.bad_value`, `attachment.too_many`.
pub(crate) fn attached(inputs: &Inputs) -> Result<Vec<Attachment>, Fault> {
    let mut all = Vec::new();
    for datum in inputs.all(ATTACH_PORT) {
        all.extend(attachments_of(&datum.value)?);
    }
    Ok(all)
}

/// A message with this text and these attachments: text files become a part of its text, images and PDFs stay references. Fault
/// `attachment.missing`.
pub(crate) async fn attach(
    text: String,
    attachments: Vec<Attachment>,
    node_context: &NodeContext,
) -> Result<Content, Fault> {
    let (texts, others): (Vec<_>, Vec<_>) =
        attachments.into_iter().partition(|attachment| attachment.kind() == AttachmentKind::Text);
    let mut blocks = vec![text];
    for attachment in texts {
        let loaded = load(&*node_context.host.attachments, attachment).await?;
        if let Some(encoding) = loaded.foreign_encoding() {
            node_context.notice(other_encoding(&loaded.name, encoding));
        }
        blocks.extend(loaded.text_block());
    }
    blocks.retain(|block| !block.is_empty());
    Ok(Content::with_attachments(blocks.join("\n\n"), others))
}

fn other_encoding(name: &str, encoding: &str) -> Fault {
    let message = format!("The file `{name}` is not in UTF-8. It was read as {encoding}.");
    Fault::new(codes::ATTACHMENT_OTHER_ENCODING, message)
        .hint("If its letters are wrong in the message, save the file in UTF-8 and attach it again.")
}

/// Refuses a request with an attachment that its provider or its model is known not to take. Fault `attachment.unsupported`.
pub(super) fn check_support(
    request: &ModelRequest,
    provider_name: &str,
    provider: &dyn Provider,
) -> Result<(), Fault> {
    let attachments = request.messages.iter().flat_map(|message| message.content.attachments());
    for attachment in attachments {
        let (kind, name) = (attachment.kind(), &attachment.name);
        let model = &request.model;
        if !provider.takes_attachment(&attachment.media_type) {
            let message = format!(
                "The message to `{model}` has the {kind} `{name}` ({}), which the protocol of the provider `{provider_name}` can't \
                 send. Nothing was sent.",
                attachment.media_type
            );
            return Err(unsupported(message));
        }
        if models::takes(provider_name, model, kind) == Some(false) {
            let message = format!(
                "The model `{model}` of `{provider_name}` takes no attachment of this kind, and the message has the {kind} `{name}`. \
                 Nothing was sent."
            );
            return Err(unsupported(message));
        }
    }
    Ok(())
}

/// Whether neither the model nor its provider is known not to take an attachment.
pub(super) fn is_supported(attachment: &Attachment, model: &ModelConfig, provider: &dyn Provider) -> bool {
    provider.takes_attachment(&attachment.media_type)
        && models::takes(&model.provider, &model.model, attachment.kind()) != Some(false)
}

fn unsupported(message: String) -> Fault {
    Fault::new(codes::ATTACHMENT_UNSUPPORTED, message)
        .hint("Use a model that takes it, or leave the file out. A conversation keeps what was attached to earlier messages.")
}

/// The request with the bytes of its attachments. Fault `attachment.missing`.
pub(super) async fn load_request(
    mut request: ModelRequest,
    store: &dyn AttachmentStore,
) -> Result<ModelRequest, Fault> {
    for message in &mut request.messages {
        if message.content.attachments().next().is_some() {
            *message = load_message(message, store).await?;
        }
    }
    Ok(request)
}

async fn load_message(message: &SharedMessage, store: &dyn AttachmentStore) -> Result<SharedMessage, Fault> {
    let Content::Parts(parts) = &message.content else { return Ok(Arc::clone(message)) };
    let mut loaded = Vec::with_capacity(parts.len());
    for part in parts {
        loaded.push(match part {
            Part::Attachment(attachment) => Part::Attachment(load(store, attachment.clone()).await?),
            text @ Part::Text { .. } => text.clone(),
        });
    }
    Ok(Arc::new(Message { content: Content::Parts(loaded), ..Message::clone(message) }))
}

async fn load(store: &dyn AttachmentStore, attachment: Attachment) -> Result<Attachment, Fault> {
    let data = store.get(&attachment.hash).await.map_err(|fault| Fault {
        message: format!("The attachment `{}` can't be read: {}", attachment.name, fault.message),
        ..fault
    })?;
    Ok(Attachment { data: Some(data), ..attachment })
}

/// Stores the images and files of a reply, which holds references to them afterwards. Faults `store.*`.
pub(super) async fn keep_reply(reply: &mut ModelReply, store: &dyn AttachmentStore) -> Result<(), Fault> {
    for attachment in &mut reply.attachments {
        if let Some(data) = attachment.data.take() {
            store.put(&attachment.hash, data).await?;
        }
    }
    Ok(())
}
