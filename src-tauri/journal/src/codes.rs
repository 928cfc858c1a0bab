//! The error codes of journals. Those of the crates below are here as well.

pub use plait_llm::codes::*;

plait_core::error_codes! {
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

    "Nodes" {
        NODE_SKIPPED_AFTER_FAILURE = "node.skipped_after_failure",
            "The node was skipped, because it needs an output of a node that failed. The failure was handled, so the run went on.",
            "Connect to the `error` output what has to happen in place of the skipped node.";
    }

    "Runs" {
        RUN_ENDED = "run.ended",
            "The run has ended.",
            "Run the flow again.";
        RUN_NOT_RECORDED = "run.not_recorded",
            "A run that may only take over what an earlier one recorded needs something else. Nothing was asked for.",
            "Repeat the run without `--misses fail`, or undo the edit that makes it ask for something else.";
    }

    "The store" {
        STORE_FULL = "store.full",
            "The disk is full.",
            "Free some space, then resume the run.";
    }
}
