//! The error codes of imports. Those of the crates below are here as well.

pub use plait_formats::codes::*;
pub use plait_nodes::codes::*;

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
}
