//! The settings of a provider as options of the command line. `add` and `set` take the same.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use plait_api::providers::{
    ProviderKind, ProviderSettings, ReasoningField, StructuredOutput, TokenLimitField,
};

/// A protocol, as the command line names it.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Kind {
    /// Chat completions, which most servers speak
    OpenaiChat,
    /// OpenAI's Responses API
    OpenaiResponses,
    /// Anthropic's Messages API
    Anthropic,
    /// Google's Gemini API
    Gemini,
    /// Google's Interactions API, which can store conversations
    GeminiInteractions,
    /// Ollama's own protocol
    Ollama,
}

impl From<Kind> for ProviderKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::OpenaiChat => Self::OpenAi,
            Kind::OpenaiResponses => Self::OpenAiResponses,
            Kind::Anthropic => Self::Anthropic,
            Kind::Gemini => Self::Gemini,
            Kind::GeminiInteractions => Self::GeminiInteractions,
            Kind::Ollama => Self::Ollama,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum TokenLimit {
    MaxTokens,
    MaxCompletionTokens,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Reasoning {
    ReasoningContent,
    Reasoning,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Structured {
    /// `response_format` with the schema
    JsonSchema,
    /// `response_format` for any JSON object, and the schema in words
    JsonObject,
    /// The schema in words only
    Instructions,
}

/// The settings that the command line gives.
#[derive(Debug, Args)]
pub(super) struct FieldArgs {
    /// Protocol of the server.
    #[arg(long, value_enum)]
    pub(super) kind: Option<Kind>,
    /// Base URL; for chat completions and Responses including `/v1`.
    #[arg(long)]
    pub(super) url: Option<String>,
    /// Environment variable that holds the key. Of several, separated by commas, the first that is set.
    #[arg(long, value_name = "VAR")]
    key_env: Option<String>,
    /// Use the key of this provider, if it is at the same host and this one has none of its own.
    #[arg(long, value_name = "PROVIDER")]
    key_of: Option<String>,
    /// Header that carries the key, such as `api-key`, in place of the protocol's.
    #[arg(long, value_name = "HEADER")]
    key_header: Option<String>,
    /// Parameter in the query of every request, such as `api-version=2024-10-21`. Repeatable; an empty value removes it.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_parameter)]
    query: Vec<(String, String)>,
    /// Field of the token limit (chat completions).
    #[arg(long, value_enum, value_name = "FIELD", help_heading = "Quirks")]
    token_limit: Option<TokenLimit>,
    /// Field in which reasoning goes back in tool rounds (chat completions).
    #[arg(long, value_enum, value_name = "FIELD", help_heading = "Quirks")]
    reasoning: Option<Reasoning>,
    /// How a reply that follows a schema is asked for (chat completions).
    #[arg(long, value_enum, value_name = "FORM", help_heading = "Quirks")]
    structured_output: Option<Structured>,
    /// Whether schemas may be sent with `strict` (chat completions).
    #[arg(long, value_name = "BOOL", help_heading = "Quirks")]
    strict: Option<bool>,
    /// Whether `stream_options` is sent (chat completions).
    #[arg(long, value_name = "BOOL", help_heading = "Quirks")]
    stream_options: Option<bool>,
    /// Whether ids of tool calls are sent as nine letters and digits (chat completions).
    #[arg(long, value_name = "BOOL", help_heading = "Quirks")]
    short_tool_call_ids: Option<bool>,
    /// Whether consecutive messages of one role are sent as one (chat completions).
    #[arg(long, value_name = "BOOL", help_heading = "Quirks")]
    merge_roles: Option<bool>,
    /// Whether a text's beginning between `<think>` tags becomes the reasoning of the reply.
    #[arg(long, value_name = "BOOL", help_heading = "Quirks")]
    reasoning_tags: Option<bool>,
    /// Whether the provider may store conversations (Responses).
    #[arg(long, value_name = "BOOL")]
    sessions: Option<bool>,
    /// Timeout for connecting, in milliseconds.
    #[arg(long, value_name = "MS", help_heading = "Timeouts")]
    connect_timeout: Option<u64>,
    /// Timeout for the start of a reply, in milliseconds.
    #[arg(long, value_name = "MS", help_heading = "Timeouts")]
    header_timeout: Option<u64>,
    /// Timeout between two parts of a reply, in milliseconds.
    #[arg(long, value_name = "MS", help_heading = "Timeouts")]
    read_timeout: Option<u64>,
}

fn parse_parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl FieldArgs {
    /// Puts the given fields into the settings. An empty text removes a setting.
    pub(super) fn apply(self, settings: &mut ProviderSettings) {
        if let Some(kind) = self.kind {
            settings.kind = kind.into();
        }
        set_text(&mut settings.base_url, self.url);
        set_text(&mut settings.key_env, self.key_env);
        set_text(&mut settings.key_of, self.key_of);
        set_text(&mut settings.key_header, self.key_header);
        change_query(&mut settings.query, self.query);
        let quirks = &mut settings.quirks;
        quirks.token_limit = self.token_limit.map(Into::into).or(quirks.token_limit);
        quirks.reasoning = self.reasoning.map(Into::into).or(quirks.reasoning);
        quirks.structured_output = self.structured_output.map(Into::into).or(quirks.structured_output);
        quirks.strict = self.strict.or(quirks.strict);
        quirks.stream_options = self.stream_options.or(quirks.stream_options);
        quirks.short_tool_call_ids = self.short_tool_call_ids.or(quirks.short_tool_call_ids);
        quirks.merge_roles = self.merge_roles.or(quirks.merge_roles);
        settings.reasoning_tags = self.reasoning_tags.or(settings.reasoning_tags);
        settings.sessions = self.sessions.or(settings.sessions);
        settings.connect_timeout_ms = self.connect_timeout.or(settings.connect_timeout_ms);
        settings.header_timeout_ms = self.header_timeout.or(settings.header_timeout_ms);
        settings.read_timeout_ms = self.read_timeout.or(settings.read_timeout_ms);
    }
}

fn set_text(field: &mut Option<String>, given: Option<String>) {
    if let Some(text) = given {
        *field = Some(text).filter(|text| !text.is_empty());
    }
}

fn change_query(query: &mut BTreeMap<String, String>, given: Vec<(String, String)>) {
    for (name, value) in given {
        if value.is_empty() {
            query.remove(&name);
        } else {
            query.insert(name, value);
        }
    }
}

/// A setting that `set --unset` removes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Field {
    KeyEnv,
    KeyOf,
    KeyHeader,
    Query,
    TokenLimit,
    Reasoning,
    StructuredOutput,
    Strict,
    StreamOptions,
    ShortToolCallIds,
    MergeRoles,
    ReasoningTags,
    Sessions,
    ConnectTimeout,
    HeaderTimeout,
    ReadTimeout,
}

impl Field {
    /// Puts back the default.
    pub(super) fn unset(self, settings: &mut ProviderSettings) {
        let quirks = &mut settings.quirks;
        match self {
            Self::KeyEnv => settings.key_env = None,
            Self::KeyOf => settings.key_of = None,
            Self::KeyHeader => settings.key_header = None,
            Self::Query => settings.query.clear(),
            Self::TokenLimit => quirks.token_limit = None,
            Self::Reasoning => quirks.reasoning = None,
            Self::StructuredOutput => quirks.structured_output = None,
            Self::Strict => quirks.strict = None,
            Self::StreamOptions => quirks.stream_options = None,
            Self::ShortToolCallIds => quirks.short_tool_call_ids = None,
            Self::MergeRoles => quirks.merge_roles = None,
            Self::ReasoningTags => settings.reasoning_tags = None,
            Self::Sessions => settings.sessions = None,
            Self::ConnectTimeout => settings.connect_timeout_ms = None,
            Self::HeaderTimeout => settings.header_timeout_ms = None,
            Self::ReadTimeout => settings.read_timeout_ms = None,
        }
    }
}

impl From<TokenLimit> for TokenLimitField {
    fn from(field: TokenLimit) -> Self {
        match field {
            TokenLimit::MaxTokens => Self::MaxTokens,
            TokenLimit::MaxCompletionTokens => Self::MaxCompletionTokens,
        }
    }
}

impl From<Reasoning> for ReasoningField {
    fn from(field: Reasoning) -> Self {
        match field {
            Reasoning::ReasoningContent => Self::ReasoningContent,
            Reasoning::Reasoning => Self::Reasoning,
        }
    }
}

impl From<Structured> for StructuredOutput {
    fn from(form: Structured) -> Self {
        match form {
            Structured::JsonSchema => Self::JsonSchema,
            Structured::JsonObject => Self::JsonObject,
            Structured::Instructions => Self::Instructions,
        }
    }
}
