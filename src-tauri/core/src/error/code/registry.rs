//! The registry of error codes: each code with its meaning and what to do about it, grouped by domain.
//!
//! To add an error, add an entry here and run `cargo xtask bindings`: the TypeScript union and `docs/error-codes.md`
//! follow. A code never changes once it is released, because journals and scripts hold it.

use super::{CodeDomain, CodeEntry};

error_codes! {
    "Answers" {
        AnswerInvalid = "answer.invalid",
            "The answer does not follow the schema of the question.",
            "Answer again with a value that follows the schema.";
        AnswerNotWaiting = "answer.not_waiting",
            "The activation is not waiting for an answer.",
            "It may have been answered already. Look at the open pauses of the run.";
        AnswerSchema = "answer.schema",
            "The schema of the question cannot be read as a JSON Schema.",
            "Correct the schema in the settings of the node that asks.";
    }

    "Attachments" {
        AttachmentBadValue = "attachment.bad_value",
            "A value that is to be attached to a message is no image and no file.",
            "Connect the output `attachments` of a `userInput`, or give a file with `--attach`.";
        AttachmentEmpty = "attachment.empty",
            "A file that is to be attached has no content.",
            "Attach a file that has content.";
        AttachmentMissing = "attachment.missing",
            "The bytes of an attachment are not stored any more, or are damaged.",
            "Attach the file again and run the flow again.";
        AttachmentNoTaker = "attachment.no_taker",
            "The flow has no place for a file, or several and none was named.",
            "Connect nothing to the input `attach` of a `chat`, or let a `userInput` take attachments. With several, name the node.";
        AttachmentNotAsked = "attachment.not_asked",
            "An answer has attachments, but the question takes none.",
            "Turn on `attachments` in the settings of the `userInput`, or answer without files.";
        AttachmentTooLarge = "attachment.too_large",
            "A file is too large to be attached.",
            "Attach a smaller file: scale an image down, or split a document.";
        AttachmentTooMany = "attachment.too_many",
            "A message has too many attachments.",
            "Attach fewer files.";
        AttachmentUnknownType = "attachment.unknown_type",
            "A file is no image, PDF or text that can be attached.",
            "Attach a PNG, JPEG, GIF or WebP image, a PDF, or a text file in UTF-8.";
        AttachmentUnreadable = "attachment.unreadable",
            "A file that is to be attached cannot be read.",
            "Check the path and the permissions of the file.";
        AttachmentUnsupported = "attachment.unsupported",
            "A message has an image or a file that the model or its provider can't take. Nothing was sent.",
            "Use a model that takes it, or leave the file out.";
    }

    "The application" {
        AppInternal = "app.internal",
            "A part of Plait ended unexpectedly.",
            "Please report it. The journal is intact: resume the run.";
        AppNoThreads = "app.no_threads",
            "The system refuses to start threads.",
            "Close other programs or raise the limit on processes, then start Plait again.";
        LayoutFailed = "layout.failed",
            "The nodes of a flow cannot be arranged.",
            "The flow is unchanged. Tidy up a smaller selection, or move the nodes by hand.";
    }

    "Commands between the window and the host" {
        HostUnreachable = "host.unreachable",
            "The window gets no answer from the host.",
            "Try again. If it persists, save a copy of the flow and restart Plait.";
        CommandArguments = "command.arguments",
            "The arguments of a command have the wrong shape.",
            "Please report it, or compare the call with the TypeScript bindings.";
        CommandReply = "command.reply",
            "The reply of a command cannot be written as JSON.",
            "Please report it.";
        CommandUnknown = "command.unknown",
            "There is no command of this name.",
            "Window and host are of different versions: install Plait again.";
    }

    "Workflow memory" {
        MemoryNoSummary = "memory.no_summary",
            "The model for the summary of the workflow's memory gave none. The summary stays as it was.",
            "Set another model as the summarizer of the memory.";
        MemoryOff = "memory.off",
            "A node that may not read the workflow's memory was offered a tool that does.",
            "Set `memory.mode` of the node to `read` or `readWrite`, or do not offer the tool to it.";
        MemoryReadOnly = "memory.read_only",
            "A model wanted to add to the workflow's memory, which its node may only read.",
            "Set `memory.mode` of the node to `readWrite`.";
    }

    "Conversational loops" {
        HistoryNoSummary = "history.no_summary",
            "No usable summary of a loop's older turns was written. They were left out by the bounds alone.",
            "Set another `summarizer_agent`, or another model as the summarizer in the settings.";
        HistoryNoTurn = "history.no_turn",
            "The conversation of a loop has no such turn, or the loop has ended.",
            "Look at the turns again: `plait runs turns` lists them, and so does the Context tab.";
        HistoryNotWaiting = "history.not_waiting",
            "A turn was to be pinned while the run does not wait for a person.",
            "Pin it when the run asks, before you answer.";
        HistoryTemplateIgnored = "history.template_ignored",
            "A loop has a `history_template`, but the model takes messages: it received the turns as messages.",
            "Remove the template, or mark the model as prompt-only in the settings.";
    }

    "Long-term memory" {
        MemoryAmbiguous = "memory.ambiguous",
            "Several memories have an id that begins like this.",
            "Give more of the id. `plait memory list` shows them.";
        MemoryDamaged = "memory.damaged",
            "A part of the file with a user's memories cannot be read, so nothing is written to it.",
            "Run `plait doctor --salvage`: it keeps the damaged file aside and goes on with what can be read.";
        MemoryEmpty = "memory.empty",
            "A memory has no text, or a procedure has no steps.",
            "Give a text and, for a procedure, the steps.";
        MemoryFull = "memory.full",
            "The user has as many memories as are possible.",
            "Erase those that are not needed any more, in the Memory panel or with `plait memory erase`.";
        MemoryHasSteps = "memory.has_steps",
            "A memory that is no procedure has steps.",
            "Set the kind to `procedure`, or leave the steps out.";
        MemoryTooLong = "memory.too_long",
            "A memory is too long, or too many were to be stored at once.",
            "Summarize it, or store several memories.";
        MemoryUnavailable = "memory.unavailable",
            "The host has no long-term memory.",
            "Run the flow in Plait's window or with `plait run`.";
        MemoryUnknown = "memory.unknown",
            "The user has no memory with this id.",
            "It may have been erased. `plait memory list` shows those there are.";
    }

    "Users" {
        UserBadName = "user.bad_name",
            "The name of a user is empty, too long, has several lines, or is a key.",
            "Choose a name of at most 60 characters.";
        UserCurrent = "user.current",
            "The current user cannot be removed.",
            "Switch to another user first.";
        UserExists = "user.exists",
            "There is already a user of this name.",
            "Choose another name, or switch to that user.";
        UserHasMemories = "user.has_memories",
            "The user that is to be removed has memories.",
            "Export the memories if you want to keep them, then remove the user together with them.";
        UserTooMany = "user.too_many",
            "There are as many users as are possible.",
            "Remove one that is not needed any more.";
        UserUnknown = "user.unknown",
            "There is no user of this name.",
            "Add the user with `plait users add` or in the Memory panel, or correct the name.";
    }

    "Model nodes" {
        ChatContentFiltered = "chat.content_filtered",
            "The provider withheld the reply.",
            "Rephrase the message or the instructions.";
        ChatEmptyReply = "chat.empty_reply",
            "The model replied with no text and no tool call.",
            "Raise `maxTokens` if the reply was cut, or use another model.";
        ChatIncomplete = "chat.incomplete",
            "The provider ended the reply before it was whole.",
            "Run it again. The message says what stopped it; if it keeps happening, use another model.";
        ChatNoMessage = "chat.no_message",
            "The node has nothing to send to the model.",
            "Feed its input, write a prompt, or put a `userInput` before it on the context edge.";
        ChatNoTools = "chat.no_tools",
            "The model called a tool, but none were offered.",
            "Connect the tool to the node, or tell the model to answer without tools.";
        ChatNotStructured = "chat.not_structured",
            "The reply does not follow `responseSchema`.",
            "Simplify the schema, turn retries on, or use another model.";
        ChatTooDeep = "chat.too_deep",
            "The reply is nested too deeply.",
            "Ask again, or use another model.";
        ChatTooManyToolRounds = "chat.too_many_tool_rounds",
            "The model kept calling tools and gave no final reply.",
            "Raise `maxToolRounds`, or tell the model when to stop.";
        ChatTruncated = "chat.truncated",
            "A limit of tokens cut off a tool call or a structured reply.",
            "Raise `maxTokens`, or ask for less in one reply.";
        ClassifyUnreadable = "classify.unreadable",
            "The model named none of the classes, twice.",
            "Describe the classes more plainly, turn `other` on, or use another model.";
        ExtractInvalid = "extract.invalid",
            "The model returned no value that follows the schema.",
            "Simplify the schema, or use another model.";
        ModelNone = "model.none",
            "No model is set for the provider of this node.",
            "Set a model on the node, in the flow's settings, or for the provider.";
        ModelNoSampling = "model.no_sampling",
            "The model refuses `temperature`, `top_p` and `top_k`; calls are sent without them.",
            "Remove them from the node, or use another model.";
        OutputNotJson = "output.not_json",
            "The value for an output of kind JSON is not JSON.",
            "Ask the model for JSON with `responseSchema`, or choose another format.";
    }

    "Node configuration" {
        ConfigIncomplete = "config.incomplete",
            "A required setting of a node is missing.",
            "Fill in the setting.";
        ConfigInvalid = "config.invalid",
            "A setting of a node is invalid.",
            "Correct the setting. `plait nodes TYPE` describes each one.";
        ConfigUnknownSource = "config.unknown_source",
            "A setting refers to a node that does not exist.",
            "Name an existing node.";
        SettingsBadValue = "settings.bad_value",
            "A setting has a value that it does not take.",
            "`plait config explain KEY` says what it takes.";
        SettingsContextWindow = "settings.context_window",
            "The context window in a flow's settings is out of range.",
            "Set a positive whole number of tokens.";
        SettingsHoldsSecret = "settings.holds_secret",
            "A setting holds a key or a token. Settings are stored as plain text.",
            "Enter keys in the field for the key of the provider, or with `plait keys set`.";
        SettingsFolders = "settings.folders",
            "A folder that the flow declares has no path relative to the flow's file.",
            "Use paths like `notes`, or remove the entry.";
        SettingsLimits = "settings.limits",
            "A limit of 0 would let nothing run.",
            "Set at least 1, or remove the limit.";
        SettingsMaxConcurrency = "settings.max_concurrency",
            "`maxConcurrency` of 0 would let nothing run.",
            "Set at least 1, or remove the setting.";
        SettingsMaxUnattendedEpochs = "settings.max_unattended_epochs",
            "`maxUnattendedEpochs` of 0 would let no cycle iterate.",
            "Set at least 1, or remove the setting.";
        SettingsMemory = "settings.memory",
            "The number of recent turns in a flow's memory settings is out of range.",
            "Set a number from 1 to 200, or remove the setting.";
        SettingsPrice = "settings.price",
            "The price of a model is invalid.",
            "Give a price per million tokens that is 0 or more.";
        SettingsRedaction = "settings.redaction",
            "A pattern for secrets cannot be used.",
            "Correct the regular expression in the settings, or remove it. The other patterns are used.";
        SettingsTelemetry = "settings.telemetry",
            "The settings of the OpenTelemetry export are invalid.",
            "Name an environment variable that holds the headers as `name=value,name=value`.";
        SettingsTools = "settings.tools",
            "An allowed host or a secret for tools is invalid.",
            "Write hosts like `localhost:8080`, origins like `https://api.github.com`.";
        SettingsUnknownKey = "settings.unknown_key",
            "There is no setting of this name.",
            "`plait config list` shows all settings.";
        SettingsUnreadable = "settings.unreadable",
            "A stored setting cannot be read.",
            "Set it again.";
        SettingsUnwritable = "settings.unwritable",
            "The settings cannot be written as JSON.",
            "Please report it.";
        SettingsWrongLayer = "settings.wrong_layer",
            "A setting stands where it has no effect: not each can be set in the settings, in flows and in nodes.",
            "`plait config explain KEY` says where it can be set.";
    }

    "Contexts" {
        ContextDuplicate = "context.duplicate",
            "Two nodes create a context of the same name.",
            "Give each context an id of its own.";
        ContextNone = "context.none",
            "The node needs a context and has none.",
            "Wire a context edge into it.";
        ContextSharedOutsideCycle = "context.shared_outside_cycle",
            "A node outside an inner cycle shares the context of a node inside it.",
            "Give the node a context of its own, or move it into the cycle.";
        ContextTooEarly = "context.too_early",
            "A node uses a context before the node that creates it can run.",
            "Remove the path between them, or use another context.";
        ContextTooLarge = "context.too_large",
            "The prompt does not fit the context window.",
            "Shorten the message or the instructions, offer fewer tools, lower `maxTokens`, or use a larger model.";
        ContextUnknown = "context.unknown",
            "There is no context of this name.",
            "Wire a context edge, or use the id of a context that the flow creates.";
        ContextUnordered = "context.unordered",
            "Two nodes use one context and no path orders them.",
            "Connect them to fix their order, or accept the order shown.";
    }

    "Conversations" {
        ConversationAmbiguous = "conversation.ambiguous",
            "The prefix matches more than one conversation.",
            "Give more characters of the id.";
        ConversationBusy = "conversation.busy",
            "A run that has not ended uses this conversation.",
            "Wait for the run to end, or cancel it.";
        ConversationCorrupt = "conversation.corrupt",
            "A stored part of the conversation is damaged or missing.",
            "Fork the conversation from a message before the damage, or start a new one.";
        ConversationNoContext = "conversation.no_context",
            "The flow cannot continue a conversation, because it creates no context `main`.",
            "Add a `contextStart` whose `contextId` is `main`.";
        ConversationNoMessage = "conversation.no_message",
            "The conversation has no message of this number.",
            "Choose a message that exists; they are counted from 0.";
        ConversationNoSummary = "conversation.no_summary",
            "The summary of a conversation could not be made.",
            "Use another model for summaries, or choose the strategy `window`.";
        ConversationNoTitle = "conversation.no_title",
            "A conversation needs a title that is not empty.",
            "Give it a title.";
        ConversationNone = "conversation.none",
            "There is no conversation yet.",
            "Start one with `plait run FLOW --conversation new`.";
        ConversationOtherUser = "conversation.other_user",
            "The conversation belongs to another user than the run.",
            "Switch to that user, or start a conversation of your own.";
        ConversationUnknown = "conversation.unknown",
            "There is no conversation of this id.",
            "`plait conversations list` shows all conversations.";
    }

    "Import from other tools" {
        ImportPlaceholder = "import.placeholder",
            "A node stands for one of another tool that Plait has no equivalent for. It can't run.",
            "Replace it with nodes that do the same, and delete it. Its settings keep the original.";
        ImportTooLarge = "import.too_large",
            "A file of another tool is larger, nested deeper, or has more nodes than Plait imports.",
            "Split the flow in the tool that it comes from, and import the parts.";
        ImportUnknownFormat = "import.unknown_format",
            "A file is none of the formats that can be imported.",
            "Export it again from a tool whose files can be imported, or name its format with `--format`.";
        ImportUnreadable = "import.unreadable",
            "A file that is to be imported is no valid JSON or YAML.",
            "Export it again from the tool that it comes from. The message has the place.";
        ImportWrongShape = "import.wrong_shape",
            "A file is not what its format says, for example without nodes.",
            "Export it again from the tool that it comes from, or name another format with `--format`.";
    }

    "File dialogs and windows" {
        DialogNotAFile = "dialog.not_a_file",
            "The chosen item is not a file on this machine.",
            "Choose a local file.";
        DialogNotUnicode = "dialog.not_unicode",
            "The name of the chosen file is not valid Unicode.",
            "Rename the file.";
        DialogUnavailable = "dialog.unavailable",
            "A file dialog needs a window, and there is none.",
            "Give the path instead.";
        WindowClose = "window.close",
            "The window could not be closed.",
            "Quit Plait from its menu.";
        WindowOpen = "window.open",
            "Another window could not be opened.",
            "Open the flow in a tab of this window instead.";
    }

    "Edges and ports" {
        EdgeDangling = "edge.dangling",
            "An edge leads to a node that does not exist.",
            "Delete the edge, or restore the node.";
        EdgeUnknownPort = "edge.unknown_port",
            "An edge names a port that its node does not have.",
            "Connect the edge to one of the ports listed.";
        EdgeWrongKind = "edge.wrong_kind",
            "An edge connects two different strands.",
            "Connect context to context, data to data, tools to tools.";
        EdgeWrongType = "edge.wrong_type",
            "The value of an output does not match the type of the input.",
            "Put a node between them that converts the value.";
        PortFedAndOverridden = "port.fed_and_overridden",
            "An input is fed by an edge, so it cannot be overridden.",
            "Remove the value, or the edge.";
        PortFedTwice = "port.fed_twice",
            "Several edges may feed one input in the same iteration.",
            "Connect the node with a `merge`, or accept that the last in plan order is used.";
        PortUnfed = "port.unfed",
            "A required input is not connected.",
            "Connect the input, or give it a value.";
        PortUnknown = "port.unknown",
            "A node has no input of this name.",
            "Use one of the inputs listed.";
        PortalNoEntrance = "portal.no_entrance",
            "A `portalOut` has no `portalIn` of its name.",
            "Add a `portalIn` of the same name, or rename this one.";
    }

    "The engine" {
        EngineNoEnd = "engine.no_end",
            "A run ended without a final event.",
            "Please report it with the run's journal.";
        EngineStuck = "engine.stuck",
            "Nothing in the run can continue, though it has not ended.",
            "Please report it with the run's journal.";
    }

    "Expressions" {
        ExpressionFailed = "expression.failed",
            "An expression cannot be evaluated for this value.",
            "Simplify the expression, or select less of the value.";
        ExpressionLimit = "expression.limit",
            "An expression took too much time or memory and was stopped.",
            "Select less, shorten lists and texts first, or split the work over several nodes.";
        ExpressionUnavailable = "expression.unavailable",
            "The worker process that evaluates expressions could not be started.",
            "Check that the machine has memory left, then retry the run.";
    }

    "Flows" {
        FlowChangedOnDisk = "flow.changed_on_disk",
            "Another program changed the file since it was opened.",
            "Open it again, or save under another path.";
        FlowCircular = "flow.circular",
            "A cycle of the flow has no bound and no pause, or no node that can start it.",
            "Set `limits.maxEpochs` on a node of the cycle, add a `userInput`, or remove an edge.";
        FlowDiskFull = "flow.disk_full",
            "The disk is full, so the flow was not written.",
            "Free some space and save again.";
        FlowDuplicateId = "flow.duplicate_id",
            "An id occurs twice in the file.",
            "Ids are unique: rename one of them.";
        FlowExists = "flow.exists",
            "A file of this name exists already, and is not replaced.",
            "Choose another name, or remove the file.";
        FlowHoldsSecret = "flow.holds_secret",
            "The flow holds a key or a token. Everyone who gets the file gets it, too.",
            "Remove it and revoke it. Enter the keys of providers in the settings or with `plait keys set`.";
        FlowIntegerTooLarge = "flow.integer_too_large",
            "The file contains an integer of more than 64 bits, which would not be kept exactly.",
            "Write it as text, in quotes.";
        FlowInvalid = "flow.invalid",
            "The flow has errors and cannot run.",
            "Fix what the diagnostics name, then run it again.";
        FlowMixedCycles = "flow.mixed_cycles",
            "A node outside of all cycles is fed by two cycles that iterate independently.",
            "Feed it from one cycle only, or make it part of a cycle that both feed.";
        FlowNestedTooDeep = "flow.nested_too_deep",
            "The cycles of the flow are nested too deeply.",
            "Remove back edges, or move the inner cycles into a flow of their own.";
        FlowNewerVersion = "flow.newer_version",
            "A newer version of Plait wrote the flow.",
            "Update Plait.";
        FlowNotFound = "flow.not_found",
            "There is no file or folder at this path.",
            "Check the path; it may have been moved.";
        FlowNotJson = "flow.not_json",
            "The file is not JSON.",
            "Correct the JSON at the position given.";
        FlowNotText = "flow.not_text",
            "The file is not UTF-8 text.",
            "Choose a flow file; its name ends in `.flow.json`, or in `.yaml` if it is a pipeline.";
        FlowReadOnly = "flow.read_only",
            "The file or its folder is write-protected.",
            "Save under another path, or change the permissions.";
        FlowTooLarge = "flow.too_large",
            "The file is larger than a flow may be.",
            "Split the flow into sub-flows.";
        FlowTruncated = "flow.truncated",
            "The file ends in the middle of its JSON.",
            "Restore the file from a copy.";
        FlowUnknown = "flow.unknown",
            "The store does not have the flow that a run used.",
            "Please report it; run the flow from its file again.";
        FlowUnknownExample = "flow.unknown_example",
            "There is no example flow of this name.",
            "Choose one of the examples listed.";
        TemplateUnknown = "template.unknown",
            "There is no template with this id.",
            "Choose one from the list.";
        TemplateNoName = "template.no_name",
            "A template needs a name.",
            "Give it one.";
        FlowUnreadable = "flow.unreadable",
            "The file cannot be read.",
            "Check the permissions, and that the path names a flow file.";
        FlowUnwritable = "flow.unwritable",
            "The flow cannot be written.",
            "Check the disk and the permissions, or save under another path.";
        FlowWrongShape = "flow.wrong_shape",
            "The JSON is not a flow, or a part of it has the wrong shape.",
            "Correct the part given; `plait schema` prints the format.";
    }

    "Pipelines" {
        PipelineAnchor = "pipeline.anchor",
            "A pipeline has an anchor (`&name`) or an alias (`*name`).",
            "Write the value out, or define an agent and refer to it by its name.";
        PipelineDuplicateKey = "pipeline.duplicate_key",
            "A mapping of a pipeline has a key twice.",
            "Remove one of the two, or rename it.";
        PipelineDuplicateName = "pipeline.duplicate_name",
            "Two steps of a pipeline have the same name, or a step and an agent that summarizes.",
            "Rename one of the two.";
        PipelineEmpty = "pipeline.empty",
            "A pipeline, a body or a branch has no steps, or `parallel` has fewer than two branches.",
            "Add a step or a branch, or remove what is empty.";
        PipelineInvalidName = "pipeline.invalid_name",
            "A name has characters that names cannot have, or means something else.",
            "Use letters, digits, `_` and `-`. What people see is the `title`.";
        PipelineMissingKey = "pipeline.missing_key",
            "A part of a pipeline lacks a key that it needs.",
            "Add the key. `docs/pipelines.md` lists the keys of each part.";
        PipelineNotExpressible = "pipeline.not_expressible",
            "A flow was to be saved as a pipeline, which cannot express all of it. The file is unchanged.",
            "Save the flow in a file whose name ends in `.flow.json`, or undo the change.";
        PipelineNotYaml = "pipeline.not_yaml",
            "The file is not valid YAML.",
            "Correct the YAML at the line and column that the message names.";
        PipelineStepInBothSources = "pipeline.step_in_both_sources",
            "A step gives turns of the user and of the assistant.",
            "Remove it from `user_turn_sources` or from `named_steps`.";
        PipelineTab = "pipeline.tab",
            "A line of a pipeline is indented with a tab, which YAML does not allow.",
            "Replace the tabs at the start of the line with spaces.";
        PipelineUnknownAgent = "pipeline.unknown_agent",
            "A step or a loop names an agent that the pipeline does not define.",
            "Define it under `agents`, or correct the name.";
        PipelineUnknownKey = "pipeline.unknown_key",
            "A part of a pipeline has a key that it cannot have.",
            "Correct the key, or remove it.";
        PipelineUnknownKind = "pipeline.unknown_kind",
            "There is no such kind of step.",
            "Use `step`, `loop`, `parallel`, `conditional` or `hitl`.";
        PipelineUnknownStep = "pipeline.unknown_step",
            "A loop names a step that is not in its body.",
            "Correct the name in `named_steps` or `user_turn_sources`.";
        PipelineUnknownVariable = "pipeline.unknown_variable",
            "A prompt has a variable that is neither an earlier step nor a value of the run or the loop.",
            "Use `previous`, `input`, the name of an earlier step, or in a loop `index` or `item`.";
        PipelineUnsupported = "pipeline.unsupported",
            "A pipeline uses a part of YAML that pipelines do not have: tags, several documents, collections as keys.",
            "Write it without.";
        PipelineVersion = "pipeline.version",
            "The version of the format is unknown.",
            "Write `version: \"0.1\"`, or update Plait if a newer one wrote the file.";
        PipelineWrongType = "pipeline.wrong_type",
            "A value of a pipeline has another type than its key needs.",
            "Correct the value. `docs/pipelines.md` lists the types.";
    }

    "Values of inputs" {
        InputTooDeep = "input.too_deep",
            "A value given to an input is nested too deeply.",
            "Give a flatter value.";
        InputType = "input.type",
            "The value on an input has the wrong shape.",
            "Connect an output whose value has the type of the input.";
    }

    "Journals" {
        JournalCorrupt = "journal.corrupt",
            "An entry of the run's journal is damaged.",
            "Everything before it can be read. Start the flow again.";
        JournalDiverged = "journal.diverged",
            "The journal does not match what this version of the engine decides.",
            "Resume with the version that wrote it, or start the flow again.";
        JournalOtherRevision = "journal.other_revision",
            "The run was recorded by another version of Plait, which decided differently.",
            "`plait retry RUN`, or Retry in the window, continues as a new run and reuses replies and answers.";
        JournalEmpty = "journal.empty",
            "The journal of the run is empty: it never started.",
            "Start the flow again.";
        JournalImpossible = "journal.impossible",
            "The journal holds an event that cannot have happened in this flow.",
            "It belongs to another version of the flow. Start the flow again.";
        JournalOutOfOrder = "journal.out_of_order",
            "An entry would leave a gap in the journal or repeat a number.",
            "Please report it.";
        JournalUnwritable = "journal.unwritable",
            "An event cannot be written as JSON.",
            "Please report it.";
    }

    "Queries of `json` nodes" {
        JsonLimit = "json.limit",
            "The query exceeded its bounds on steps, results or size.",
            "Select less, or split the query over several nodes.";
        JsonQuery = "json.query",
            "The query is invalid, or cannot be computed for this value.",
            "Correct the query; it is written in jq's language.";
    }

    "Keys" {
        KeysBadKey = "keys.bad_key",
            "The key contains characters that no key has.",
            "Look for spaces, quotes or line ends copied along.";
        KeysDamaged = "keys.damaged",
            "The file of stored keys is damaged.",
            "Delete the file and enter the keys again.";
        KeysKeychainFailed = "keys.keychain_failed",
            "The system keychain returned an error.",
            "Give the key in the environment or for the session.";
        KeysLocked = "keys.locked",
            "The system keychain is locked.",
            "Unlock it, give the key in the environment, or set PLAIT_KEYCHAIN=off.";
        KeysNewer = "keys.newer",
            "A newer version of Plait wrote the file of stored keys.",
            "Update Plait.";
        KeysNowhere = "keys.nowhere",
            "Keys cannot be stored on this machine.",
            "Give the key for the session, or in the environment.";
        KeysPassphraseMissing = "keys.passphrase_missing",
            "The file of stored keys needs a passphrase.",
            "Set PLAIT_KEYS_PASSPHRASE.";
        KeysSecretMissing = "keys.secret_missing",
            "The file that unlocks the stored keys is missing.",
            "Restore it from a copy, or enter the keys again.";
        KeysUnreadable = "keys.unreadable",
            "The file of stored keys cannot be read.",
            "Check its permissions.";
        KeysUnwritable = "keys.unwritable",
            "The file of stored keys cannot be written.",
            "Check the disk and the permissions, or give the key for the session.";
        KeysWrongPassphrase = "keys.wrong_passphrase",
            "The passphrase is wrong, or the file of stored keys was changed.",
            "Set the right PLAIT_KEYS_PASSPHRASE.";
    }

    "Grants" {
        GrantAsks = "grant.asks",
            "A call would use something on its way that the person wants to be asked about.",
            "Call the tool with that target itself; the person is asked then.";
        GrantDenied = "grant.denied",
            "The person denied the flow this command, host, folder or tool.",
            "Change the rule under *What this flow may do* or with `plait grants`, then run the flow again.";
        GrantInvalid = "grant.invalid",
            "A rule of grants is invalid, or there are too many.",
            "Write `host=NAME`, `folder=PATH`, `command=SERVER` or `tool=NAME`.";
        GrantMissing = "grant.missing",
            "The run wants to use a command, a host or a folder that nobody allowed.",
            "Allow it under *What this flow may do* or with `--allow`, then run the flow again.";
        GrantNeeded = "grant.needed",
            "The flow needs something that nobody has decided about yet. Nothing was started.",
            "Decide about each need in the window, with `plait grants`, or with `--allow`.";
        GrantNoFile = "grant.no_file",
            "Grants are kept for the file of a flow, and this flow has none.",
            "Save the flow first, or allow what it needs for one run.";
    }

    "Knowledge bases" {
        KnowledgeBadFile = "knowledge.bad_file",
            "A file of a knowledge base cannot be read as what its name says.",
            "Open the file in its own program and save it again, or take it out of the folder. The other files are indexed.";
        KnowledgeDamaged = "knowledge.damaged",
            "The definition of a knowledge base cannot be read.",
            "Remove the knowledge base and add it again. Its files are not touched.";
        KnowledgeEmbeddings = "knowledge.embeddings",
            "The embeddings of a text could not be computed.",
            "Check the provider and the model of the knowledge base. Until then the search goes by words alone.";
        KnowledgeExists = "knowledge.exists",
            "There is already a knowledge base of this name.",
            "Choose another name, or remove the other one first.";
        KnowledgeIndex = "knowledge.index",
            "The index of a knowledge base cannot be written or read.",
            "Check that there is room on the disk, then index the knowledge base again.";
        KnowledgeName = "knowledge.name",
            "The name of a knowledge base is empty, too long, or holds characters that it may not.",
            "Use letters, digits, spaces, `-`, `_` and `.`, 64 characters at most.";
        KnowledgeNoFolder = "knowledge.no_folder",
            "The folder of a knowledge base cannot be opened.",
            "Check that it exists. A folder of a flow is relative to the flow's file, so save the flow first.";
        KnowledgeNoQuery = "knowledge.no_query",
            "There is nothing to search for.",
            "Feed `query`, or put a `userInput` before the node on the context edge.";
        KnowledgeOutside = "knowledge.outside",
            "A folder that a flow searches, or a source, lies outside of where it must be.",
            "Give a folder in the flow's project, or add the folder as a knowledge base by its name.";
        KnowledgeSource = "knowledge.source",
            "The source of a passage cannot be read any more.",
            "The file was changed, moved or removed after it was indexed. Index the knowledge base again.";
        KnowledgeStopped = "knowledge.stopped",
            "Indexing was stopped.",
            "Index the knowledge base again when you want it. What was indexed so far is kept.";
        KnowledgeTooLarge = "knowledge.too_large",
            "A knowledge base has more files, or more text, than can be indexed.",
            "Choose a folder further down, or leave out files with a `.gitignore` or `.ignore` file.";
        KnowledgeUnknown = "knowledge.unknown",
            "There is no knowledge base of this name.",
            "Add it in the Knowledge panel or with `plait knowledge add`, or correct the name in the node.";
        KnowledgeUnsafeFolder = "knowledge.unsafe_folder",
            "The folder holds more than documents: a home directory, the root of a file system, or Plait's own data.",
            "Choose a folder further down that holds the documents only.";
    }

    "MCP servers" {
        McpBackingOff = "mcp.backing_off",
            "The MCP server failed several times, and is not started again for a while.",
            "Read its log under *MCP servers* or with `plait mcp log NAME`, correct its entry, then connect it.";
        McpCannotStart = "mcp.cannot_start",
            "The command of an MCP server cannot be started.",
            "Check that the program is installed and that the command in the server's entry is right.";
        McpEnded = "mcp.ended",
            "The MCP server ended before it answered.",
            "Read its log under *MCP servers* or with `plait mcp log NAME`. It is started again when it is needed.";
        McpEntryInvalid = "mcp.entry_invalid",
            "The entry of an MCP server is invalid.",
            "Give a `command` with `args` and `env`, or a `url` with `headers`.";
        McpInvalidMessage = "mcp.invalid_message",
            "The MCP server sent what is no message of the protocol.",
            "Read its log under *MCP servers* or with `plait mcp log NAME`. Servers must write nothing but messages to their standard output.";
        McpNoHandshake = "mcp.no_handshake",
            "The MCP server did not complete the handshake.",
            "Check that the entry starts an MCP server, and read its log with `plait mcp log NAME`.";
        McpNoVariable = "mcp.no_variable",
            "The entry of an MCP server names a variable of the environment that is not set.",
            "Set the variable before Plait starts, or enter the value in the server's entry.";
        McpRefused = "mcp.refused",
            "The MCP server refused the request.",
            "The message is the server's own. Check the arguments.";
        McpServerExists = "mcp.server_exists",
            "There is an MCP server of this name already.",
            "Choose another name, or replace the server.";
        McpTimeout = "mcp.timeout",
            "The MCP server did not answer in time.",
            "Raise the timeout of the tool, or read the server's log.";
        McpToolFailed = "mcp.tool_failed",
            "The tool of an MCP server reports an error.",
            "The model sees this error. The message is the tool's own.";
        McpToolInvalid = "mcp.tool_invalid",
            "The definition of a tool of an MCP server is invalid.",
            "The tool is not offered. Report it to the author of the server.";
        McpTooLarge = "mcp.too_large",
            "A message of the MCP server is too large.",
            "Ask the tool for less.";
        McpTooManyTools = "mcp.too_many_tools",
            "The MCP server lists more tools than a flow can use.",
            "Use a server with fewer tools.";
        McpToolsChanged = "mcp.tools_changed",
            "The tools of an MCP server are not those that were accepted.",
            "Look at what changed under *MCP servers* or with `plait mcp tools NAME`, then accept it or remove the server.";
        McpUnauthorized = "mcp.unauthorized",
            "The MCP server refuses the request without, or with this, authorization.",
            "Check the `headers` of the server's entry.";
        McpUnclearRequest = "mcp.unclear_request",
            "An MCP server asked something during several calls, and did not say during which.",
            "Call it again: from then on its calls are made one at a time.";
        McpUnknownServer = "mcp.unknown_server",
            "There is no MCP server of this name.",
            "Add it under *MCP servers* or with `plait mcp add`.";
        McpUnreachable = "mcp.unreachable",
            "The MCP server cannot be reached.",
            "Check its URL and that it runs.";
    }

    "Lens" {
        LensNoCall = "lens.no_call",
            "The run has no such model call.",
            "`plait lens show RUN` lists the model calls of a run.";
        LensNoRequest = "lens.no_request",
            "The model call sent no HTTP request: it was answered by the simulator.",
            "Choose a call of another provider.";
    }

    "Nodes" {
        NodeBadLimits = "node.bad_limits",
            "A limit of a node is out of range.",
            "Correct the limit at the place given.";
        NodeCanceled = "node.cancelled",
            "The node was stopped, because the run was canceled.",
            "Start the flow again.";
        NodePanicked = "node.panicked",
            "The code of a node crashed.",
            "Please report it with the run's journal.";
        NodeStopped = "node.stopped",
            "The node was stopped, because another node failed.",
            "Fix the node that failed, or wire its `error` output.";
        NodeTimeout = "node.timeout",
            "The node took longer than `limits.timeoutMs`.",
            "Raise the limit, or find out what takes so long.";
        NodeTooDeep = "node.too_deep",
            "The output of a node is nested too deeply.",
            "Make the value flatter; in a cycle, check that it does not grow inward.";
        NodeUnknown = "node.unknown",
            "There is no node of this id.",
            "Name a node of the flow.";
        NodeUnknownType = "node.unknown_type",
            "There is no node type of this name.",
            "`plait nodes` lists the node types. A newer Plait may have it.";
        NodesUnknown = "nodes.unknown",
            "There is no node type of this name to describe.",
            "`plait nodes` lists the node types.";
        NodesUnwritable = "nodes.unwritable",
            "The list of node types cannot be written as JSON.",
            "Please report it.";
    }

    "Output of commands" {
        OutputFailed = "output.failed",
            "The output could not be written.",
            "Check the disk, and that the receiving program still runs.";
    }

    "Providers" {
        ProviderBadOptions = "provider.bad_options",
            "The options of a model call are invalid.",
            "Correct `options` on the node.";
        ProviderBadRequest = "provider.bad_request",
            "The server rejected the request.",
            "The server's message says why; check the options and the model.";
        ProviderBadSettings = "provider.bad_settings",
            "The settings of the provider are invalid.",
            "Correct its base URL.";
        ProviderBuiltIn = "provider.built_in",
            "The provider is built in and cannot be removed.",
            "Change its settings with `plait providers set`; `plait providers rm` takes changes back.";
        ProviderCertificate = "provider.certificate",
            "The certificate of the server is not trusted.",
            "Add the certificate of its authority to those that the system trusts (on Linux, `SSL_CERT_FILE` can name a file), and check the date of the machine.";
        ProviderContentFiltered = "provider.content_filtered",
            "The server's content filter stopped the reply.",
            "Rephrase the message, or use another model.";
        ProviderContextExceeded = "provider.context_exceeded",
            "The provider refused the prompt because it is larger than the model's window.",
            "Set the model's window in the settings, shorten the conversation, or use a larger model.";
        ProviderCutShort = "provider.cut_short",
            "The connection closed before the reply was complete.",
            "Try again.";
        ProviderExists = "provider.exists",
            "There is a provider of this name.",
            "Change it with `plait providers set`, or choose another name.";
        ProviderInvalidResponse = "provider.invalid_response",
            "The server's response does not follow its protocol.",
            "Check that the base URL and the kind of the provider match the server.";
        ProviderNoClient = "provider.no_client",
            "A connection to the provider cannot be set up on this system.",
            "Check the system's certificates.";
        ProviderNoKey = "provider.no_key",
            "The provider takes no key.",
            "Remove the key, or choose another provider.";
        ProviderNoModels = "provider.no_models",
            "The provider answers, but lists no models.",
            "Load or pull a model on the server.";
        ProviderNotFound = "provider.not_found",
            "The server does not have the model or the address asked for.",
            "Check the model and the base URL.";
        ProviderOverloaded = "provider.overloaded",
            "The server is overloaded.",
            "Wait a little, or set more attempts on the node.";
        ProviderProxy = "provider.proxy",
            "A proxy between Plait and the provider refuses the request, or the environment names one that can't be used.",
            "Correct the proxy in its environment variable, or add the host to `NO_PROXY`.";
        ProviderRateLimited = "provider.rate_limited",
            "The rate limit or the credit of the account is used up.",
            "Wait, add credit, or use another model.";
        ProviderScriptOver = "provider.script_over",
            "The script of the offline provider has no reply left.",
            "Add replies, or let the script repeat.";
        ProviderServerError = "provider.server_error",
            "The server failed.",
            "Try again; if it persists, look at the server's log.";
        ProviderTimeout = "provider.timeout",
            "The server did not answer in time.",
            "Check that the server runs, or raise its timeout.";
        ProviderUnauthorized = "provider.unauthorized",
            "The key is missing or was rejected.",
            "Set the key in the settings or with `plait keys set`.";
        ProviderUnknown = "provider.unknown",
            "There is no provider of this name.",
            "Choose one of the providers listed, or add it in the settings.";
        ProviderUnknownPreset = "provider.unknown_preset",
            "There are no ready-made settings of this name.",
            "`plait providers presets` lists them; or give `--kind` and `--url`.";
        ProviderUnreachable = "provider.unreachable",
            "The server cannot be reached.",
            "Check that the server runs, and the base URL.";
    }

    "Runs" {
        RunAmbiguous = "run.ambiguous",
            "The prefix matches more than one run.",
            "Give more characters of the id.";
        RunBadId = "run.bad_id",
            "This is not the id of a run.",
            "`plait runs list` shows the ids.";
        RunBusy = "run.busy",
            "The run is still running.",
            "Wait for it, or cancel it first.";
        RunCanceled = "run.cancelled",
            "The run ended while this node was running.",
            "Nothing is needed.";
        RunNotRetryable = "run.not_retryable",
            "The run has nothing to retry: it finished, or can be resumed.",
            "Run the flow again, or resume the run.";
        QuotaBad = "quota.bad",
            "A quota sets nothing, allows nothing, or names no model to fall back to.",
            "Set `tokens`, `usd` or both to more than 0; with `onExceeded: fallback`, name a model in `fallback`.";
        QuotaExceeded = "quota.exceeded",
            "A model call would exceed the quota of the run, the conversation or the day. It was not sent.",
            "Raise the quota, then retry the run: it reuses what it has bought.";
        QuotaNodeExceeded = "quota.node_exceeded",
            "A model call would exceed the quota of its node or of a loop around it. It was not sent.",
            "Raise the quota, set `maxTokens` so that calls reserve less, or wire the `error` output.";
        QuotaNoPrice = "quota.no_price",
            "A quota limits money, but the price of the model is not known. The call was not sent.",
            "Set the model's price in the settings, 0 if it is free, or limit tokens instead of money.";
        RunTooManyEvents = "run.too_many_events",
            "The run and those below it have recorded as many events as they may.",
            "Find what repeats, or raise `settings.limits.maxEvents`.";
        RunTooManyModelCalls = "run.too_many_model_calls",
            "The run and those below it have made as many model calls as they may.",
            "Find what repeats, or raise `settings.limits.maxModelCalls`.";
        RunTooManyRuns = "run.too_many_runs",
            "The run and those below it are as many as there may be.",
            "Find which sub-flow runs too often, or raise `settings.limits.maxRuns`.";
        RunEnded = "run.ended",
            "The run has ended.",
            "Run the flow again.";
        RunLost = "run.lost",
            "Another process continued the run.",
            "Look at the run there.";
        RunNone = "run.none",
            "There is no run yet.",
            "Start one with `plait run FLOW`.";
        RunNotCanceled = "run.not_cancelled",
            "The run could not be canceled.",
            "Check that the disk has room and the data directory is writable.";
        RunNotRunning = "run.not_running",
            "The run is not running.",
            "Resume it, then answer.";
        RunUnknown = "run.unknown",
            "There is no run of this id.",
            "`plait runs list` shows all runs.";
        RunUnknownTarget = "run.unknown_target",
            "There is no node of this id to run to.",
            "Name a node of the flow.";
    }

    "The store" {
        StoreCorrupt = "store.corrupt",
            "A stored document is damaged.",
            "Restore the data directory from a copy, or delete the document.";
        StoreFull = "store.full",
            "The disk is full.",
            "Free some space, then resume the run.";
        StoreIo = "store.io",
            "The disk returned an error.",
            "Check the disk and the permissions of the data directory, then start Plait again.";
        StoreLocked = "store.locked",
            "Another process uses the data directory.",
            "Close the other Plait, or give another directory with `--home`.";
        StoreNewer = "store.newer",
            "A newer version of Plait wrote a file of the data directory.",
            "Use that version, or give another directory with `--home`.";
        StoreNoHome = "store.no_home",
            "The system names no home directory.",
            "Give one with `--home DIR` or PLAIT_HOME.";
        StoreOldForm = "store.old_form",
            "The data directory is of an earlier, unreleased form of Plait.",
            "Move it elsewhere, or give another directory with `--home`.";
    }

    "Sub-flows" {
        SubflowCanceled = "subflow.cancelled",
            "The sub-flow was canceled.",
            "Run the flow again, or wire the `error` output.";
        SubflowFailed = "subflow.failed",
            "The sub-flow failed.",
            "Open the child run to see why.";
        SubflowHardLink = "subflow.hard_link",
            "The file of the sub-flow is a hard link, whose other name may be outside of the project.",
            "Replace the link by a copy of the file.";
        SubflowInvalid = "subflow.invalid",
            "The sub-flow has errors.",
            "Open it and fix what its diagnostics name.";
        SubflowLost = "subflow.lost",
            "Another process continued the child run.",
            "Resume this run when the child run has ended.";
        SubflowNotFound = "subflow.not_found",
            "The file of the sub-flow does not exist.",
            "Correct `file`; it is relative to the folder of the calling flow.";
        SubflowOutsideProject = "subflow.outside_project",
            "The path of the sub-flow leads out of the project.",
            "Move the file into the project: the nearest folder around the flow with `.git`, or else the flow's folder.";
        SubflowRecursion = "subflow.recursion",
            "A flow would run inside itself.",
            "Use a cycle to repeat steps.";
        SubflowSecretFile = "subflow.secret_file",
            "The file of the sub-flow holds secrets by its name.",
            "Give the flow another name.";
        SubflowTooDeep = "subflow.too_deep",
            "Sub-flows are nested too deeply.",
            "Flatten the chain of flows.";
        SubflowUnavailable = "subflow.unavailable",
            "Sub-flows cannot run in this host.",
            "Run the flow with Plait itself.";
        SubflowUnreadable = "subflow.unreadable",
            "The file of the sub-flow cannot be read.",
            "Correct the file at the place given.";
        SubflowUnsafeFolder = "subflow.unsafe_folder",
            "The flow is in a home directory, at the root of a file system or in the data directory of Plait.",
            "Move the flow and its sub-flows into a folder of their own.";
    }

    "Loops" {
        LoopBadParent = "loop.bad_parent",
            "The `parent` of a node is not a loop of the flow, or the node would lie inside itself.",
            "Set `parent` to the id of a `loop` node, or remove it.";
        LoopContextChanged = "loop.context_changed",
            "A node inside a `forEach` loop clears a context, or changes its instructions or model.",
            "Do that before the loop, or give the iteration a context of its own with `newContext`.";
        LoopNoExit = "loop.no_exit",
            "Only `max_iterations` ends a loop.",
            "Set a condition, connect a node inside to `exit`, or offer the tool `finish` to a model inside.";
        LoopNone = "loop.none",
            "A model called the tool `finish` outside of a loop.",
            "Do not offer the tool to this node, or move the node into a loop.";
        LoopSideExit = "loop.side_exit",
            "An edge leads out of a loop by the side, not through `next`.",
            "Connect its source to `next` of the loop, and `result` of the loop to its target.";
        LoopUnusedLimit = "loop.unused_limit",
            "A loop has a limit that does not bound it: `limits.maxEpochs`, `limits.timeoutMs` or `retry`.",
            "Set `max_iterations` in its config, and timeouts and retries on the nodes inside.";
    }

    "Conditions of `switch` nodes" {
        SwitchCondition = "switch.condition",
            "A condition is invalid, or cannot be computed for this value.",
            "Correct the condition.";
        SwitchTooMuch = "switch.too_much",
            "A condition would take too many steps for so large a value.",
            "Select what is needed with a `json` node first.";
    }

    "OpenTelemetry" {
        TelemetryBadEndpoint = "telemetry.bad_endpoint",
            "The OpenTelemetry endpoint is no HTTP URL, or contains a password.",
            "Use a URL like `http://127.0.0.1:4318`. Headers with keys belong into an environment variable.";
        TelemetryExportFailed = "telemetry.export_failed",
            "Spans could not be sent to the OpenTelemetry endpoint. The run is not affected.",
            "Check that a collector with OTLP over HTTP listens there, then export the run again: its spans keep their ids.";
        TelemetryNoEndpoint = "telemetry.no_endpoint",
            "There is no endpoint to send spans to.",
            "Name one with `--endpoint` or in the settings, or write the spans to a file with `--file`.";
    }

    "Templates" {
        TemplateForbidden = "template.forbidden",
            "A template uses partials or decorators, which are not allowed.",
            "Write the text in the template itself.";
        TemplateMissingValue = "template.missing_value",
            "A value that the template uses is missing.",
            "Feed the input, or write `{{default name \"…\"}}` or `{{#if name}}…{{/if}}`.";
        TemplateNotAList = "template.not_a_list",
            "An `{{#each}}` of the template goes through a text, a number, or true or false.",
            "Connect a list or an object. Where the value is one text, write `{{name}}` without `{{#each}}`.";
        TemplateRender = "template.render",
            "The template cannot be rendered.",
            "Correct the template at the place given.";
        TemplateSourceTooLarge = "template.source_too_large",
            "The source of the template is too large.",
            "Move text into inputs.";
        TemplateSyntax = "template.syntax",
            "The template has a syntax error.",
            "Correct it at the place given; templates are written in Handlebars.";
        TemplateTooDeep = "template.too_deep",
            "The blocks of the template are nested too deeply.",
            "Flatten the template.";
        TemplateTooLarge = "template.too_large",
            "The template writes too much text.",
            "Shorten the list or the text that feeds it.";
        TemplateTooManySteps = "template.too_many_steps",
            "The loops of the template take too many steps.",
            "Shorten the lists that feed it.";
        TemplateUnknownHelper = "template.unknown_helper",
            "The template calls a helper that does not exist.",
            "Use one of the helpers listed.";
    }

    "Tools" {
        ToolAddressRefused = "tool.address_refused",
            "The address is private, local or of the machine's own network, and the person has not allowed it.",
            "If the server is meant, allow its host in the settings or with `--allow host=NAME`.";
        ToolAsks = "tool.asks",
            "The tool asks the person; its call is made again with the answer.",
            "Answer the question of the run.";
        ToolBadArguments = "tool.bad_arguments",
            "The arguments of a tool call do not follow the tool's schema.",
            "The model sees this error and calls again; describe the arguments more plainly.";
        ToolBadExpression = "tool.bad_expression",
            "The expression for the calculator cannot be parsed.",
            "Write it like `2 * (3 + 4)^2`.";
        ToolBadSchema = "tool.bad_schema",
            "The schema of a tool's arguments is not a JSON Schema that can be used.",
            "Correct the schema where the tool is declared, or do not offer the tool.";
        ToolBadUrl = "tool.bad_url",
            "The URL of a request is not one that can be requested.",
            "Use a full URL that begins with http:// or https://.";
        ToolCodeFailed = "tool.code_failed",
            "The program ended with an error.",
            "The message says what and in which line; correct the program.";
        ToolCodeLimit = "tool.code_limit",
            "The program took too much time or memory, or its result is too large.",
            "Let it do less, or split the work.";
        ToolHardLink = "tool.hard_link",
            "The file is a hard link, whose other name may be outside of the folder.",
            "Replace the link by a copy of the file.";
        ToolHttpStatus = "tool.http_status",
            "The server answered a request with an error.",
            "The details have the status and the beginning of the answer.";
        ToolInterrupted = "tool.interrupted",
            "A tool call that changes something was interrupted, and the person did not want it to be made again.",
            "Find out whether it had an effect. The model sees this error.";
        ToolNoFolder = "tool.no_folder",
            "The flow was never saved, so it has no folder to read files from.",
            "Save the flow first.";
        ToolNoResult = "tool.no_result",
            "The tool has no result for these arguments.",
            "Look for a division by zero or a huge number.";
        ToolNoSecret = "tool.no_secret",
            "A header names a secret that the settings do not allow for this server, or that is not set.",
            "Add it to the secrets for tools in the settings, with the host it may be sent to.";
        ToolNoModel = "tool.no_model",
            "A tool requests the reply of a model, and the node that calls it has none.",
            "Set the node's `provider` and `model`, or let a *Chat* call the tool.";
        ToolNotFound = "tool.not_found",
            "There is no such file in the flow's folder.",
            "Check the path.";
        ToolNotOffered = "tool.not_offered",
            "The model called a tool that was not offered to it.",
            "The model sees this error; offer the tool if it is needed.";
        ToolNotText = "tool.not_text",
            "The file or the answer of a server is not UTF-8 text.",
            "Choose a text file, or another address.";
        ToolOutsideFolder = "tool.outside_folder",
            "The path leads out of the flow's folder.",
            "Give a path in the folder of the flow.";
        ToolProtectedFile = "tool.protected_file",
            "Files that programs act on are not written: hidden ones, whose name begins with a dot, and flows.",
            "Choose another name.";
        ToolReadOnlyFolder = "tool.read_only_folder",
            "The flow declares no folder that this file may be written in.",
            "Declare the folder in the flow's settings, with writing allowed.";
        ToolRedirected = "tool.redirected",
            "The server redirects the request to where it may not go: too often, to an unencrypted address, or with a body.",
            "Use the URL that the server names.";
        ToolRequestFailed = "tool.request_failed",
            "The server of a request could not be reached, or did not answer.",
            "Check the URL and the network, then try again.";
        ToolRejected = "tool.rejected",
            "The person did not allow the tool call.",
            "The model sees this error, with the person's comment.";
        ToolSamplingTooLarge = "tool.sampling_too_large",
            "A tool requests the reply of a model to more text than a person can be expected to read.",
            "Call the tool with less.";
        ToolSecretFile = "tool.secret_file",
            "The file holds secrets by its name.",
            "Put what the model may know into a file of another name.";
        ToolTimeout = "tool.timeout",
            "The tool took longer than its time limit.",
            "Raise the tool's `timeoutMs`, or ask for less at once.";
        ToolTooDeep = "tool.too_deep",
            "The result of the tool is nested too deeply.",
            "Ask the tool for less.";
        ToolTooLarge = "tool.too_large",
            "The file, the answer of a server or the result of a tool is too large.",
            "Split the file, or request less.";
        ToolTooManyRequests = "tool.too_many_requests",
            "A tool asked the person or a model too often in one call.",
            "Ask the author of the tool: after each answer the call is made again, and has to ask the same.";
        ToolUnknown = "tool.unknown",
            "There is no tool of this name.",
            "Choose one of the tools listed.";
        ToolUnreadable = "tool.unreadable",
            "The file cannot be read.",
            "Check its permissions, and that it is a regular file.";
        ToolUnsafeFolder = "tool.unsafe_folder",
            "The flow is in a home directory, at the root of a file system or in the data directory of Plait.",
            "Move the flow and the files it reads into a folder of their own.";
        ToolUnwritable = "tool.unwritable",
            "The file cannot be written.",
            "Check the permissions of its folder, and the space on the disk.";
        ToolWorkerUnavailable = "tool.worker_unavailable",
            "The worker process that a tool needs could not be started.",
            "Check that the machine has memory left, then try again.";
        ToolsBadDeclaration = "tools.bad_declaration",
            "A `tools` node declares a tool that cannot be offered.",
            "Correct the declaration as the message says.";
        ToolsDuplicate = "tools.duplicate",
            "Two bundles offer a tool of the same name.",
            "Offer only one of them to this node.";
        ToolsUnknown = "tools.unknown",
            "A `tools` node names a tool that does not exist.",
            "Choose one of the tools listed.";
        ToolsUnreadable = "tools.unreadable",
            "The description of a tool cannot be written as JSON.",
            "Please report it.";
    }

    "Usage of the command line" {
        UsageInput = "usage.input",
            "The input of a command cannot be read.",
            "Check the file or the text piped in.";
    }
}
