//! Images that a model replies with.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plait_core::attachment::{Attachment, inspect};
use plait_core::error::Fault;

use crate::providers::http::ErrorContext;

/// The image number `number`, from 0, of a reply, from its base64.
pub(crate) fn received_image(
    number: usize,
    base64: &str,
    context: &ErrorContext,
) -> Result<Attachment, Fault> {
    let unreadable =
        |why: &str| context.invalid_response(&format!("sent an image that can't be read: {why}"), "");
    let bytes = STANDARD.decode(base64).map_err(|_| unreadable("it is not in base64"))?;
    let attachment = inspect("image", bytes.into()).map_err(|fault| unreadable(&fault.message))?;
    let extension = attachment.media_type.rsplit('/').next().unwrap_or_default();
    Ok(Attachment { name: format!("image-{}.{extension}", number + 1), ..attachment })
}

/// The same from a URL of the scheme `data`.
pub(crate) fn received_data_url(
    number: usize,
    url: &str,
    context: &ErrorContext,
) -> Result<Attachment, Fault> {
    let base64 =
        url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")).map(|(_, base64)| base64);
    let not_inline = || context.invalid_response("sent an image that is not in its reply", url);
    received_image(number, base64.ok_or_else(not_inline)?, context)
}
