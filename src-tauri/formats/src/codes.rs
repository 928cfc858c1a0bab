//! The error codes of pipeline YAML and of files of other tools. Those of the crates below are here as well.

pub use plait_run::codes::*;

plait_core::error_codes! {
    "Import from other tools" {
        IMPORT_NO_GRAPH = "import.no_graph",
            "The graph that is to be imported is not in the file.",
            "Take one of the graphs that the message names, or import the main graph.";
        IMPORT_NO_RECORD = "import.no_record",
            "A file is no execution of another tool that an imported flow can be compared with.",
            "Get the execution with its data as JSON. The message says what is missing.";
        IMPORT_TOO_LARGE = "import.too_large",
            "A file of another tool is larger, nested deeper, or has more nodes than Plait imports.",
            "Split the flow in the tool that it comes from, and import the parts.";
        IMPORT_UNKNOWN_FORMAT = "import.unknown_format",
            "A file is none of the formats that can be imported.",
            "Export it again from a tool whose files can be imported, or name its format with `--format`.";
        IMPORT_UNREADABLE = "import.unreadable",
            "A file that is to be imported is no valid JSON or YAML.",
            "Export it again from the tool that it comes from. The message has the place.";
        IMPORT_WRONG_SHAPE = "import.wrong_shape",
            "A file is not what its format says, for example without nodes.",
            "Export it again from the tool that it comes from, or name another format with `--format`.";
    }

    "Pipelines" {
        PIPELINE_ANCHOR = "pipeline.anchor",
            "A pipeline has an anchor (`&name`) or an alias (`*name`).",
            "Write the value out, or define an agent and refer to it by its name.";
        PIPELINE_DUPLICATE_KEY = "pipeline.duplicate_key",
            "A mapping of a pipeline has a key twice.",
            "Remove one of the two, or rename it.";
        PIPELINE_DUPLICATE_NAME = "pipeline.duplicate_name",
            "Two steps of a pipeline have the same name, or a step and an agent that summarizes.",
            "Rename one of the two.";
        PIPELINE_EMPTY = "pipeline.empty",
            "A pipeline, a body or a branch has no steps, or `parallel` has fewer than two branches.",
            "Add a step or a branch, or remove what is empty.";
        PIPELINE_INVALID_NAME = "pipeline.invalid_name",
            "A name has characters that names cannot have, or means something else.",
            "Use letters, digits, `_` and `-`. What people see is the `title`.";
        PIPELINE_MISSING_KEY = "pipeline.missing_key",
            "A part of a pipeline lacks a key that it needs.",
            "Add the key. `docs/pipelines.md` lists the keys of each part.";
        PIPELINE_NOT_EXPRESSIBLE = "pipeline.not_expressible",
            "A flow was to be saved as a pipeline, which cannot express all of it. The file is unchanged.",
            "Save the flow in a file whose name ends in `.flow.json`, or undo the change.";
        PIPELINE_NOT_YAML = "pipeline.not_yaml",
            "The file is not valid YAML.",
            "Correct the YAML at the line and column that the message names.";
        PIPELINE_ORDER = "pipeline.order",
            "A step comes `after` one that cannot be done before it.",
            "Correct the name, or move one of the steps.";
        PIPELINE_STEP_IN_BOTH_SOURCES = "pipeline.step_in_both_sources",
            "A step gives turns of the user and of the assistant.",
            "Remove it from `user_turn_sources` or from `named_steps`.";
        PIPELINE_TAB = "pipeline.tab",
            "A line of a pipeline is indented with a tab, which YAML does not allow.",
            "Replace the tabs at the start of the line with spaces.";
        PIPELINE_UNKNOWN_AGENT = "pipeline.unknown_agent",
            "A step or a loop names an agent that the pipeline does not define.",
            "Define it under `agents`, or correct the name.";
        PIPELINE_UNKNOWN_KEY = "pipeline.unknown_key",
            "A part of a pipeline has a key that it cannot have.",
            "Correct the key, or remove it.";
        PIPELINE_UNKNOWN_KIND = "pipeline.unknown_kind",
            "There is no such kind of step.",
            "Use `step`, `loop`, `parallel`, `conditional` or `hitl`.";
        PIPELINE_UNKNOWN_STEP = "pipeline.unknown_step",
            "A loop names a step that is not in its body, or `after` one that does not exist.",
            "Correct the name in `named_steps`, `user_turn_sources` or `after`.";
        PIPELINE_UNKNOWN_VARIABLE = "pipeline.unknown_variable",
            "A prompt has a variable that is neither an earlier step nor a value of the run or the loop.",
            "Use `previous`, `input`, the name of an earlier step, or in a loop `index` or `item`.";
        PIPELINE_UNSUPPORTED = "pipeline.unsupported",
            "A pipeline uses a part of YAML that pipelines do not have: tags, several documents, collections as keys.",
            "Write it without.";
        PIPELINE_VERSION = "pipeline.version",
            "The version of the format is unknown.",
            "Write `version: \"0.1\"`, or update Plait if a newer one wrote the file.";
        PIPELINE_WRONG_TYPE = "pipeline.wrong_type",
            "A value of a pipeline has another type than its key needs.",
            "Correct the value. `docs/pipelines.md` lists the types.";
    }
}
