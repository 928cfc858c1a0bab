//! The error codes of models, providers, tools, grants and quotas. Those of the crates below are here as well.

pub use plait_core::codes::*;

plait_core::error_codes! {
    "Conversational loops" {
        HISTORY_NO_SUMMARY = "history.no_summary",
            "No usable summary of a loop's older turns was written. They were left out by the bounds alone.",
            "Set another `summarizer_agent`, or another model as the summarizer in the settings.";
    }

    "Debugger" {
        DEBUG_BAD_HISTORY = "debug.bad_history",
            "A history was edited in a way that model servers refuse, or has no such message.",
            "Questions and replies alternate, and each tool call needs its result. Remove them together.";
    }

    "Long-term memory" {
        MEMORY_EMPTY = "memory.empty",
            "A memory has no text, or a procedure has no steps.",
            "Give a text and, for a procedure, the steps.";
        MEMORY_HAS_STEPS = "memory.has_steps",
            "A memory that is no procedure has steps.",
            "Set the kind to `procedure`, or leave the steps out.";
        MEMORY_TOO_LONG = "memory.too_long",
            "A memory is too long, or too many were to be stored at once.",
            "Summarize it, or store several memories.";
        MEMORY_UNAVAILABLE = "memory.unavailable",
            "The host has no long-term memory.",
            "Run the flow in Plait's window or with `plait run`.";
    }

    "Workflow memory" {
        MEMORY_OFF = "memory.off",
            "A node that may not read the workflow's memory was offered a tool that does.",
            "Set `memory.mode` of the node to `read` or `readWrite`, or do not offer the tool to it.";
    }

    "Model nodes" {
        CHAT_CONTENT_FILTERED = "chat.content_filtered",
            "The provider withheld the reply.",
            "Rephrase the message or the instructions.";
        CHAT_EMPTY_REPLY = "chat.empty_reply",
            "The model replied with no text and no tool call.",
            "Raise `maxTokens` if the reply was cut, or use another model.";
        CHAT_INCOMPLETE = "chat.incomplete",
            "The provider ended the reply before it was whole.",
            "Run it again. The message says what stopped it; if it keeps happening, use another model.";
        MODEL_NONE = "model.none",
            "No model is set for the provider of this node.",
            "Set a model on the node, in the flow's settings, or for the provider.";
    }

    "Contexts" {
        CONTEXT_TOO_LARGE = "context.too_large",
            "The prompt does not fit the context window.",
            "Shorten the message or the instructions, offer fewer tools, lower `maxTokens`, or use a larger model.";
        CONTEXT_UNKNOWN = "context.unknown",
            "There is no context of this name.",
            "Wire a context edge, or use the id of a context that the flow creates.";
    }

    "Keys" {
        KEYS_LOCKED = "keys.locked",
            "The system keychain is locked.",
            "Unlock it, give the key in the environment, or set PLAIT_KEYCHAIN=off.";
        KEYS_PASSPHRASE_MISSING = "keys.passphrase_missing",
            "The file of stored keys needs a passphrase.",
            "Set PLAIT_KEYS_PASSPHRASE.";
    }

    "Grants" {
        GRANT_ASKS = "grant.asks",
            "A call would use something on its way that the person wants to be asked about.",
            "Call the tool with that target itself; the person is asked then.";
        GRANT_DENIED = "grant.denied",
            "The person denied the flow this command, host, folder or tool.",
            "Change the rule under *What this flow may do* or with `plait grants`, then run the flow again.";
        GRANT_MISSING = "grant.missing",
            "The run wants to use a command, a host or a folder that nobody allowed.",
            "Allow it under *What this flow may do* or with `--allow`, then run the flow again.";
    }

    "Knowledge bases" {
        KNOWLEDGE_NO_QUERY = "knowledge.no_query",
            "There is nothing to search for.",
            "Feed `query`, or put a `userInput` before the node on the context edge.";
        KNOWLEDGE_UNKNOWN = "knowledge.unknown",
            "There is no knowledge base of this name.",
            "Add it in the Knowledge panel or with `plait knowledge add`, or correct the name in the node.";
    }

    "MCP servers" {
        MCP_UNKNOWN_SERVER = "mcp.unknown_server",
            "There is no MCP server of this name.",
            "Add it under *MCP servers* or with `plait mcp add`.";
    }

    "Providers" {
        PROVIDER_BAD_OPTIONS = "provider.bad_options",
            "The options of a model call are invalid.",
            "Correct `options` on the node.";
        PROVIDER_BAD_REQUEST = "provider.bad_request",
            "The server rejected the request.",
            "The server's message says why; check the options and the model.";
        PROVIDER_BAD_SETTINGS = "provider.bad_settings",
            "The settings of the provider are invalid.",
            "Correct its base URL.";
        PROVIDER_CERTIFICATE = "provider.certificate",
            "The certificate of the server is not trusted.",
            "Add the certificate of its authority to those that the system trusts (on Linux, `SSL_CERT_FILE` can name a file), and check the date of the machine.";
        PROVIDER_CONTEXT_EXCEEDED = "provider.context_exceeded",
            "The provider refused the prompt because it is larger than the model's window.",
            "Set the model's window in the settings, shorten the conversation, or use a larger model.";
        PROVIDER_NO_CLIENT = "provider.no_client",
            "A connection to the provider cannot be set up on this system.",
            "Check the system's certificates.";
        PROVIDER_NO_KEY = "provider.no_key",
            "The provider takes no key.",
            "Remove the key, or choose another provider.";
        PROVIDER_NO_MODELS = "provider.no_models",
            "The provider answers, but lists no models.",
            "Load or pull a model on the server.";
        PROVIDER_NOT_FOUND = "provider.not_found",
            "The server does not have the model or the address asked for.",
            "Check the model and the base URL.";
        PROVIDER_OVERLOADED = "provider.overloaded",
            "The server is overloaded.",
            "Wait a little, or set more attempts on the node.";
        PROVIDER_PROXY = "provider.proxy",
            "A proxy between Plait and the provider refuses the request, or the environment names one that can't be used.",
            "Correct the proxy in its environment variable, or add the host to `NO_PROXY`.";
        PROVIDER_RATE_LIMITED = "provider.rate_limited",
            "The rate limit or the credit of the account is used up.",
            "Wait, add credit, or use another model.";
        PROVIDER_SCRIPT_OVER = "provider.script_over",
            "The script of the offline provider has no reply left.",
            "Add replies, or let the script repeat.";
        PROVIDER_SERVER_ERROR = "provider.server_error",
            "The server failed.",
            "Try again; if it persists, look at the server's log.";
        PROVIDER_TIMEOUT = "provider.timeout",
            "The server did not answer in time.",
            "Check that the server runs, or raise its timeout.";
        PROVIDER_UNAUTHORIZED = "provider.unauthorized",
            "The key is missing or was rejected.",
            "Set the key in the settings or with `plait keys set`.";
        PROVIDER_UNKNOWN = "provider.unknown",
            "There is no provider of this name.",
            "Choose one of the providers listed, or add it in the settings.";
        PROVIDER_UNREACHABLE = "provider.unreachable",
            "The server cannot be reached.",
            "Check that the server runs, and the base URL.";
    }

    "Runs" {
        QUOTA_EXCEEDED = "quota.exceeded",
            "A model call would exceed the quota of the run, the conversation or the day. It was not sent.",
            "Raise the quota, then retry the run: it reuses what it has bought.";
        QUOTA_NODE_EXCEEDED = "quota.node_exceeded",
            "A model call would exceed the quota of its node or of a loop around it. It was not sent.",
            "Raise the quota, set `maxTokens` so that calls reserve less, or wire the `error` output.";
        RUN_TOO_MANY_EVENTS = "run.too_many_events",
            "The run and those below it have recorded as many events as they may.",
            "Find what repeats, or raise `settings.limits.maxEvents`.";
        RUN_TOO_MANY_MODEL_CALLS = "run.too_many_model_calls",
            "The run and those below it have made as many model calls as they may.",
            "Find what repeats, or raise `settings.limits.maxModelCalls`.";
        RUN_TOO_MANY_RUNS = "run.too_many_runs",
            "The run and those below it are as many as there may be.",
            "Find which sub-flow runs too often, or raise `settings.limits.maxRuns`.";
    }

    "Tools" {
        TOOL_BAD_ARGUMENTS = "tool.bad_arguments",
            "The arguments of a tool call do not follow the tool's schema.",
            "The model sees this error and calls again; describe the arguments more plainly.";
        TOOL_BAD_URL = "tool.bad_url",
            "The URL of a request is not one that can be requested.",
            "Use a full URL that begins with http:// or https://.";
        TOOL_NOT_FOUND = "tool.not_found",
            "There is no such file in the flow's folder.",
            "Check the path.";
        TOOL_TOO_LARGE = "tool.too_large",
            "The file, the answer of a server or the result of a tool is too large.",
            "Split the file, or request less.";
        TOOL_UNKNOWN = "tool.unknown",
            "There is no tool of this name.",
            "Choose one of the tools listed.";
        TOOLS_BAD_DECLARATION = "tools.bad_declaration",
            "A `tools` node declares a tool that cannot be offered.",
            "Correct the declaration as the message says.";
        TOOLS_UNKNOWN = "tools.unknown",
            "A `tools` node names a tool that does not exist.",
            "Choose one of the tools listed.";
    }
}
