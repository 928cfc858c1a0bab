//! The error codes of plans and runs. Those of the crates below are here as well.

pub use plait_journal::codes::*;

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
        DEBUG_CANNOT_PAUSE = "debug.cannot_pause",
            "A branch was to be paused at a node that does not run or is paused already, or while the whole run stands still.",
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
            "A trial was to be dropped or accepted that there is not.",
            "Look at the trials of the run; somebody else may have dropped it.";
        DEBUG_NO_VALUE = "debug.no_value",
            "A value was to be changed that the stop does not hold.",
            "Inputs can be changed before a node starts, outputs before they are delivered.";
        DEBUG_NO_WAY = "debug.no_way",
            "Another way was to be taken that there is not.",
            "Stop after a node that chooses one of several outputs, such as a switch, and name another one of them.";
        DEBUG_WRONG_TYPE = "debug.wrong_type",
            "A value was to be changed to one that its port can't have.",
            "Give a value of the type of the output; on a port of contexts, a context that the run has.";
        DEBUG_RETRIED = "debug.retried",
            "A person had a node run again that had succeeded.",
            "Nothing is wrong. What the attempt gave is in the events.";
        DEBUG_UNKNOWN_NODE = "debug.unknown_node",
            "A breakpoint is at a node that the flow does not have.",
            "Remove it, or name a node of the flow.";
    }

    "Node configuration" {
        CONFIG_INCOMPLETE = "config.incomplete",
            "A required setting of a node is missing.",
            "Fill in the setting.";
        CONFIG_INVALID = "config.invalid",
            "A setting of a node is invalid.",
            "Correct the setting. `plait nodes TYPE` describes each one.";
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
        CONTEXT_UNORDERED = "context.unordered",
            "Two nodes use one context and no path orders them.",
            "Connect them to fix their order, or accept the order shown.";
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
        PIN_NOT_IN_SCHEMA = "pin.not_in_schema",
            "A pinned value does not match the JSON Schema that the node's config sets for that output.",
            "Pin a value that matches the schema, or change the schema.";
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

    "Runs" {
        RUN_CANCELED = "run.cancelled",
            "The run ended while this node was running.",
            "Nothing is needed.";
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
}
