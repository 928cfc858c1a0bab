//! The error codes of commands. Those of the crates below are here as well.

pub use plait_formats::codes::*;
pub use plait_recorder::codes::*;
pub use plait_suites::codes::*;

plait_core::error_codes! {
    "Answers" {
        ANSWER_UNKNOWN_NODE = "answer.unknown_node",
            "An answer names a node that neither the flow nor one of its sub-flows has.",
            "Correct the name. An answer that itself begins with a word and `=` needs the name of its node before it.";
    }

    "The application" {
        LAYOUT_FAILED = "layout.failed",
            "The nodes of a flow cannot be arranged.",
            "The flow is unchanged. Tidy up a smaller selection, or move the nodes by hand.";
    }

    "Proposed edits" {
        PROPOSAL_NO_CHANGE = "proposal.no_change",
            "An agent proposes a flow that is the same as that of the file.",
            "Propose the whole edited flow.";
        PROPOSAL_OUTDATED = "proposal.outdated",
            "The file of a flow was changed after an edit of it was proposed.",
            "Look at the difference, then accept it with `--replace`, or drop it.";
        PROPOSAL_UNKNOWN = "proposal.unknown",
            "There is no proposed edit of this ID, or several IDs begin like it.",
            "`plait proposals list` lists those that wait for a decision.";
    }

    "Comparing" {
        MATRIX_RUNS = "matrix.runs",
            "Fewer than two or more than 100 runs are put side by side.",
            "Choose fewer or more runs.";
    }

    "Commands between the window and the host" {
        HOST_UNREACHABLE = "host.unreachable",
            "The window gets no answer from the host.",
            "Try again. If it persists, save a copy of the flow and restart Plait.";
        COMMAND_ARGUMENTS = "command.arguments",
            "The arguments of a command have the wrong shape.",
            "Please report it, or compare the call with the TypeScript bindings.";
        COMMAND_REPLY = "command.reply",
            "The reply of a command cannot be written as JSON.",
            "Please report it.";
        COMMAND_UNKNOWN = "command.unknown",
            "There is no command of this name.",
            "Window and host are of different versions: install Plait again.";
    }

    "What made the difference" {
        CAUSES_NONE = "causes.none",
            "Two runs began with the same flow and the same inputs.",
            "What differs is chance, the world or what people answered; `plait diff` names the first difference.";
        CAUSES_SAME_OUTCOME = "causes.same_outcome",
            "The outcome that is asked about is the same for both runs.",
            "Give a condition that is true of one of the two runs.";
        CAUSES_NO_CONDITION = "causes.no_condition",
            "A condition on a run is neither true nor false.",
            "Write a comparison, such as `value.contains('Kiel')`.";
        CAUSES_NO_MIXTURE = "causes.no_mixture",
            "Two flows can't be mixed.",
            "Compare flows that differ less.";
    }

    "Debugger" {
        DEBUG_NO_BREAKPOINT = "debug.no_breakpoint",
            "A breakpoint was to be removed that the run does not have.",
            "Look at those that it has: `plait debug RUN breakpoints`.";
        DEBUG_NO_FILE = "debug.no_file",
            "A trial was to be accepted into the file of a flow that is in none.",
            "Open the run in the window, accept the trial there, and save the flow.";
    }

    "Several processes" {
        OWNER_CLOSED = "owner.closed",
            "The process that had the data directory open has closed it.",
            "Try again.";
        OWNER_LOST = "owner.lost",
            "The process that had the data directory open ended unexpectedly.",
            "Look at what it did: `plait runs list`. Runs that it left can be resumed.";
        OWNER_PANICKED = "owner.panicked",
            "A command broke down in the process that has the data directory open.",
            "This is a mistake in Plait; please report it.";
        OWNER_OTHER_VERSION = "owner.other_version",
            "Another version of Plait has the data directory open.",
            "Close the other Plait first, or use the same version.";
        OWNER_REFUSED = "owner.refused",
            "The process that has the data directory open refuses to serve this one.",
            "Close the other Plait, or choose another directory with `--home` or PLAIT_HOME.";
        OWNER_TOO_LARGE = "owner.too_large",
            "A message is too large to be sent between processes.",
            "Close the other Plait, and run the command again.";
        OWNER_UNREADABLE = "owner.unreadable",
            "What another process sent can't be read.",
            "Close the other Plait first. If none is open, remove `owner/owner.sock` in the data directory.";
    }

    "Users" {
        USER_HAS_MEMORIES = "user.has_memories",
            "The user that is to be removed has memories.",
            "Export the memories if you want to keep them, then remove the user together with them.";
    }

    "Model nodes" {
        MODEL_NO_SAMPLING = "model.no_sampling",
            "The model refuses `temperature`, `top_p` and `top_k`; calls are sent without them.",
            "Remove them from the node, or use another model.";
    }

    "Node configuration" {
        SETTINGS_PRICE = "settings.price",
            "The price of a model is invalid.",
            "Give a price per million tokens that is 0 or more.";
        SETTINGS_UNREADABLE = "settings.unreadable",
            "A stored setting cannot be read.",
            "Set it again.";
        SETTINGS_UNWRITABLE = "settings.unwritable",
            "The settings cannot be written as JSON.",
            "Please report it.";
    }

    "Conversations" {
        CONVERSATION_HAS_HISTORY = "conversation.has_history",
            "A run is to continue a conversation, and what was said before it is given as well.",
            "Leave out `conversation` or `saidBefore`.";
        CONVERSATION_NO_CONTEXT = "conversation.no_context",
            "The flow cannot continue a conversation, because it creates no context `main`.",
            "Add a `contextStart` whose `contextId` is `main`.";
        CONVERSATION_OTHER_USER = "conversation.other_user",
            "The conversation belongs to another user than the run.",
            "Switch to that user, or start a conversation of your own.";
    }

    "File dialogs and windows" {
        DIALOG_UNAVAILABLE = "dialog.unavailable",
            "A file dialog needs a window, and there is none.",
            "Give the path instead.";
    }

    "Flows" {
        FLOW_HOLDS_SECRET = "flow.holds_secret",
            "The flow holds a key or a token. Everyone who gets the file gets it, too.",
            "Remove it and revoke it. Enter the keys of providers in the settings or with `plait keys set`.";
        FLOW_INVALID = "flow.invalid",
            "The flow has errors and cannot run.",
            "Fix what the diagnostics name, then run it again.";
        FLOW_UNKNOWN_EXAMPLE = "flow.unknown_example",
            "There is no example flow of this name.",
            "Choose one of the examples listed.";
        TEMPLATE_NO_NAME = "template.no_name",
            "A template needs a name.",
            "Give it one.";
    }

    "Grants" {
        GRANT_INVALID = "grant.invalid",
            "A rule of grants is invalid, or there are too many.",
            "Write `host=NAME`, `folder=PATH`, `command=SERVER` or `tool=NAME`.";
        GRANT_NEEDED = "grant.needed",
            "The flow needs something that nobody has decided about yet. Nothing was started.",
            "Decide about each need in the window, with `plait grants`, or with `--allow`.";
    }

    "Hosts" {
        HOST_UNAUTHORIZED = "host.unauthorized",
            "The request has no token, or one that the host does not know, that was revoked or that has expired.",
            "Send `Authorization: Bearer TOKEN`. `plait-server tokens add` makes a token.";
    }

    "Lens" {
        LENS_NO_CALL = "lens.no_call",
            "The run has no such model call.",
            "`plait lens show RUN` lists the model calls of a run.";
        LENS_NO_PLACE = "lens.no_place",
            "The run has no such value, prompt, reply, tool call or answer.",
            "`plait runs show RUN` lists the nodes and their values, `plait lens show RUN` the prompts.";
        LENS_NO_REQUEST = "lens.no_request",
            "The model call sent no HTTP request: it was answered by the simulator.",
            "Choose a call of another provider.";
        LENS_NO_TEXT = "lens.no_text",
            "The text to follow does not stand at the place that was given.",
            "Give it exactly as it stands there.";
    }

    "Output of commands" {
        OUTPUT_FAILED = "output.failed",
            "The output could not be written.",
            "Check the disk, and that the receiving program still runs.";
    }

    "Published flows" {
        PUBLISHED_UNKNOWN = "published.unknown",
            "No flow is published under this name, or not in this version.",
            "`published.list` lists the flows, `published.versions` the versions of one.";
    }

    "Recordings" {
        RECORDING_CHANGED = "recording.changed",
            "A run goes on from a recording whose file is another one now.",
            "Put the file back as it was, then resume the run.";
        RECORDING_DAMAGED = "recording.damaged",
            "A part of a recording is not as it was written. Nothing of the recording was used.",
            "Get the file again, or export the run again.";
        RECORDING_MASK = "recording.mask",
            "A name cannot be masked in a recording without changing what the run does.",
            "Name it as it is written, with at least two characters, and no word that flow files themselves consist of.";
        RECORDING_NEWER = "recording.newer",
            "A recording was written by a newer version of Plait.",
            "Install a newer Plait.";
        RECORDING_NOT_READ = "recording.not_read",
            "The file of a recording can't be read.",
            "Check the path and your rights to the file.";
        RECORDING_NOT_WRITTEN = "recording.not_written",
            "A recording could not be written.",
            "Check the folder, your rights to it and the free space.";
        RECORDING_TOO_LARGE = "recording.too_large",
            "A recording is too large to be opened.",
            "Record fewer runs below the run, or fewer attachments.";
        RECORDING_UNKNOWN_FORM = "recording.unknown_form",
            "A file is no recording of Plait.",
            "Choose a file that `plait runs export` or `plait run --record` has written.";
    }

    "Flow tests" {
        SUITE_BAD_VARIANT = "suite.bad_variant",
            "The matrix of a suite names a node or a setting that the flow does not have, or something that is no model.",
            "Correct it: models are `PROVIDER/MODEL`, parameters `NODE.SETTING`.";
        SUITE_DATASET_NOT_READ = "suite.dataset_not_read",
            "The file of a dataset can't be read, or is too large.",
            "Check the path, which is relative to the suite, and your rights to the file.";
        SUITE_EXISTS = "suite.exists",
            "The suite has a case of this name.",
            "Choose another name.";
        SUITE_NOT_ADDED = "suite.not_added",
            "The case can't be added to the suite as it is written. The suite is unchanged.",
            "Correct what the message names, then add the case again.";
        SUITE_NOT_FINISHED = "suite.not_finished",
            "The run did not finish, so there is nothing that a test of it could check.",
            "Make a test of a run that finished.";
        SUITE_NOT_FOUND = "suite.not_found",
            "The path is no suite, no flow and no folder.",
            "Correct the path.";
        SUITE_NOT_READ = "suite.not_read",
            "The file of the suite can't be read.",
            "Check the path and your rights to the file.";
        SUITE_NOT_WRITTEN = "suite.not_written",
            "The file of the suite can't be written.",
            "Check the folder, your rights to it and the free space.";
        SUITE_NOTHING_TO_DEBUG = "suite.nothing_to_debug",
            "The case passes and does what is recorded, or it has not run.",
            "Run the case first; of one that fails, the debugger shows the first difference.";
        SUITE_NO_ANSWER = "suite.no_answer",
            "The run of a case asks something that the case does not answer.",
            "Add the answer to the case.";
        SUITE_NO_FLOW = "suite.no_flow",
            "There is no flow for the suite, or the run's flow has no file.",
            "Name the flow in the suite: `flow: my.flow.json`.";
        SUITE_NO_VERDICT = "suite.no_verdict",
            "The model that judges by a rubric gave no verdict.",
            "Look at the run of the judge, and choose another model if it can't answer in a form.";
        SUITE_NOT_EXPORTED = "suite.not_exported",
            "The results of a suite can't be written.",
            "Check the folder, your rights to it and the free space.";
        SUITE_NOT_RUN = "suite.not_run",
            "The case has not run as it and its flow are now, so there is no result to grade.",
            "Run the case, then grade what came of it.";
        SUITE_OTHER_FLOW = "suite.other_flow",
            "The suite tests another flow than the run ran.",
            "Choose the suite of the run's flow.";
        SUITE_STOPPED = "suite.stopped",
            "Somebody stopped the run of a case in a debugger.",
            "Run the test again.";
        SUITE_UNKNOWN_CASE = "suite.unknown_case",
            "The suite has no case of this name.",
            "Correct the name.";
    }

    "Runs" {
        RUN_IS_CHILD = "run.is_child",
            "The run is part of another one.",
            "Use the command on that run.";
        RUN_NO_EVENT = "run.no_event",
            "The run has no such event.",
            "Give the number of an event of the run.";
        RUN_NO_PLACE = "run.no_place",
            "The flow has no such node, or the node no such iteration.",
            "Name a node of the flow that is run, and its iteration as events write it: `NODE#2`.";
        RUN_NOT_RETRYABLE = "run.not_retryable",
            "The run has nothing to retry: it finished, or can be resumed.",
            "Run the flow again, or resume the run.";
        RUN_NOT_WAITING = "run.not_waiting",
            "The run does not wait for a person.",
            "Only a run that waits can be moved to an edited flow. Run the flow again with `plait rerun`.";
    }

    "The store" {
        STORE_NO_HOME = "store.no_home",
            "The system names no home directory.",
            "Give one with `--home DIR` or PLAIT_HOME.";
    }

    "Sub-flows" {
        SUBFLOW_HARD_LINK = "subflow.hard_link",
            "The file of the sub-flow is a hard link, whose other name may be outside of the project.",
            "Replace the link by a copy of the file.";
        SUBFLOW_INVALID = "subflow.invalid",
            "The sub-flow has errors.",
            "Open it and fix what its diagnostics name.";
        SUBFLOW_LOST = "subflow.lost",
            "Another process continued the child run.",
            "Resume this run when the child run has ended.";
        SUBFLOW_NOT_FOUND = "subflow.not_found",
            "The file of the sub-flow does not exist.",
            "Correct `file`; it is relative to the folder of the calling flow.";
        SUBFLOW_OTHER_FOLDER = "subflow.other_folder",
            "A flow that is published runs a sub-flow of another folder, which uses files there.",
            "Move the sub-flow and the files that it uses into the folder of the flow that is published.";
        SUBFLOW_OUTSIDE_PROJECT = "subflow.outside_project",
            "The path of the sub-flow leads out of the project.",
            "Move the file into the project: the nearest folder around the flow with `.git`, or else the flow's folder.";
        SUBFLOW_RECURSION = "subflow.recursion",
            "A flow would run inside itself.",
            "Use a cycle to repeat steps.";
        SUBFLOW_SECRET_FILE = "subflow.secret_file",
            "The file of the sub-flow holds secrets by its name.",
            "Give the flow another name.";
        SUBFLOW_TOO_DEEP = "subflow.too_deep",
            "Sub-flows are nested too deeply.",
            "Flatten the chain of flows.";
        SUBFLOW_UNREADABLE = "subflow.unreadable",
            "The file of the sub-flow cannot be read.",
            "Correct the file at the place given.";
        SUBFLOW_UNSAFE_FOLDER = "subflow.unsafe_folder",
            "The flow is in a home directory, at the root of a file system or in the data directory of Plait.",
            "Move the flow and its sub-flows into a folder of their own.";
    }
}
