//! The error codes of runs, and of what runs expect of providers, tools and stores. Those of the crates below are here as well.

pub use plait_core::codes::*;

plait_core::error_codes! {
    "Answers" {
        ANSWER_NOT_WAITING = "answer.not_waiting",
            "The activation is not waiting for an answer.",
            "It may have been answered already. Look at the open pauses of the run.";
    }

    "Attachments" {
        ATTACHMENT_NOT_ASKED = "attachment.not_asked",
            "An answer has attachments, but the question takes none.",
            "Turn on `attachments` in the settings of the `userInput`, or answer without files.";
    }

    "Conversational loops" {
        HISTORY_NO_SUMMARY = "history.no_summary",
            "No usable summary of a loop's older turns was written. They were left out by the bounds alone.",
            "Set another `summarizer_agent`, or another model as the summarizer in the settings.";
        HISTORY_NO_TURN = "history.no_turn",
            "The conversation of a loop has no such turn, or the loop has ended.",
            "Look at the turns again: `plait runs turns` lists them, and so does the Context tab.";
        HISTORY_NOT_WAITING = "history.not_waiting",
            "A turn was to be pinned while the run does not wait for a person.",
            "Pin it when the run asks, before you answer.";
        HISTORY_TEMPLATE_IGNORED = "history.template_ignored",
            "A loop has a `history_template`, but the model takes messages: it received the turns as messages.",
            "Remove the template, or mark the model as prompt-only in the settings.";
    }

    "Debugger" {
        DEBUG_BAD_BREAKPOINT = "debug.bad_breakpoint",
            "A breakpoint can't be used: its condition or text does not compile, or its ID is taken.",
            "Correct it. Conditions are CEL, texts are templates.";
        DEBUG_BAD_HISTORY = "debug.bad_history",
            "A history was edited in a way that model servers refuse, or has no such message.",
            "Questions and replies alternate, and each tool call needs its result. Remove them together.";
        DEBUG_CANNOT_PAUSE = "debug.cannot_pause",
            "A branch was to be paused at a node that does not run, or while another branch is held.",
            "Name a node that runs, or set a breakpoint that holds its branch. Loops are paused with the whole run.";
        DEBUG_CANNOT_RETRY = "debug.cannot_retry",
            "A node was to be run again that is not held after its end.",
            "Stop after the node: a node can be run again until its outputs are delivered.";
        DEBUG_CANNOT_TRY = "debug.cannot_try",
            "A config was to be tried that changes more than what its node does, or that of a node which has none to try.",
            "Keep the node's ports and contexts as they are, or edit the flow and fork the run.";
        DEBUG_CANNOT_SKIP = "debug.cannot_skip",
            "A node was to be skipped that is not held before its start.",
            "Stop before the node. Loops and nodes that have started can't be skipped.";
        DEBUG_MOVED_ON = "debug.moved_on",
            "The run does not stand at this stop any more.",
            "Look at where it stands now; somebody else may have continued it.";
        DEBUG_NO_HISTORY = "debug.no_history",
            "A history was to be edited at a stop that is not before a turn.",
            "Stop before a node that calls a model in a context, outside of loops.";
        DEBUG_NO_PLACE = "debug.no_place",
            "Something was to be done to the node that a stop holds, and the run stands still at no node.",
            "Step to a node, or set a breakpoint and continue.";
        DEBUG_NO_TRIAL = "debug.no_trial",
            "A trial was to be dropped that there is not.",
            "Look at the trials of the run; somebody else may have dropped it.";
        DEBUG_NO_VALUE = "debug.no_value",
            "A value was to be changed that the stop does not hold.",
            "Inputs can be changed before a node starts, outputs before they are delivered.";
        DEBUG_NO_WAY = "debug.no_way",
            "Another way was to be taken that there is not.",
            "Stop after a node that chooses one of several outputs, such as a switch, and name another one of them.";
        DEBUG_RETRIED = "debug.retried",
            "A person had a node run again that had succeeded.",
            "Nothing is wrong. What the attempt gave is in the events.";
        DEBUG_UNKNOWN_NODE = "debug.unknown_node",
            "A breakpoint is at a node that the flow does not have.",
            "Remove it, or name a node of the flow.";
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
    }

    "Node configuration" {
        CONFIG_INCOMPLETE = "config.incomplete",
            "A required setting of a node is missing.",
            "Fill in the setting.";
        CONFIG_INVALID = "config.invalid",
            "A setting of a node is invalid.",
            "Correct the setting. `plait nodes TYPE` describes each one.";
        CONFIG_NO_EFFECT = "config.no_effect",
            "A setting has no effect at its place, or beside the others.",
            "Remove it, or set what it needs.";
        CONFIG_UNKNOWN_SOURCE = "config.unknown_source",
            "A setting refers to a node that does not exist.",
            "Name an existing node.";
    }

    "Contexts" {
        CONTEXT_DUPLICATE = "context.duplicate",
            "Two nodes create a context of the same name.",
            "Give each context an id of its own.";
        CONTEXT_NONE = "context.none",
            "The node needs a context and has none.",
            "Wire a context edge into it.";
        CONTEXT_SHARED_OUTSIDE_CYCLE = "context.shared_outside_cycle",
            "A node outside an inner cycle shares the context of a node inside it.",
            "Give the node a context of its own, or move it into the cycle.";
        CONTEXT_TOO_EARLY = "context.too_early",
            "A node uses a context before the node that creates it can run.",
            "Remove the path between them, or use another context.";
        CONTEXT_UNKNOWN = "context.unknown",
            "There is no context of this name.",
            "Wire a context edge, or use the id of a context that the flow creates.";
        CONTEXT_UNORDERED = "context.unordered",
            "Two nodes use one context and no path orders them.",
            "Connect them to fix their order, or accept the order shown.";
    }

    "Import from other tools" {
        IMPORT_PLACEHOLDER = "import.placeholder",
            "A node stands for one of another tool that Plait has no equivalent for. It can't run.",
            "Replace it with nodes that do the same, and delete it. Its settings keep the original.";
    }

    "Edges and ports" {
        EDGE_DANGLING = "edge.dangling",
            "An edge leads to a node that does not exist.",
            "Delete the edge, or restore the node.";
        EDGE_UNKNOWN_PORT = "edge.unknown_port",
            "An edge names a port that its node does not have.",
            "Connect the edge to one of the ports listed.";
        EDGE_WRONG_KIND = "edge.wrong_kind",
            "An edge connects two different strands.",
            "Connect context to context, data to data, tools to tools.";
        EDGE_WRONG_TYPE = "edge.wrong_type",
            "The value of an output does not match the type of the input.",
            "Put a node between them that converts the value.";
        PORT_FED_AND_OVERRIDDEN = "port.fed_and_overridden",
            "An input is fed by an edge, so it cannot be overridden.",
            "Remove the value, or the edge.";
        PORT_FED_TWICE = "port.fed_twice",
            "Several edges may feed one input in the same iteration.",
            "Connect the node with a `merge`, or accept that the last in plan order is used.";
        PORT_UNFED = "port.unfed",
            "A required input is not connected.",
            "Connect the input, or give it a value.";
        PORT_UNKNOWN = "port.unknown",
            "A node has no input of this name.",
            "Use one of the inputs listed.";
        PORTAL_NO_ENTRANCE = "portal.no_entrance",
            "A `portalOut` has no `portalIn` of its name.",
            "Add a `portalIn` of the same name, or rename this one.";
    }

    "Pins" {
        PIN_EMPTY = "pin.empty",
            "A pin has no value.",
            "Give a value for an output, or unpin the node.";
        PIN_ERROR = "pin.error",
            "A pin plays a failure, and nothing takes it from the output `error`.",
            "Unpin the node, or connect its output `error`.";
        PIN_IN_CYCLE = "pin.in_cycle",
            "A node in a cycle is pinned, so each iteration gets the same values.",
            "Unpin it if the iterations should differ.";
        PIN_NOT_POSSIBLE = "pin.not_possible",
            "A node or an output can't be pinned: it makes a context, outputs tools, or does not run.",
            "Unpin it. Pin a node after it, or disable the node.";
        PIN_NOT_REMEMBERED = "pin.not_remembered",
            "A pinned node added nothing to the history of its context, or to the workflow's memory.",
            "Unpin it if nodes after it need what it would add.";
        PIN_TOO_LARGE = "pin.too_large",
            "The values of a pin are too large for a flow file.",
            "Pin a smaller value, or keep it in a file and read that with a node.";
        PIN_UNKNOWN_PORT = "pin.unknown_port",
            "A pin names an output that its node does not have.",
            "Use one of the outputs listed, or unpin the node.";
        PIN_WRONG_TYPE = "pin.wrong_type",
            "A pinned value is of another type than its output.",
            "Pin a value of the type of the output.";
    }

    "The engine" {
        ENGINE_NO_END = "engine.no_end",
            "A run ended without a final event.",
            "Please report it with the run's journal.";
        ENGINE_STUCK = "engine.stuck",
            "Nothing in the run can continue, though it has not ended.",
            "Please report it with the run's journal.";
    }

    "Flows" {
        FLOW_CIRCULAR = "flow.circular",
            "A cycle of the flow has no bound and no pause, or no node that can start it.",
            "Set `limits.maxEpochs` on a node of the cycle, add a `userInput`, or remove an edge.";
        FLOW_MIXED_CYCLES = "flow.mixed_cycles",
            "A node outside of all cycles is fed by two cycles that iterate independently.",
            "Feed it from one cycle only, or make it part of a cycle that both feed.";
        FLOW_NESTED_TOO_DEEP = "flow.nested_too_deep",
            "The cycles of the flow are nested too deeply.",
            "Remove back edges, or move the inner cycles into a flow of their own.";
    }

    "Values of inputs" {
        INPUT_TOO_DEEP = "input.too_deep",
            "A value given to an input is nested too deeply.",
            "Give a flatter value.";
        INPUT_TYPE = "input.type",
            "The value on an input has the wrong shape.",
            "Connect an output whose value has the type of the input.";
    }

    "Journals" {
        JOURNAL_DIVERGED = "journal.diverged",
            "The journal does not match what this version of the engine decides.",
            "Resume with the version that wrote it, or start the flow again.";
        JOURNAL_OTHER_REVISION = "journal.other_revision",
            "The run was recorded by another version of Plait, which decided differently.",
            "`plait retry RUN`, or Retry in the window, continues as a new run and reuses replies and answers.";
        JOURNAL_EMPTY = "journal.empty",
            "The journal of the run is empty: it never started.",
            "Start the flow again.";
        JOURNAL_IMPOSSIBLE = "journal.impossible",
            "The journal holds an event that cannot have happened in this flow.",
            "It belongs to another version of the flow. Start the flow again.";
        JOURNAL_UNWRITABLE = "journal.unwritable",
            "An event cannot be written as JSON.",
            "Please report it.";
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

    "Nodes" {
        NODE_BAD_LIMITS = "node.bad_limits",
            "A limit of a node is out of range.",
            "Correct the limit at the place given.";
        NODE_CANCELED = "node.cancelled",
            "The node was stopped, because the run was canceled.",
            "Start the flow again.";
        NODE_PANICKED = "node.panicked",
            "The code of a node crashed.",
            "Please report it with the run's journal.";
        NODE_SKIPPED_AFTER_FAILURE = "node.skipped_after_failure",
            "The node was skipped, because it needs an output of a node that failed. The failure was handled, so the run went on.",
            "Connect to the `error` output what has to happen in place of the skipped node.";
        NODE_STOPPED = "node.stopped",
            "The node was stopped, because another node failed.",
            "Fix the node that failed, or wire its `error` output.";
        NODE_TIMEOUT = "node.timeout",
            "The node took longer than `limits.timeoutMs`.",
            "Raise the limit, or find out what takes so long.";
        NODE_TOO_DEEP = "node.too_deep",
            "The output of a node is nested too deeply.",
            "Make the value flatter; in a cycle, check that it does not grow inward.";
        NODE_UNKNOWN = "node.unknown",
            "There is no node of this id.",
            "Name a node of the flow.";
        NODE_UNKNOWN_TYPE = "node.unknown_type",
            "There is no node type of this name.",
            "`plait nodes` lists the node types. A newer Plait may have it.";
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
        RUN_CANCELED = "run.cancelled",
            "The run ended while this node was running.",
            "Nothing is needed.";
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
        RUN_NOT_RECORDED = "run.not_recorded",
            "A run that may only take over what an earlier one recorded needs something else. Nothing was asked for.",
            "Repeat the run without `--misses fail`, or undo the edit that makes it ask for something else.";
        RUN_NOT_RUNNING = "run.not_running",
            "The run is not running.",
            "Resume it, then answer.";
        RUN_UNKNOWN_TRIGGER = "run.unknown_trigger",
            "The flow has no trigger of this id to begin at.",
            "Name one of the triggers in the message.";
        RUN_UNKNOWN_TARGET = "run.unknown_target",
            "There is no node of this id to run to.",
            "Name a node of the flow.";
    }

    "The store" {
        STORE_FULL = "store.full",
            "The disk is full.",
            "Free some space, then resume the run.";
    }

    "Sub-flows" {
        SUBFLOW_UNAVAILABLE = "subflow.unavailable",
            "Sub-flows cannot run in this host.",
            "Run the flow with Plait itself.";
    }

    "Loops" {
        LOOP_BAD_PARENT = "loop.bad_parent",
            "The `parent` of a node is not a loop of the flow, or the node would lie inside itself.",
            "Set `parent` to the id of a `loop` node, or remove it.";
        LOOP_CONTEXT_CHANGED = "loop.context_changed",
            "A node inside a `forEach` loop clears a context, or changes its instructions or model.",
            "Do that before the loop, or give the iteration a context of its own with `newContext`.";
        LOOP_NO_EXIT = "loop.no_exit",
            "Only `max_iterations` ends a loop.",
            "Set a condition, connect a node inside to `exit`, or offer the tool `finish` to a model inside.";
        LOOP_SIDE_EXIT = "loop.side_exit",
            "An edge leads out of a loop by the side, not through `next`.",
            "Connect its source to `next` of the loop, and `result` of the loop to its target.";
        LOOP_UNUSED_LIMIT = "loop.unused_limit",
            "A loop has a limit that does not bound it: `limits.maxEpochs`, `limits.timeoutMs` or `retry`.",
            "Set `max_iterations` in its config, and timeouts and retries on the nodes inside.";
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
