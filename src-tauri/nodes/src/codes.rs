//! The error codes of node types and model calls. Those of the crates below are here as well.

pub use plait_run::codes::*;

plait_core::error_codes! {
    "Attachments" {
        ATTACHMENT_OTHER_ENCODING = "attachment.other_encoding",
            "A text file is not in UTF-8. It was read in the encoding that its bytes suggest.",
            "If its letters are wrong in the message, save the file in UTF-8 and attach it again.";
        ATTACHMENT_UNSUPPORTED = "attachment.unsupported",
            "A message has an image or a file that the model or its provider can't take. Nothing was sent.",
            "Use a model that takes it, or leave the file out.";
    }

    "Workflow memory" {
        MEMORY_NO_SUMMARY = "memory.no_summary",
            "The model for the summary of the workflow's memory gave none. The summary stays as it was.",
            "Set another model as the summarizer of the memory.";
        MEMORY_READ_ONLY = "memory.read_only",
            "A model wanted to add to the workflow's memory, which its node may only read.",
            "Set `memory.mode` of the node to `readWrite`.";
    }

    "Model nodes" {
        CHAT_NO_MESSAGE = "chat.no_message",
            "The node has nothing to send to the model.",
            "Feed its input, write a prompt, or put a `userInput` before it on the context edge.";
        CHAT_NO_TOOLS = "chat.no_tools",
            "The model called a tool, but none were offered.",
            "Connect the tool to the node, or tell the model to answer without tools.";
        CHAT_NOT_STRUCTURED = "chat.not_structured",
            "The reply does not follow `responseSchema`.",
            "Simplify the schema, turn retries on, or use another model.";
        CHAT_TOO_DEEP = "chat.too_deep",
            "The reply is nested too deeply.",
            "Ask again, or use another model.";
        CHAT_TOO_MANY_TOOL_ROUNDS = "chat.too_many_tool_rounds",
            "The model kept calling tools and gave no final reply.",
            "Raise `maxToolRounds`, or tell the model when to stop.";
        CHAT_TOOL_CALL_IN_TEXT = "chat.tool_call_in_text",
            "The model wrote a tool call into the text of its reply. No tool was called.",
            "Turn on tool calls at the model server, or use a model that calls tools.";
        CHAT_TRUNCATED = "chat.truncated",
            "A limit of tokens cut off a tool call or a structured reply.",
            "Raise `maxTokens`, or ask for less in one reply.";
        CLASSIFY_UNREADABLE = "classify.unreadable",
            "The model named none of the classes, twice.",
            "Describe the classes more plainly, turn `other` on, or use another model.";
        EXTRACT_INVALID = "extract.invalid",
            "The model returned no value that follows the schema.",
            "Simplify the schema, or use another model.";
        OUTPUT_NOT_JSON = "output.not_json",
            "The value for an output of kind JSON is not JSON.",
            "Ask the model for JSON with `responseSchema`, or choose another format.";
    }

    "Conversations" {
        CONVERSATION_NO_SUMMARY = "conversation.no_summary",
            "The summary of a conversation could not be made.",
            "Use another model for summaries, or choose the strategy `window`.";
    }

    "Runs" {
        QUOTA_OVERRUN = "quota.overrun",
            "A call used more than was reserved for it, so that a quota is exceeded: the provider counts tokens differently from Plait.",
            "What was used stays charged, and later calls reserve more. Leave some room in the quota, or set `maxTokens`.";
        QUOTA_NO_PRICE = "quota.no_price",
            "A quota limits money, but the price of the model is not known. The call was not sent.",
            "Set the model's price in the settings, 0 if it is free, or limit tokens instead of money.";
    }

    "Sub-flows" {
        SUBFLOW_CANCELED = "subflow.cancelled",
            "The sub-flow was canceled.",
            "Run the flow again, or wire the `error` output.";
        SUBFLOW_FAILED = "subflow.failed",
            "The sub-flow failed.",
            "Open the child run to see why.";
    }

    "Loops" {
        LOOP_NONE = "loop.none",
            "A model called the tool `finish` outside of a loop.",
            "Do not offer the tool to this node, or move the node into a loop.";
    }

    "Tools" {
        TOOL_ASKS = "tool.asks",
            "The tool asks the person; its call is made again with the answer.",
            "Answer the question of the run.";
        TOOL_BAD_SCHEMA = "tool.bad_schema",
            "The schema of a tool's arguments is not a JSON Schema that can be used.",
            "Correct the schema where the tool is declared, or do not offer the tool.";
        TOOL_INTERRUPTED = "tool.interrupted",
            "A tool call that changes something was interrupted, and the person did not want it to be made again.",
            "Find out whether it had an effect. The model sees this error.";
        TOOL_NO_MODEL = "tool.no_model",
            "A tool requests the reply of a model, and the node that calls it has none.",
            "Set the node's `provider` and `model`, or let a *Chat* call the tool.";
        TOOL_NOT_OFFERED = "tool.not_offered",
            "The model called a tool that was not offered to it.",
            "The model sees this error; offer the tool if it is needed.";
        TOOL_REJECTED = "tool.rejected",
            "The person did not allow the tool call.",
            "The model sees this error, with the person's comment.";
        TOOL_SAMPLING_TOO_LARGE = "tool.sampling_too_large",
            "A tool requests the reply of a model to more text than a person can be expected to read.",
            "Call the tool with less.";
        TOOL_TIMEOUT = "tool.timeout",
            "The tool took longer than its time limit.",
            "Raise the tool's `timeoutMs`, or ask for less at once.";
        TOOL_TOO_DEEP = "tool.too_deep",
            "The result of the tool is nested too deeply.",
            "Ask the tool for less.";
        TOOL_TOO_MANY_REQUESTS = "tool.too_many_requests",
            "A tool asked the person or a model too often in one call.",
            "Ask the author of the tool: after each answer the call is made again, and has to ask the same.";
        TOOLS_DUPLICATE = "tools.duplicate",
            "Two bundles offer a tool of the same name.",
            "Offer only one of them to this node.";
        TOOLS_UNREADABLE = "tools.unreadable",
            "The description of a tool cannot be written as JSON.",
            "Please report it.";
    }
}
