//! The error codes of suites.

plait_core::error_codes! {
    "Flow tests" {
        SUITE_BAD_CHECK = "suite.bad_check",
            "A check of a suite can't be used: its pattern, path, condition or schema does not compile, or a number is out of range.",
            "Correct the check at the line that the message names.";
        SUITE_BAD_DATASET = "suite.bad_dataset",
            "A dataset can't be used: its name says no format, it has no rows or too many, or it is not in the folder of the suite.",
            "Correct what the message names. A dataset is a CSV file with a header or a JSONL file, beside the suite or in a folder there.";
        SUITE_BAD_ROW = "suite.bad_row",
            "A row of a dataset can't be read, or has no cell that its case needs.",
            "Correct the row at the line that the message names.";
        SUITE_DUPLICATE_CASE = "suite.duplicate_case",
            "Two cases of a suite, or two rows of a dataset, have the same name.",
            "Rename one of the two. Rows are named by the column that `id` names.";
        SUITE_EMPTY = "suite.empty",
            "A suite has no cases.",
            "Add a case, or make one of a run: `plait test add RUN`.";
        SUITE_INVALID = "suite.invalid",
            "A suite has a key that it cannot have, lacks one, or has a value of the wrong type.",
            "Correct the place that the message names. `docs/testing.md` lists the keys; `plait schema --suite` prints the schema.";
        SUITE_NEWER = "suite.newer",
            "The suite has a version that this Plait does not know.",
            "Update Plait.";
        SUITE_NO_EFFECT = "suite.no_effect",
            "A case that is replayed sets something that only live cases have (repeats, a pass rate), or a JSONL dataset something that only CSV has.",
            "Remove it, or make the case live.";
        SUITE_NO_WORLD = "suite.no_world",
            "A case has neither a recording nor `live: true`, or both.",
            "Name a recording, or write `live: true` to call models and tools each time.";
        SUITE_SYNTAX = "suite.syntax",
            "The file of a suite is not valid YAML or JSON.",
            "Correct it at the line that the message names.";
        SUITE_UNKNOWN_COLUMN = "suite.unknown_column",
            "A case names a column that its dataset does not have.",
            "Correct the name in `{{…}}`, `id` or `json`; the message lists the columns.";
    }
}
