//! The names of the semantic conventions that Plait follows. They are still in development, so one version is pinned: 1.41.0,
//! the last one of the repository `semantic-conventions` that has them.

/// The version, as a schema URL.
pub const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.41.0";

pub const OPERATION_NAME: &str = "gen_ai.operation.name";
pub const PROVIDER_NAME: &str = "gen_ai.provider.name";
pub const WORKFLOW_NAME: &str = "gen_ai.workflow.name";
pub const CONVERSATION_ID: &str = "gen_ai.conversation.id";
pub const REQUEST_MODEL: &str = "gen_ai.request.model";
pub const REQUEST_TEMPERATURE: &str = "gen_ai.request.temperature";
pub const REQUEST_MAX_TOKENS: &str = "gen_ai.request.max_tokens";
pub const RESPONSE_ID: &str = "gen_ai.response.id";
pub const RESPONSE_FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
pub const OUTPUT_TYPE: &str = "gen_ai.output.type";
pub const USAGE_INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub const USAGE_OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub const USAGE_CACHE_READ: &str = "gen_ai.usage.cache_read.input_tokens";
pub const USAGE_CACHE_CREATION: &str = "gen_ai.usage.cache_creation.input_tokens";
pub const TOOL_NAME: &str = "gen_ai.tool.name";
pub const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";
pub const TOOL_TYPE: &str = "gen_ai.tool.type";
pub const ERROR_TYPE: &str = "error.type";

// With message contents only.
pub const SYSTEM_INSTRUCTIONS: &str = "gen_ai.system_instructions";
pub const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
pub const TOOL_CALL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub const TOOL_CALL_RESULT: &str = "gen_ai.tool.call.result";

/// The values of [`OPERATION_NAME`].
pub const CHAT: &str = "chat";
pub const EXECUTE_TOOL: &str = "execute_tool";
pub const INVOKE_WORKFLOW: &str = "invoke_workflow";

// Plait's own.
pub const RUN_ID: &str = "plait.run.id";
pub const RUN_STATUS: &str = "plait.run.status";
pub const NODE_ID: &str = "plait.node.id";
pub const NODE_EPOCH: &str = "plait.node.epoch";
pub const COST_NANO_USD: &str = "plait.cost.nano_usd";
pub const REUSED: &str = "plait.reused";
pub const PURPOSE: &str = "plait.purpose";

/// The conventions' name of a provider: theirs for the vendors that they know, else Plait's.
pub fn provider_name(provider: &str) -> &str {
    match provider {
        "openai" | "openai-chat" => "openai",
        "gemini" | "gemini-interactions" => "gcp.gemini",
        other => other,
    }
}
