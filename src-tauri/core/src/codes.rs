//! The error codes of documents, values, expressions and settings.
//!
//! Each crate has such a table. To add an error, add an entry to the table of the lowest crate that raises it and run `cargo xtask
//! bindings`: the TypeScript union and `docs/error-codes.md` follow. A code never changes once it is released, because journals and
//! scripts hold it.

crate::error_codes! {
    "Answers" {
        ANSWER_INVALID = "answer.invalid",
            "The answer does not follow the schema of the question.",
            "Answer again with a value that follows the schema.";
        ANSWER_SCHEMA = "answer.schema",
            "The schema of the question cannot be read as a JSON Schema.",
            "Correct the schema in the settings of the node that asks.";
    }

    "Attachments" {
        ATTACHMENT_BAD_VALUE = "attachment.bad_value",
            "A value that is to be attached to a message is no image and no file.",
            "Connect the output `attachments` of a `userInput`, or give a file with `--attach`.";
        ATTACHMENT_EMPTY = "attachment.empty",
            "A file that is to be attached has no content.",
            "Attach a file that has content.";
        ATTACHMENT_MISSING = "attachment.missing",
            "The bytes of an attachment are not stored any more, or are damaged.",
            "Attach the file again and run the flow again.";
        ATTACHMENT_TOO_LARGE = "attachment.too_large",
            "A file is too large to be attached.",
            "Attach a smaller file: scale an image down, or split a document.";
        ATTACHMENT_TOO_MANY = "attachment.too_many",
            "A message has too many attachments.",
            "Attach fewer files.";
        ATTACHMENT_UNKNOWN_TYPE = "attachment.unknown_type",
            "A file is no image, PDF or text that can be attached.",
            "Attach a PNG, JPEG, GIF or WebP image, a PDF, or a text file.";
    }

    "Import from other tools" {
        IMPORT_EDGE_LOST = "import.edge_lost",
            "An import lost an edge, so a node may run at another time than in the original. The flow does not run until a person confirms it.",
            "Confirm it in the list of problems, or run it with `--confirm-import`. Otherwise connect, disable or delete the node.";
        IMPORT_NEVER_STARTED = "import.never_started",
            "A node of an imported flow would run, which nothing starts in the original, or only another trigger. The flow does not run until a person confirms it.",
            "Confirm it in the list of problems, or run it with `--confirm-import`. Otherwise disable or delete the node.";
        IMPORT_PLACEHOLDER = "import.placeholder",
            "A node stands for what Plait has no equivalent for, for a provider, knowledge base or MCP server that this machine has not, or for a model that nobody has chosen. It can't run.",
            "Replace it with nodes that do the same, and delete it: its settings keep the original. Add what is missing on this machine, or choose another one.";
    }

    "Users" {
        USER_BAD_NAME = "user.bad_name",
            "The name of a user is empty, too long, has several lines, or is a key.",
            "Choose a name of at most 60 characters.";
    }

    "Node configuration" {
        CONFIG_NO_EFFECT = "config.no_effect",
            "A setting has no effect at its place, or beside the others.",
            "Remove it, or set what it needs.";
        SETTINGS_BAD_VALUE = "settings.bad_value",
            "A setting has a value that it does not take.",
            "`plait config explain KEY` says what it takes.";
        SETTINGS_CONTEXT_WINDOW = "settings.context_window",
            "The context window in a flow's settings is out of range.",
            "Set a positive whole number of tokens.";
        SETTINGS_FOLDERS = "settings.folders",
            "A folder that the flow declares has no path relative to the flow's file.",
            "Use paths like `notes`, or remove the entry.";
        SETTINGS_LIMITS = "settings.limits",
            "A limit of 0 would let nothing run.",
            "Set at least 1, or remove the limit.";
        SETTINGS_MAX_CONCURRENCY = "settings.max_concurrency",
            "`maxConcurrency` of 0 would let nothing run.",
            "Set at least 1, or remove the setting.";
        SETTINGS_MAX_UNATTENDED_EPOCHS = "settings.max_unattended_epochs",
            "`maxUnattendedEpochs` of 0 would let no cycle iterate.",
            "Set at least 1, or remove the setting.";
        SETTINGS_MEMORY = "settings.memory",
            "The number of recent turns in a flow's memory settings is out of range.",
            "Set a number from 1 to 200, or remove the setting.";
        SETTINGS_UNKNOWN_KEY = "settings.unknown_key",
            "There is no setting of this name.",
            "`plait config list` shows all settings.";
        SETTINGS_WRONG_LAYER = "settings.wrong_layer",
            "A setting stands where it has no effect: not each can be set in the settings, in flows and in nodes.",
            "`plait config explain KEY` says where it can be set.";
    }

    "Expressions" {
        EXPRESSION_FAILED = "expression.failed",
            "An expression cannot be evaluated for this value.",
            "Simplify the expression, or select less of the value.";
        EXPRESSION_UNAVAILABLE = "expression.unavailable",
            "The worker process that evaluates expressions could not be started.",
            "Check that the machine has memory left, then retry the run.";
    }

    "Flows" {
        FLOW_DUPLICATE_ID = "flow.duplicate_id",
            "An id occurs twice in the file.",
            "Ids are unique: rename one of them.";
        FLOW_INTEGER_TOO_LARGE = "flow.integer_too_large",
            "The file contains an integer of more than 64 bits, which would not be kept exactly.",
            "Write it as text, in quotes.";
        FLOW_NEWER_VERSION = "flow.newer_version",
            "A newer version of Plait wrote the flow.",
            "Update Plait.";
        FLOW_NOT_JSON = "flow.not_json",
            "The file is not JSON.",
            "Correct the JSON at the position given.";
        FLOW_TOO_LARGE = "flow.too_large",
            "The file is larger than a flow may be.",
            "Split the flow into sub-flows.";
        FLOW_TRUNCATED = "flow.truncated",
            "The file ends in the middle of its JSON.",
            "Restore the file from a copy.";
        FLOW_WRONG_SHAPE = "flow.wrong_shape",
            "The JSON is not a flow, or a part of it has the wrong shape.",
            "Correct the part given; `plait schema` prints the format.";
    }

    "Queries of `json` nodes" {
        JSON_LIMIT = "json.limit",
            "The query exceeded its bounds on steps, results or size.",
            "Select less, or split the query over several nodes.";
        JSON_QUERY = "json.query",
            "The query is invalid, or cannot be computed for this value.",
            "Correct the query; it is written in jq's language.";
    }

    "Runs" {
        QUOTA_BAD = "quota.bad",
            "A quota sets nothing, allows nothing, or names no model to fall back to.",
            "Set `tokens`, `usd` or both to more than 0; with `onExceeded: fallback`, name a model in `fallback`.";
    }

    "Conditions of `switch` nodes" {
        SWITCH_CONDITION = "switch.condition",
            "A condition is invalid, or cannot be computed for this value.",
            "Correct the condition.";
        SWITCH_TOO_MUCH = "switch.too_much",
            "A condition would take too many steps for so large a value.",
            "Select what is needed with a `json` node first.";
    }

    "Templates" {
        TEMPLATE_FORBIDDEN = "template.forbidden",
            "A template uses partials or decorators, which are not allowed.",
            "Write the text in the template itself.";
        TEMPLATE_MISSING_VALUE = "template.missing_value",
            "A value that the template uses is missing.",
            "Feed the input, or write `{{default name \"…\"}}` or `{{#if name}}…{{/if}}`.";
        TEMPLATE_NOT_A_LIST = "template.not_a_list",
            "An `{{#each}}` of the template goes through a text, a number, or true or false.",
            "Connect a list or an object. Where the value is one text, write `{{name}}` without `{{#each}}`.";
        TEMPLATE_RENDER = "template.render",
            "The template cannot be rendered.",
            "Correct the template at the place given.";
        TEMPLATE_SOURCE_TOO_LARGE = "template.source_too_large",
            "The source of the template is too large.",
            "Move text into inputs.";
        TEMPLATE_SYNTAX = "template.syntax",
            "The template has a syntax error.",
            "Correct it at the place given; templates are written in Handlebars.";
        TEMPLATE_TOO_DEEP = "template.too_deep",
            "The blocks of the template are nested too deeply.",
            "Flatten the template.";
        TEMPLATE_TOO_LARGE = "template.too_large",
            "The template writes too much text.",
            "Shorten the list or the text that feeds it.";
        TEMPLATE_TOO_MANY_STEPS = "template.too_many_steps",
            "The loops of the template take too many steps.",
            "Shorten the lists that feed it.";
        TEMPLATE_UNKNOWN_HELPER = "template.unknown_helper",
            "The template calls a helper that does not exist.",
            "Use one of the helpers listed.";
    }
}
