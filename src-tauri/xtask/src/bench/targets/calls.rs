//! Calls of models and of tools.

use super::{Limit, Measurements, Target, ratio, target};

/// A token must be on screen within two frames.
const FRAME_MS: f64 = 1_000.0 / 60.0;

pub(super) fn models(measured: Measurements<'_>) -> Vec<Target> {
    let beside_bare = |group: &str| ratio(measured.figure(group, "engine"), measured.figure(group, "bare"));
    vec![
        target(
            "a model call with 1,000 messages compared with bare reqwest",
            beside_bare("model-call"),
            Limit::AtMost(3.0),
            "×",
        ),
        target(
            "ten streams compared with a client that only reads them",
            beside_bare("streams"),
            Limit::AtMost(2.0),
            "×",
        ),
        target(
            "one of their tokens from the server until it is painted in the window, median",
            measured.figure("streams-on-screen", "median"),
            Limit::AtMost(150.0),
            "ms",
        ),
        target(
            "the slowest of their tokens from the server to the screen",
            measured.figure("streams-on-screen", "slowest"),
            Limit::AtMost(2.0 * FRAME_MS),
            "ms",
        ),
        target(
            "what recording adds to a call of a program, median",
            measured.figure("recording endpoint", "a call, added, median"),
            Limit::AtMost(1.0),
            "ms",
        ),
        target(
            "what recording adds to the first token, median",
            measured.figure("recording endpoint", "the first token, added, median"),
            Limit::AtMost(5.0),
            "ms",
        ),
    ]
}

pub(super) fn tools(measured: Measurements<'_>) -> Vec<Target> {
    let syncs = measured.figure("mcp", "two syncs");
    let call = measured.figure("mcp", "call and two syncs").zip(syncs).map(|(call, syncs)| call - syncs);
    let beside_bare = ratio(call, measured.figure("mcp", "bare call"));
    let what = "an MCP call over stdio without its two syncs, compared with a bare client of the SDK";
    vec![
        target(what, beside_bare, Limit::AtMost(1.5), "×"),
        target(
            "a reply with 16 tool calls of 100 ms each, until the model has the results",
            measured.figure("tool-calls", "16 of 100 ms each"),
            Limit::AtMost(250.0),
            "ms",
        ),
    ]
}
