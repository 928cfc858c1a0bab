//! The error codes of the debug adapter. Those of the crates below are here as well.

pub use plait_api::codes::*;

plait_core::error_codes! {
    "The debug adapter" {
        DAP_PROTOCOL = "dap.protocol",
            "What the editor sends is no message of the Debug Adapter Protocol.",
            "Check that the editor starts `plait dap`, and speaks to it alone.";
        DAP_UNKNOWN_REQUEST = "dap.unknown_request",
            "The editor asks for something that this debug adapter does not do.",
            "Update Plait, or leave out what the editor asks for.";
        DAP_ARGUMENTS = "dap.arguments",
            "The arguments of a request, or the settings of a debug session, can't be read.",
            "Correct the setting that the message names. The page *Editors* lists all of them.";
        DAP_ORDER = "dap.order",
            "A request came before the one that it depends on, or a second time.",
            "The order is `initialize`, `launch` or `attach`, breakpoints, `configurationDone`.";
        DAP_NOT_STOPPED = "dap.not_stopped",
            "The run does not stand still, or not at this thread.",
            "Pause it, or choose the thread that stopped.";
        DAP_UNKNOWN_ID = "dap.unknown_id",
            "There is no such thread, frame, variable or source any more.",
            "Ask for those of the latest stop: the numbers change with each.";
        DAP_PAST = "dap.past",
            "The session looks at the past of the run, which can't be changed.",
            "Continue to the present, or rerun the flow from here with `plait rerun`.";
        DAP_BEGINNING = "dap.beginning",
            "There is nothing before this place in the run.",
            "Step forward, or continue to the present.";
        DAP_NOT_CHANGEABLE = "dap.not_changeable",
            "This value can't be changed: only inputs before a node starts, outputs before they are delivered, and texts of the history before a turn.",
            "Stop before the node to change an input, or after it to change an output.";
        DAP_NO_QUESTION = "dap.no_question",
            "The run asks no such question.",
            "Wait until the console shows one.";
        DAP_ADDRESS = "dap.address",
            "The debug adapter cannot listen on its local address.",
            "Choose another port with `--port`.";
    }
}
