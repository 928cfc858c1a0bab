//! The report: Markdown tables, one per thing that is measured, each figure beside its reference.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::estimates::Figure;
use super::notes::Note;
use super::peers::Peer;
use super::verdict::{self, Measured};

/// The parts of `BENCHMARKS.md` between which measured figures stand.
const BEGIN: &str = "<!-- measured: begin -->";
const END: &str = "<!-- measured: end -->";

/// What other figures of a group are compared with: the cost without what is being measured.
const REFERENCES: &[&str] = &["floor", "bare", "memory"];

/// Writes what is asked and what was measured, then all figures.
pub(crate) fn write(command: &str, measured: Measured<'_>) -> String {
    let mut text = format!("`{command}` on {}{}.\n\n", machine(), load());
    text.push_str(&verdict::table(measured));
    text.push_str(&figures(measured.own, measured.peers));
    text.push_str(&notes(measured.notes));
    text
}

/// One table per thing that is not measured by the piece.
fn notes(notes: &[Note]) -> String {
    let mut groups: BTreeMap<&str, Vec<&Note>> = BTreeMap::new();
    for note in notes {
        groups.entry(&note.group).or_default().push(note);
    }
    let mut text = String::new();
    for (group, notes) in groups {
        let _ = write!(text, "\n**{group}**\n\n| | |\n|---|---:|\n");
        for note in notes {
            let _ = writeln!(text, "| {} | {:.2} {} |", note.by, note.value, note.unit);
        }
    }
    text
}

fn figures(own: &[Figure], peers: &[Peer]) -> String {
    let mut groups: BTreeMap<&str, Vec<&Figure>> = BTreeMap::new();
    for figure in own {
        groups.entry(&figure.group).or_default().push(figure);
    }
    let mut text = String::new();
    for (group, figures) in groups {
        let _ = write!(text, "\n**{group}**\n\n| | things | µs each | × reference |\n|---|---:|---:|---:|\n");
        for figure in &figures {
            let reference = figures
                .iter()
                .find(|other| other.things == figure.things && REFERENCES.contains(&other.by.as_str()));
            let times = reference
                .map_or_else(|| "–".to_owned(), |other| format!("{:.2}", figure.each() / other.each()));
            row(&mut text, &figure.by, figure.things, figure.each(), &times);
        }
        let engine = figures.iter().find(|figure| figure.by == "engine");
        for peer in peers.iter().filter(|peer| peer.group() == group) {
            compare(&mut text, peer, engine.copied());
        }
    }
    text
}

/// `old` with the measured part replaced by `text`.
pub(crate) fn record(old: &str, text: &str) -> Result<String> {
    let (before, rest) =
        old.split_once(BEGIN).with_context(|| format!("BENCHMARKS.md has no line {BEGIN}"))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("BENCHMARKS.md has no line {END}"))?;
    Ok(format!("{before}{BEGIN}\n{text}{END}{after}"))
}

/// One row for another engine, compared with ours where both ran.
fn compare(text: &mut String, peer: &Peer, engine: Option<&Figure>) {
    let journal = if peer.journal == "none" { String::new() } else { format!(", {} journal", peer.journal) };
    let name = format!("{}{journal}", peer.name);
    let Some(nanoseconds) = peer.nanoseconds else {
        let why = peer.failure.as_deref().unwrap_or("it said nothing");
        let _ = writeln!(text, "| {name} | {} | broke off: {why} | – |", peer.nodes);
        return;
    };
    let things = peer.nodes;
    let each = Figure { group: String::new(), by: String::new(), things, nanoseconds }.each();
    let times =
        engine.map_or_else(|| "–".to_owned(), |engine| format!("{:.0} × engine", each / engine.each()));
    let incomplete = if peer.complete { "" } else { " (left nodes out and reported success)" };
    row(text, &format!("{name}{incomplete}"), things, each, &times);
}

fn row(text: &mut String, by: &str, things: u64, each: f64, times: &str) {
    let _ = writeln!(text, "| {by} | {things} | {each:.2} | {times} |");
}

/// How many programs wanted a processor meanwhile: figures of a machine that is shared are worth less.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    let load = load.as_deref().and_then(|text| text.split_whitespace().nth(2));
    load.map_or_else(String::new, |load| format!(", load {load} over the last quarter of an hour"))
}

/// The processor and system, as far as the machine says.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|info| {
        let line = info.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    format!(
        "{} ({cores} cores), {}",
        model.unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        std::env::consts::OS
    )
}

#[cfg(test)]
mod tests;
