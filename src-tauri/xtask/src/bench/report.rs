//! The report: the targets, then one Markdown table per benchmark group, each figure with its reference. `BENCHMARKS.md` keeps the
//! newest row of each target.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

use anyhow::{Context, Result};

use super::criterion::Estimate;
use super::figures::Figure;
use super::peers::Peer;
use super::targets::{self, Measurements};
use crate::repo;

/// The marks in `BENCHMARKS.md` that enclose the measured figures.
const BEGIN: &str = "<!-- measured: begin -->";
const END: &str = "<!-- measured: end -->";

/// The implementations that the others of a group are compared with: the cost without the measured part.
const REFERENCES: &[&str] = &["floor", "bare", "memory"];

/// The header of the table of targets.
const HEADER: &str = "| figure | target | measured | | at |\n|---|---:|---:|---|---|\n";

/// The targets with their measurements, then all figures.
pub(crate) fn write(command: &str, measured: Measurements<'_>) -> String {
    let mut text = head(command);
    text.push_str(HEADER);
    text.push_str(&targets::rows(measured, &commit()).concat());
    text.push_str(&estimates(measured.own, measured.peers));
    text.push_str(&figures(measured.figures));
    text
}

/// The page `old` with the rows of the targets that were measured. Rows of other targets stay as they are.
pub(crate) fn record(old: &str, command: &str, measured: Measurements<'_>) -> Result<String> {
    replace_rows(old, &head(command), targets::rows(measured, &commit()))
}

fn replace_rows(page: &str, head: &str, mut rows: Vec<String>) -> Result<String> {
    let (before, rest) =
        page.split_once(BEGIN).with_context(|| format!("BENCHMARKS.md has no line {BEGIN}"))?;
    let (old, after) = rest.split_once(END).with_context(|| format!("BENCHMARKS.md has no line {END}"))?;
    let name = |row: &str| row.split('|').nth(1).map(|cell| cell.trim().to_owned());
    let mut text = format!("{before}{BEGIN}\n{head}{HEADER}");
    for old in old.lines().filter(|line| line.starts_with("| ") && !HEADER.starts_with(line)) {
        match rows.iter().position(|row| name(row) == name(old)) {
            Some(at) => text.push_str(&rows.remove(at)),
            None => text.extend([old, "\n"]),
        }
    }
    Ok(format!("{text}{}{END}{after}", rows.concat()))
}

fn head(command: &str) -> String {
    format!("Last: `{command}` on {}{}.\n\n", machine(), load())
}

/// The commit that is checked out, with its date.
fn commit() -> String {
    let log = Command::new("git").args(["log", "-1", "--format=%h, %cs"]).current_dir(repo::root()).output();
    log.map_or_else(|_| "?".to_owned(), |log| String::from_utf8_lossy(&log.stdout).trim().to_owned())
}

/// One table per group of figures.
fn figures(figures: &[Figure]) -> String {
    let mut groups: BTreeMap<&str, Vec<&Figure>> = BTreeMap::new();
    for figure in figures {
        groups.entry(&figure.group).or_default().push(figure);
    }
    let mut text = String::new();
    for (group, figures) in groups {
        let _ = write!(text, "\n**{group}**\n\n| | |\n|---|---:|\n");
        for figure in figures {
            let _ = writeln!(text, "| {} | {:.2} {} |", figure.by, figure.value, figure.unit);
        }
    }
    text
}

fn estimates(own: &[Estimate], peers: &[Peer]) -> String {
    let mut groups: BTreeMap<&str, Vec<&Estimate>> = BTreeMap::new();
    for figure in own {
        groups.entry(&figure.group).or_default().push(figure);
    }
    let mut text = String::new();
    for (group, figures) in groups {
        let _ =
            write!(text, "\n**{group}**\n\n| | elements | µs each | × reference |\n|---|---:|---:|---:|\n");
        for figure in &figures {
            let reference = figures
                .iter()
                .find(|other| other.elements == figure.elements && REFERENCES.contains(&other.by.as_str()));
            let times = reference.map_or_else(
                || "–".to_owned(),
                |other| format!("{:.2}", figure.micros_per_element() / other.micros_per_element()),
            );
            row(&mut text, &figure.by, figure.elements, figure.micros_per_element(), &times);
        }
        let engine = figures.iter().find(|figure| figure.by == "engine");
        for peer in peers.iter().filter(|peer| peer.group() == group) {
            compare(&mut text, peer, engine.copied());
        }
    }
    text
}

/// One row for another engine, compared with ours if both finished.
fn compare(text: &mut String, peer: &Peer, engine: Option<&Estimate>) {
    let journal = if peer.journal == "none" { String::new() } else { format!(", {} journal", peer.journal) };
    let name = format!("{}{journal}", peer.name);
    let Some(nanoseconds) = peer.nanoseconds else {
        let why = peer.failure.as_deref().unwrap_or("no output");
        let _ = writeln!(text, "| {name} | {} | failed: {why} | – |", peer.nodes);
        return;
    };
    let elements = peer.nodes;
    let each =
        Estimate { group: String::new(), by: String::new(), elements, nanoseconds }.micros_per_element();
    let times = engine.map_or_else(
        || "–".to_owned(),
        |engine| format!("{:.0} × engine", each / engine.micros_per_element()),
    );
    let incomplete = if peer.complete { "" } else { " (left nodes out and reported success)" };
    row(text, &format!("{name}{incomplete}"), elements, each, &times);
}

fn row(text: &mut String, by: &str, elements: u64, each: f64, times: &str) {
    let _ = writeln!(text, "| {by} | {elements} | {each:.2} | {times} |");
}

/// The load average: figures from a shared machine are less reliable.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    let load = load.as_deref().and_then(|text| text.split_whitespace().nth(2));
    load.map_or_else(String::new, |load| format!(", load {load} over the last quarter of an hour"))
}

/// The processor and the system, if known.
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
