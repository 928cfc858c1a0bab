//! The error codes of recorded programs. Those of the crates below are here as well.

pub use plait_adapters::codes::*;

plait_core::error_codes! {
    "Recorded programs" {
        RECORD_COMMAND = "record.command",
            "The command that is to be recorded cannot be started.",
            "Check its name and that it can be executed. What follows `--` is the command with its arguments.";
        RECORD_ENDPOINT = "record.endpoint",
            "The local endpoint that programs call cannot be opened.",
            "Check that the machine lets programs listen on 127.0.0.1.";
        RECORD_UPSTREAM = "record.upstream",
            "The address of a model server is none, or the server cannot be reached.",
            "Name it as `--upstream openai=https://api.openai.com/v1`, and check that the server runs.";
        RECORD_LOG = "record.log",
            "What a program exchanged with its model servers cannot be written or read.",
            "Check the free space and the permissions of the data directory.";
        RECORD_NO_CALLS = "record.no_calls",
            "Nothing was recorded that is a call of a model.",
            "Check that the program reads its base URL from the environment (`OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL`), or give it the printed address.";
        RECORD_NOT_A_PROGRAM = "record.not_a_program",
            "The run is not that of a recorded program, so there are no exchanges to answer from.",
            "`plait replay` replays runs of flows. `plait runs list` says which runs are of programs.";
        RECORD_NOT_RECORDED = "record.not_recorded",
            "A program asks for something that is not recorded.",
            "The message names the nearest recorded request and the words that differ. Record the program again if it has changed.";
        RECORD_DIFFERS = "record.differs",
            "A program sent a model something else than the drafted flow sends at the same place. The run shows what the program sent.",
            "Compare the prompt with that of a run of the draft, and add to the draft what is missing.";
        RECORD_ENDED_EARLY = "record.ended_early",
            "The recorder of a program ended before the program did. Plait did not run the program, so it cannot go on with it, and has nothing to stop.",
            "The run stays as it was recorded: look at it, draft a flow of it, rerun that flow, or remove the run.";
        RECORD_REDRAFTED = "record.redrafted",
            "A program that is being recorded did something that changes the draft of its run from the beginning, or it has ended.",
            "Read the run again. Windows and `plait watch` do.";
        RECORD_STUCK = "record.stuck",
            "The flow that was drafted of a program does not lead through all of its calls.",
            "This is a defect of Plait. Please report it with the exported exchanges.";
        TRACES_FORM = "traces.form",
            "A file of traces is not OTLP in JSON.",
            "Give a file that a collector's file exporter wrote: one JSON object, or one in each line.";
        TRACES_NO_CALLS = "traces.no_calls",
            "The traces have no span of a model call by OpenTelemetry's conventions for generative AI.",
            "The spans need `gen_ai.operation.name` or `gen_ai.request.model`. Have the instrumentation follow the conventions.";
    }
}
