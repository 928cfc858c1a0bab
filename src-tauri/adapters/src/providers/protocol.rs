//! Parts of wire protocols that several providers share.

pub(super) mod instructions;
pub(super) mod object_schema;
pub(super) mod openai_models;
pub(super) mod received_attachments;
pub(super) mod schema_values;
pub(super) mod stored_replies;
pub(super) mod stored_session;
pub(super) mod streamed_text;
pub(super) mod strict_schema;
pub(super) mod tool_call_ids;
pub(super) mod tool_calls;
