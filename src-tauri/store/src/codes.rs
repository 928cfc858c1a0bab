//! The error codes of the store. Those of the crates below are here as well.

pub use plait_journal::codes::*;

plait_core::error_codes! {
    "The application" {
        APP_INTERNAL = "app.internal",
            "A part of Plait ended unexpectedly.",
            "Please report it. The journal is intact: resume the run.";
    }

    "Long-term memory" {
        MEMORY_AMBIGUOUS = "memory.ambiguous",
            "Several memories have an id that begins like this.",
            "Give more of the id. `plait memory list` shows them.";
        MEMORY_DAMAGED = "memory.damaged",
            "A part of the file with a user's memories cannot be read, so nothing is written to it.",
            "Run `plait doctor --salvage`: it keeps the damaged file aside and goes on with what can be read.";
        MEMORY_FULL = "memory.full",
            "The user has as many memories as are possible.",
            "Erase those that are not needed any more, in the Memory panel or with `plait memory erase`.";
        MEMORY_UNKNOWN = "memory.unknown",
            "The user has no memory with this id.",
            "It may have been erased. `plait memory list` shows those there are.";
    }

    "Users" {
        USER_CURRENT = "user.current",
            "The current user cannot be removed.",
            "Switch to another user first.";
        USER_EXISTS = "user.exists",
            "There is already a user of this name.",
            "Choose another name, or switch to that user.";
        USER_TOO_MANY = "user.too_many",
            "There are as many users as are possible.",
            "Remove one that is not needed any more.";
        USER_UNKNOWN = "user.unknown",
            "There is no user of this name.",
            "Add the user with `plait users add` or in the Memory panel, or correct the name.";
    }

    "Conversations" {
        CONVERSATION_AMBIGUOUS = "conversation.ambiguous",
            "The prefix matches more than one conversation.",
            "Give more characters of the id.";
        CONVERSATION_BUSY = "conversation.busy",
            "A run that has not ended uses this conversation.",
            "Wait for the run to end, or cancel it.";
        CONVERSATION_CORRUPT = "conversation.corrupt",
            "A stored part of the conversation is damaged or missing.",
            "Fork the conversation from a message before the damage, or start a new one.";
        CONVERSATION_NO_MESSAGE = "conversation.no_message",
            "The conversation has no message of this number.",
            "Choose a message that exists; they are counted from 0.";
        CONVERSATION_NO_TITLE = "conversation.no_title",
            "A conversation needs a title that is not empty.",
            "Give it a title.";
        CONVERSATION_UNKNOWN = "conversation.unknown",
            "There is no conversation of this id.",
            "`plait conversations list` shows all conversations.";
    }

    "Flows" {
        FLOW_CHANGED_ON_DISK = "flow.changed_on_disk",
            "Another program changed the file since it was opened.",
            "Open it again, or save under another path.";
        FLOW_DISK_FULL = "flow.disk_full",
            "The disk is full, so the flow was not written.",
            "Free some space and save again.";
        FLOW_EXISTS = "flow.exists",
            "A file of this name exists already, and is not replaced.",
            "Choose another name, or remove the file.";
        FLOW_NOT_FOUND = "flow.not_found",
            "There is no file or folder at this path.",
            "Check the path; it may have been moved.";
        FLOW_NOT_TEXT = "flow.not_text",
            "The file is not UTF-8 text.",
            "Choose a flow file; its name ends in `.flow.json`, or in `.yaml` if it is a pipeline.";
        FLOW_READ_ONLY = "flow.read_only",
            "The file or its folder is write-protected.",
            "Save under another path, or change the permissions.";
        FLOW_UNKNOWN = "flow.unknown",
            "The store does not have the flow that a run used.",
            "Please report it; run the flow from its file again.";
        TEMPLATE_UNKNOWN = "template.unknown",
            "There is no template with this id.",
            "Choose one from the list.";
        FLOW_UNREADABLE = "flow.unreadable",
            "The file cannot be read.",
            "Check the permissions, and that the path names a flow file.";
        FLOW_UNWRITABLE = "flow.unwritable",
            "The flow cannot be written.",
            "Check the disk and the permissions, or save under another path.";
    }

    "Journals" {
        JOURNAL_CORRUPT = "journal.corrupt",
            "An entry of the run's journal is damaged.",
            "Everything before it can be read. Start the flow again.";
        JOURNAL_OUT_OF_ORDER = "journal.out_of_order",
            "An entry would leave a gap in the journal or repeat a number.",
            "Please report it.";
    }

    "Runs" {
        RUN_AMBIGUOUS = "run.ambiguous",
            "The prefix matches more than one run.",
            "Give more characters of the id.";
        RUN_BAD_ID = "run.bad_id",
            "This is not the id of a run.",
            "`plait runs list` shows the ids.";
        RUN_BUSY = "run.busy",
            "The run is still running.",
            "Wait for it, or cancel it first.";
        RUN_EXISTS = "run.exists",
            "There is a run of this id already.",
            "A run is in one place or moved there before: compare them with `plait runs list`.";
        RUN_IN_CONVERSATION = "run.in_conversation",
            "The run is part of a conversation, so it cannot move between a data directory and a database.",
            "Export it with `plait runs export`: the file has all that the run needs.";
        RUN_NOT_A_FORK = "run.not_a_fork",
            "The run is no fork in a conversation, so there is nothing to keep.",
            "Only forks that do something otherwise can be kept: other runs are part of their conversation anyway.";
        RUN_SUPERSEDED = "run.superseded",
            "Another process drives the run by now, so this one writes nothing more of it.",
            "Nothing has to be done: the other process goes on with the run.";
        RUN_UNKNOWN = "run.unknown",
            "There is no run of this id.",
            "`plait runs list` shows all runs.";
    }

    "Proposed edits" {
        PROPOSAL_TOO_MANY = "proposal.too_many",
            "Too many proposed edits wait for a decision, so that no more are kept.",
            "Accept or drop some in the window, or with `plait proposals`.";
    }

    "The store" {
        STORE_CHANGED_OUTSIDE = "store.changed_outside",
            "Something other than Plait has changed a file that bounds what runs may do: the settings, the users, the grants, the MCP servers and their accepted tools, or what runs have spent. Nothing starts with it.",
            "Review the file. To accept the changes, press *Accept* in Plait, or close Plait and run `plait doctor --accept-edits`.";
        STORE_CORRUPT = "store.corrupt",
            "A stored document is damaged.",
            "Restore the data directory from a copy, or delete the document.";
        STORE_IO = "store.io",
            "The disk returned an error.",
            "Check the disk and the permissions of the data directory, then start Plait again.";
        STORE_LOCKED = "store.locked",
            "Another process uses the data directory.",
            "Close the other Plait, or give another directory with `--home`.";
        STORE_NEWER = "store.newer",
            "A newer version of Plait wrote a file of the data directory.",
            "Use that version, or give another directory with `--home`.";
        STORE_OLD_FORM = "store.old_form",
            "The data directory is of an earlier, unreleased form of Plait.",
            "Move it elsewhere, or give another directory with `--home`.";
    }
}
