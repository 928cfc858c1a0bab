//! The performance targets and whether the measurements meet them. How things are measured is not decided here.

mod measurements;

pub(crate) use measurements::Measurements;

struct Target {
    what: String,
    /// The measured value, if there is one
    value: Option<f64>,
    limit: Limit,
    unit: &'static str,
}

#[derive(Clone, Copy)]
enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

/// The relative difference of repeated measurements on a quiet machine. "The same" means within this.
const RELATIVE_NOISE: f64 = 0.1;
const UNCHANGED: Limit = Limit::AtMost(1.0 + RELATIVE_NOISE);
/// A token must be on screen within two frames.
const FRAME_MS: f64 = 1_000.0 / 60.0;
const SHAPES: [&str; 4] = ["chain", "fan-out", "join", "ladder"];

/// The rows of the table of targets, each met or missed `at` a commit. Targets without a measurement are left out.
pub(crate) fn rows(measured: Measurements<'_>, at: &str) -> Vec<String> {
    let row = |target: Target| {
        let Target { what, value, limit, unit } = target;
        let value = value?;
        let (limit, met) = match limit {
            Limit::AtMost(most) => (format!("≤ {most}"), value <= most),
            Limit::AtLeast(least) => (format!("≥ {least}"), value >= least),
        };
        let verdict = if met { "met" } else { "**missed**" };
        Some(format!("| {what} | {limit} {unit} | {value:.2} {unit} | {verdict} | {at} |\n"))
    };
    targets(measured).into_iter().filter_map(row).collect()
}

fn targets(measured: Measurements<'_>) -> Vec<Target> {
    let parts = [
        scheduling,
        loops,
        commands,
        opening,
        finding,
        lineage,
        comparing,
        testing,
        reuse,
        expressions,
        prompts,
        retrieval,
        conversations,
        models,
        tools,
        window,
    ];
    parts.iter().flat_map(|part| part(measured)).collect()
}

fn target(what: impl Into<String>, value: Option<f64>, limit: Limit, unit: &'static str) -> Target {
    Target { what: what.into(), value, limit, unit }
}

fn scheduling(measured: Measurements<'_>) -> Vec<Target> {
    let mut targets = Vec::new();
    for shape in SHAPES {
        let floor =
            ratio(measured.micros_per_element(shape, "engine"), measured.micros_per_element(shape, "floor"));
        let what = format!("{shape} of 1,000, journal in memory, compared with the hand-written loop");
        targets.push(target(what, floor, Limit::AtMost(5.0), "×"));
    }
    let growth = |by: &str| {
        ratio(
            measured.micros_per_element_at("growth", by, 100_000),
            measured.micros_per_element_at("growth", by, 100),
        )
    };
    targets.push(target(
        "cost per node at 100,000 nodes compared with 100",
        growth("engine"),
        UNCHANGED,
        "×",
    ));
    let beside_loop = ratio(growth("engine"), growth("floor"));
    targets.push(target(
        "the same, each compared with the hand-written loop of its size",
        beside_loop,
        UNCHANGED,
        "×",
    ));
    for shape in SHAPES {
        for peer in measured.peers.iter().filter(|peer| peer.shape == shape) {
            let stored = peer.journal != "none";
            let (least, both) = if stored { (50.0, ", both stored") } else { (10.0, "") };
            let what = format!("{} of {shape} takes this many times longer{both}", peer.name);
            let longer =
                ratio(peer.micros_per_element(), measured.micros_per_element(&peer.group(), "engine"));
            targets.push(target(what, longer, Limit::AtLeast(least), "×"));
        }
        let stored = measured.micros_per_element(&format!("durable-{shape}"), "engine");
        targets.push(target(format!("a node of {shape}, stored"), stored, Limit::AtMost(40.0), "µs"));
    }
    let run_to = ratio(
        measured.micros_per_element("run-to", "engine"),
        measured.micros_per_element("run-to-chain", "engine"),
    );
    targets.push(target(
        "cost per node of a run to the last of 18 diamonds compared with a chain",
        run_to,
        UNCHANGED,
        "×",
    ));
    let breakpoints = ratio(
        measured.micros_per_element("breakpoints", "with"),
        measured.micros_per_element("breakpoints", "without"),
    );
    targets.push(target(
        "a chain of 1,000 with as many breakpoints compared with none",
        breakpoints,
        Limit::AtMost(1.1),
        "×",
    ));
    targets
}

fn loops(measured: Measurements<'_>) -> Vec<Target> {
    let compared = |group: &str, by: &str, reference: &str| {
        ratio(measured.micros_per_element(group, by), measured.micros_per_element(group, reference))
    };
    let journal = |part: &str| measured.figure("loop", &format!("journal, {part} 1,000"));
    let mut targets = vec![
        target(
            "an iteration of a `times` loop compared with one of a cycle of the same nodes",
            compared("times", "loop", "cycle"),
            Limit::AtMost(2.0),
            "×",
        ),
        target(
            "`forEach` over 10,000 items, 16 at once, compared with a program that spawns a task for each",
            compared("for-each", "engine", "tasks"),
            Limit::AtMost(2.0),
            "×",
        ),
        target(
            "peak memory of an iteration, up to 10,000",
            measured.figure("loop", "peak memory of an iteration"),
            Limit::AtMost(0.1),
            "KB",
        ),
        target(
            "journal of the last 1,000 of 10,000 iterations compared with the first",
            ratio(journal("last"), journal("first")),
            UNCHANGED,
            "×",
        ),
    ];
    for (turns, limit) in [(100, 100.0), (10_000, 1_000.0)] {
        let figure = |by: &str| measured.figure(&format!("conversation_loop_{turns}"), by);
        let history =
            figure("with history").zip(figure("without history")).map(|(with, without)| with - without);
        let what = format!("what the history adds to a whole iteration of a running loop at {turns} turns");
        targets.push(target(what, history, Limit::AtMost(limit), "µs"));
    }
    targets
}

fn commands(measured: Measurements<'_>) -> Vec<Target> {
    let mut targets: Vec<Target> = [
        ("run of a chain", 20.0, "µs"),
        ("run of a chain, peak memory", 4.0, "KB"),
        ("check of a chain", 8.0, "µs"),
        ("run of a cycle, peak memory", 1.0, "KB"),
    ]
    .map(|(by, most, unit)| {
        let what = format!("`plait`, whole command: {by}, for each of 100,000");
        target(what, measured.figure("command", by), Limit::AtMost(most), unit)
    })
    .into();
    let figure = |by: &str| measured.figure("command", by);
    let different = ratio(figure("run of a chain of different templates"), figure("run of a chain"));
    let what = "`plait`, whole command: run of a chain of different templates, compared with equal ones";
    targets.push(target(what, different, Limit::AtMost(2.0), "×"));
    let replay = "replay of 10,000 nodes, compared with their run";
    let what = format!("`plait`, whole command: {replay}");
    targets.push(target(what, figure(replay), Limit::AtMost(1.5), "×"));
    targets
}

fn expressions(measured: Measurements<'_>) -> Vec<Target> {
    [("template in place", 5.0), ("condition in place", 5.0), ("query in a worker", 100.0)]
        .map(|(by, most)| {
            let value = measured.figure("expressions", by);
            target(format!("one evaluation: {by}"), value, Limit::AtMost(most), "µs")
        })
        .into()
}

fn opening(measured: Measurements<'_>) -> Vec<Target> {
    [
        ("opening 10,000 runs of 100 events", 300.0),
        ("opening the same without its index", 20_000.0),
        ("opening a run of 100,000 events after a crash, up to where it goes on", 1_000.0),
        ("listing 10,000 runs", 50.0),
        ("listing the newest 100 of 10,000 runs", 1.0),
        ("opening 10,000 runs beside a writer and listing them", 500.0),
    ]
    .map(|(by, most)| target(by, measured.figure("open", by), Limit::AtMost(most), "ms"))
    .into()
}

fn finding(measured: Measurements<'_>) -> Vec<Target> {
    [
        "a condition on the outputs of a node",
        "a condition on the inputs of a node",
        "a condition that is true in each",
    ]
    .map(|condition| {
        let by = format!("asking 10,000 runs of 100 events: {condition}");
        let value = measured.figure("find", &by);
        target(by, value, Limit::AtMost(2_000.0), "ms")
    })
    .into()
}

fn lineage(measured: Measurements<'_>) -> Vec<Target> {
    [
        "where from, in 100,000 events: the first question, which reads the run",
        "where from, in 100,000 events, 1,000 steps",
        "where to, in 100,000 events, 1,000 steps",
    ]
    .map(|by| target(by, measured.figure("lineage", by), Limit::AtMost(100.0), "ms"))
    .into()
}

fn comparing(measured: Measurements<'_>) -> Vec<Target> {
    ["that did the same", "in which every node differs"]
        .map(|which| {
            let by = format!("two runs of 10,000 nodes {which}");
            let value = measured.figure("compare", &by);
            target(format!("comparing {by}"), value, Limit::AtMost(200.0), "ms")
        })
        .into()
}

fn testing(measured: Measurements<'_>) -> Vec<Target> {
    let by = "1,000 cases from recordings";
    vec![target(format!("testing {by}"), measured.figure("suites", by), Limit::AtMost(10.0), "s")]
}

fn reuse(measured: Measurements<'_>) -> Vec<Target> {
    let figure = |by: &str| measured.figure("rerun", by);
    vec![
        target(
            "running 1,000 nodes with 100 model calls again after an edit of the last call",
            figure("the same again after an edit of the last call"),
            Limit::AtMost(50.0),
            "ms",
        ),
        target("its bill before", figure("its bill before"), Limit::AtMost(50.0), "ms"),
        target(
            "finding a reply among 1,000,000 by its key",
            figure("finding a reply among 1,000,000"),
            Limit::AtMost(100.0),
            "µs",
        ),
    ]
}

fn prompts(measured: Measurements<'_>) -> Vec<Target> {
    let pass =
        ratio(measured.micros_per_element("trim", "engine"), measured.micros_per_element("trim", "bare"));
    let mut targets = vec![target(
        "trimming 10,000 messages compared with one pass over their counts",
        pass,
        Limit::AtMost(2.0),
        "×",
    )];
    for peer in measured.peers.iter().filter(|peer| peer.shape == "trim") {
        let longer = ratio(peer.micros_per_element(), measured.micros_per_element("trim", "engine"));
        targets.push(target(
            format!("{} takes this many times longer", peer.name),
            longer,
            Limit::AtLeast(100.0),
            "×",
        ));
    }
    let counting =
        ratio(measured.micros_per_element("count", "bare"), measured.micros_per_element("count", "engine"));
    targets.push(target(
        "speed of counting new text compared with bare tiktoken",
        counting,
        Limit::AtLeast(0.8),
        "×",
    ));
    let whole = |length: u32| {
        Some(measured.micros_per_element_at("snapshot", "engine", length.into())? * f64::from(length))
    };
    let snapshot = ratio(whole(100_000), whole(1_000));
    targets.push(target("a snapshot of 100,000 messages compared with 1,000", snapshot, UNCHANGED, "×"));
    targets.push(target(
        "assembling a prompt with all blocks but retrieval",
        measured.micros_per_element("blocks", "engine"),
        Limit::AtMost(200.0),
        "µs",
    ));
    for (turns, limit) in [(100, 100.0), (10_000, 1_000.0)] {
        let group = format!("loop_history_{turns}");
        let figure = |by: &str| measured.micros_per_element(&group, by);
        targets.push(target(
            format!("the history of a loop, prepared and sent, an iteration at {turns} turns"),
            figure("engine"),
            Limit::AtMost(limit),
            "µs",
        ));
        let compared = ratio(figure("engine"), figure("bare"));
        let name = format!("the same compared with a plain list, at {turns} turns");
        targets.push(target(name, compared, Limit::AtMost(10.0), "×"));
    }
    targets
}

fn retrieval(measured: Measurements<'_>) -> Vec<Target> {
    let figure = |by: &str| measured.figure("retrieval", by);
    let search = figure("search of 10,000 passages");
    vec![
        target("a search of 10,000 passages, 95th percentile", search, Limit::AtMost(10.0), "ms"),
        target(
            "the same compared with bare tantivy",
            ratio(search, figure("bare tantivy")),
            Limit::AtMost(1.5),
            "×",
        ),
        target("indexing 100 MB of Markdown", figure("indexing Markdown"), Limit::AtLeast(5.0), "MB/s"),
    ]
}

fn conversations(measured: Measurements<'_>) -> Vec<Target> {
    let turns = |range: &str| measured.figure("conversation", &format!("journal on disk, turns {range}"));
    let size = |by: &str| measured.figure("conversation-size", by);
    let apart = |range: &str| measured.figure("conversation-runs", &format!("a run each, turns {range}"));
    let stored = |by: &str| measured.figure("conversation-runs-size", by);
    let half = size("half of the turns");
    let second = size("all turns").zip(half).map(|(all, half)| all - half);
    let beside_text = ratio(stored("on disk, journals of all runs included"), stored("its text"));
    vec![
        target(
            "a turn at 10,000 messages compared with one at 100",
            ratio(turns("4950–5050"), turns("10–110")),
            Limit::AtMost(2.0),
            "×",
        ),
        target(
            "turn 2,000 compared with turn 10",
            ratio(turns("1900–2000"), turns("10–110")),
            UNCHANGED,
            "×",
        ),
        target(
            "stored size of the second half of 5,050 turns compared with the first",
            ratio(second, half),
            UNCHANGED,
            "×",
        ),
        target(
            "turn 1,000 compared with turn 10, one run per turn",
            ratio(apart("950–1000"), apart("10–60")),
            UNCHANGED,
            "×",
        ),
        target(
            "stored size of 1,000 turns, one run per turn, compared with their text",
            beside_text,
            Limit::AtMost(5.0),
            "×",
        ),
    ]
}

fn models(measured: Measurements<'_>) -> Vec<Target> {
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

fn tools(measured: Measurements<'_>) -> Vec<Target> {
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

fn window(measured: Measurements<'_>) -> Vec<Target> {
    let paint = ratio(measured.figure("first-paint", "editor"), measured.figure("first-paint", "empty"));
    let slow_frames = measured.total("events-slow-frames");
    let empty_page = measured.total("events-slow-frames-empty-page");
    let mut targets = vec![
        target("first paint of the editor compared with an empty window", paint, Limit::AtMost(1.5), "×"),
        target(
            "worst frame during 10,000 events per second",
            measured.largest("events-worst-frame"),
            Limit::AtMost(50.0),
            "ms",
        ),
        target(
            "longest task during 10,000 events per second, ms of processor",
            measured.largest("events-longest-task"),
            Limit::AtMost(50.0),
            "ms",
        ),
        target(
            "frames above 50 ms during these, compared with an empty page",
            slow_frames,
            Limit::AtMost(empty_page.unwrap_or_default()),
            "frames",
        ),
        target(
            "first look at the past of a run of 100,000 events, ms of processor",
            measured.largest("time-travel-first"),
            Limit::AtMost(500.0),
            "ms",
        ),
        target(
            "worst of 60 other positions in it, ms of processor",
            measured.largest("time-travel-worst"),
            Limit::AtMost(50.0),
            "ms",
        ),
    ];
    targets.push(target(
        "opening 5,000 nodes in chromium",
        measured.figure("open-chromium", "5000 nodes"),
        Limit::AtMost(2_000.0),
        "ms",
    ));
    for nodes in [1_000, 5_000] {
        let group = format!("pan-chromium-{nodes}");
        for (by, what) in [("far", "idle"), ("farStreaming", "streaming")] {
            let rate = ratio(measured.figure(&group, by), measured.figure(&group, "bareFar"));
            let what = format!(
                "frame rate of panning {nodes} nodes at 30 % in chromium, {what}, compared with bare React Flow"
            );
            targets.push(target(what, rate, Limit::AtLeast(1.0 - RELATIVE_NOISE), "×"));
        }
    }
    for webview in ["chromium", "window"] {
        for nodes in [1_000, 5_000] {
            let group = format!("pan-{webview}-{nodes}");
            for by in ["idle", "streaming"] {
                let what = format!(
                    "frame rate of panning {nodes} nodes in {webview}, {by}, compared with bare React Flow"
                );
                let rate = ratio(measured.figure(&group, by), measured.figure(&group, "bare"));
                targets.push(target(what, rate, Limit::AtLeast(1.0 - RELATIVE_NOISE), "×"));
            }
        }
    }
    targets
}

fn ratio(value: Option<f64>, reference: Option<f64>) -> Option<f64> {
    Some(value? / reference.filter(|reference| *reference > 0.0)?)
}

#[cfg(test)]
mod tests;
