//! The error codes of the terminal command. Those of the crates below are here as well.

pub use plait_api::codes::*;

plait_core::error_codes! {
    "Attachments" {
        ATTACHMENT_NO_TAKER = "attachment.no_taker",
            "The flow has no place for a file, or several and none was named.",
            "Connect nothing to the input `attach` of a `chat`, or let a `userInput` take attachments. With several, name the node.";
        ATTACHMENT_UNREADABLE = "attachment.unreadable",
            "A file that is to be attached cannot be read.",
            "Check the path and the permissions of the file.";
    }

    "The application" {
        APP_NO_THREADS = "app.no_threads",
            "The system refuses to start threads.",
            "Close other programs or raise the limit on processes, then start Plait again.";
    }

    "Conversations" {
        CONVERSATION_NONE = "conversation.none",
            "There is no conversation yet.",
            "Start one with `plait run FLOW --conversation new`.";
    }

    "Debugger" {
        DEBUG_STOPPED = "debug.stopped",
            "The run stands still, and there is no terminal to ask what to do.",
            "`plait resume` goes on, to the next breakpoint. In a terminal, each stop asks.";
    }

    "Comparing" {
        DIFF_ARGUMENTS = "diff.arguments",
            "`plait diff` was given something else than two flows or two runs.",
            "Name two flow files, or two runs. `plait runs list` lists the runs.";
    }

    "Flows" {
        CHECK_NO_FILE = "check.no_file",
            "The runs that wait are those of a flow file, and this flow has none.",
            "Give the path of a flow file.";
    }

    "Flow tests" {
        SUITE_NO_TESTS = "suite.no_tests",
            "There are no suites in the named places, or no case has the name.",
            "Name a suite, a flow or a folder. `plait test add last` makes a test of the latest run.";
    }

    "Grants" {
        GRANT_NO_FILE = "grant.no_file",
            "Grants are kept for the file of a flow, and this flow has none.",
            "Save the flow first, or allow what it needs for one run.";
    }

    "Lens" {
        LENS_BAD_PLACE = "lens.bad_place",
            "The place of a text is not written as a place.",
            "Write `NODE.PORT` or one of the other forms; `plait lens from --help` lists them.";
    }

    "Nodes" {
        NODES_UNKNOWN = "nodes.unknown",
            "There is no node type of this name to describe.",
            "`plait nodes` lists the node types.";
    }

    "Providers" {
        PROVIDER_BUILT_IN = "provider.built_in",
            "The provider is built in and cannot be removed.",
            "Change its settings with `plait providers set`; `plait providers rm` takes changes back.";
        PROVIDER_EXISTS = "provider.exists",
            "There is a provider of this name.",
            "Change it with `plait providers set`, or choose another name.";
        PROVIDER_UNKNOWN_PRESET = "provider.unknown_preset",
            "There are no ready-made settings of this name.",
            "`plait providers presets` lists them; or give `--kind` and `--url`.";
    }

    "Runs" {
        RUN_LOST = "run.lost",
            "Another process continued the run, or none drives it any more.",
            "Look at the run: `plait runs show`. `plait resume` goes on with one that was interrupted.";
        RUN_NONE = "run.none",
            "There is no run yet.",
            "Start one with `plait run FLOW`.";
        RUN_NOT_CONFIRMED = "run.not_confirmed",
            "The run would buy replies or act outside, and there is no terminal to ask whether it may.",
            "Look at the bill, and add `--yes`.";
        RUN_NOT_CANCELED = "run.not_cancelled",
            "The run could not be canceled.",
            "Check that the disk has room and the data directory is writable.";
    }

    "Usage of the command line" {
        USAGE_HOST = "usage.host",
            "A command works only with a host, or only on this machine.",
            "Name a host with `--host`, or leave it out, as the message says. `plait hosts list` lists the hosts.";
        USAGE_INPUT = "usage.input",
            "The input of a command cannot be read.",
            "Check the file or the text piped in.";
    }
}
