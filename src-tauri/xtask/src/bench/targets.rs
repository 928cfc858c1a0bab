//! What is asked of Plait, beside what was measured: one line each, met or missed. Knows the asked figures and nothing of
//! how they are measured.

use std::fmt::Write as _;

use super::estimates::Figure;
use super::notes::Note;
use super::peers::Peer;

/// Everything that was measured.
#[derive(Clone, Copy)]
pub(crate) struct Measured<'a> {
    pub(crate) own: &'a [Figure],
    pub(crate) notes: &'a [Note],
    pub(crate) peers: &'a [Peer],
}

/// One thing that is asked.
struct Ask {
    what: String,
    /// The figure, if it was measured
    value: Option<f64>,
    limit: Limit,
    unit: &'static str,
}

#[derive(Clone, Copy)]
enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

/// What repeated measurements of the same thing differ by on a quiet machine; "the same" is asked no closer than this.
const NOISE: f64 = 0.1;
const SAME: Limit = Limit::AtMost(1.0 + NOISE);
/// A token is to be on screen within two of them.
const FRAME_MS: f64 = 1_000.0 / 60.0;
const SHAPES: [&str; 4] = ["chain", "fan-out", "join", "ladder"];

/// The table of what is asked, each line with its verdict. Lines of which nothing was measured are left out.
pub(crate) fn table(measured: Measured<'_>) -> String {
    let mut text = String::from("| what | asked | measured | |\n|---|---:|---:|---|\n");
    for ask in asks(measured) {
        let Some(value) = ask.value else { continue };
        let (asked, met) = match ask.limit {
            Limit::AtMost(most) => (format!("≤ {most}"), value <= most),
            Limit::AtLeast(least) => (format!("≥ {least}"), value >= least),
        };
        let verdict = if met { "met" } else { "**missed**" };
        let _ = writeln!(
            text,
            "| {} | {asked} {unit} | {value:.2} {unit} | {verdict} |",
            ask.what,
            unit = ask.unit
        );
    }
    text
}

fn asks(measured: Measured<'_>) -> Vec<Ask> {
    let parts = [scheduling, prompts, conversations, models, window];
    parts.iter().flat_map(|part| part(measured)).collect()
}

fn ask(what: impl Into<String>, value: Option<f64>, limit: Limit, unit: &'static str) -> Ask {
    Ask { what: what.into(), value, limit, unit }
}

fn scheduling(measured: Measured<'_>) -> Vec<Ask> {
    let mut asks = Vec::new();
    for shape in SHAPES {
        let floor = ratio(measured.each(shape, "engine"), measured.each(shape, "floor"));
        let what = format!("{shape} of 1,000, journal in memory, beside the hand-written loop");
        asks.push(ask(what, floor, Limit::AtMost(5.0), "×"));
    }
    let growth = |by: &str| ratio(measured.sized("growth", by, 100_000), measured.sized("growth", by, 100));
    asks.push(ask("a node of 100,000 beside one of 100", growth("engine"), SAME, "×"));
    let beside_loop = ratio(growth("engine"), growth("floor"));
    asks.push(ask("the same, each beside the hand-written loop at its size", beside_loop, SAME, "×"));
    for shape in SHAPES {
        for peer in measured.peers.iter().filter(|peer| peer.shape == shape) {
            let stored = peer.journal != "none";
            let (least, both) = if stored { (50.0, ", both stored") } else { (10.0, "") };
            let what = format!("{} of {shape} takes as many times longer{both}", peer.name);
            let longer = ratio(peer.each(), measured.each(&peer.group(), "engine"));
            asks.push(ask(what, longer, Limit::AtLeast(least), "×"));
        }
        let stored = measured.each(&format!("durable-{shape}"), "engine");
        asks.push(ask(format!("a node of {shape}, stored"), stored, Limit::AtMost(40.0), "µs"));
    }
    let run_to = ratio(measured.each("run-to", "engine"), measured.each("run-to-chain", "engine"));
    asks.push(ask("a node of a run to the top of 18 diamonds, beside one of a chain", run_to, SAME, "×"));
    asks
}

fn prompts(measured: Measured<'_>) -> Vec<Ask> {
    let pass = ratio(measured.each("trim", "engine"), measured.each("trim", "bare"));
    let mut asks = vec![ask(
        "trimming 10,000 messages beside one pass over their counts",
        pass,
        Limit::AtMost(2.0),
        "×",
    )];
    for peer in measured.peers.iter().filter(|peer| peer.shape == "trim") {
        let longer = ratio(peer.each(), measured.each("trim", "engine"));
        asks.push(ask(
            format!("{} takes as many times longer", peer.name),
            longer,
            Limit::AtLeast(100.0),
            "×",
        ));
    }
    let counting = ratio(measured.each("count", "bare"), measured.each("count", "engine"));
    asks.push(ask("speed of counting new text beside bare tiktoken", counting, Limit::AtLeast(0.8), "×"));
    let whole = |length: u32| Some(measured.sized("snapshot", "engine", length.into())? * f64::from(length));
    let snapshot = ratio(whole(100_000), whole(1_000));
    asks.push(ask("a snapshot of 100,000 messages beside one of 1,000", snapshot, SAME, "×"));
    asks
}

fn conversations(measured: Measured<'_>) -> Vec<Ask> {
    let turns = |range: &str| measured.note("conversation", &format!("journal on disk, turns {range}"));
    let size = |by: &str| measured.note("conversation-size", by);
    let apart = |range: &str| measured.note("conversation-runs", &format!("a run each, turns {range}"));
    let stored = |by: &str| measured.note("conversation-runs-size", by);
    let halves = ratio(size("second half"), size("first half"));
    let beside_text = ratio(stored("on disk, journals of all runs included"), stored("its text"));
    vec![
        ask("a turn at 2,000 beside one at 10", ratio(turns("1900–2000"), turns("10–110")), SAME, "×"),
        ask("the store's second half of 2,000 turns beside its first", halves, SAME, "×"),
        ask(
            "a turn at 1,000 beside one at 10, a run each",
            ratio(apart("950–1000"), apart("10–60")),
            SAME,
            "×",
        ),
        ask("the store of 1,000 turns, a run each, beside their text", beside_text, Limit::AtMost(5.0), "×"),
    ]
}

fn models(measured: Measured<'_>) -> Vec<Ask> {
    let beside_bare = |group: &str| ratio(measured.note(group, "engine"), measured.note(group, "bare"));
    let on_screen = measured.note("streams-on-screen", "slowest");
    vec![
        ask(
            "a model call at 1,000 messages beside bare reqwest",
            beside_bare("model-call"),
            Limit::AtMost(3.0),
            "×",
        ),
        ask(
            "ten streams beside a client that only reads them",
            beside_bare("streams"),
            Limit::AtMost(2.0),
            "×",
        ),
        ask(
            "the slowest token of them from the server until it is painted",
            on_screen,
            Limit::AtMost(2.0 * FRAME_MS),
            "ms",
        ),
    ]
}

fn window(measured: Measured<'_>) -> Vec<Ask> {
    let paint = ratio(measured.note("first-paint", "editor"), measured.note("first-paint", "empty"));
    let events = measured.notes.iter().filter(|note| note.group == "events-10000-a-second");
    let worst = events.map(|note| note.value).reduce(f64::max);
    let mut asks = vec![
        ask("first paint of the editor beside an empty window's", paint, Limit::AtMost(1.5), "×"),
        ask("worst frame while 10,000 events a second come", worst, Limit::AtMost(50.0), "ms"),
    ];
    for place in ["chromium", "window"] {
        for nodes in [1_000, 5_000] {
            let group = format!("pan-{place}-{nodes}");
            for by in ["idle", "streaming"] {
                let what =
                    format!("frame rate of panning {nodes} nodes in {place}, {by}, beside bare React Flow");
                let rate = ratio(measured.note(&group, by), measured.note(&group, "bare"));
                asks.push(ask(what, rate, Limit::AtLeast(1.0 - NOISE), "×"));
            }
        }
    }
    asks
}

fn ratio(value: Option<f64>, reference: Option<f64>) -> Option<f64> {
    Some(value? / reference.filter(|reference| *reference > 0.0)?)
}

impl Measured<'_> {
    /// Microseconds for one thing, at the size the group is measured at.
    fn each(&self, group: &str, by: &str) -> Option<f64> {
        self.own.iter().find(|figure| figure.group == group && figure.by == by).map(Figure::each)
    }

    /// The same at one of several sizes.
    fn sized(&self, group: &str, by: &str, things: u64) -> Option<f64> {
        let of = |figure: &&Figure| figure.group == group && figure.by == by && figure.things == things;
        self.own.iter().find(of).map(Figure::each)
    }

    fn note(&self, group: &str, by: &str) -> Option<f64> {
        self.notes.iter().find(|note| note.group == group && note.by == by).map(|note| note.value)
    }
}

#[cfg(test)]
mod tests;
