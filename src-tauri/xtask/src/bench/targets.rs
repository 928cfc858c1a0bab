//! The performance targets and whether the measurements meet them. How things are measured is not decided here.

mod calls;
mod commands;
mod engine;
mod evidence;
mod hosts;
mod measurements;
mod prompts;
mod store;
mod window;

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
        engine::scheduling,
        engine::loops,
        commands::whole_commands,
        store::opening,
        store::finding,
        evidence::lineage,
        evidence::comparing,
        evidence::testing,
        evidence::reuse,
        evidence::replay,
        hosts::load,
        engine::expressions,
        prompts::assembly,
        prompts::retrieval,
        prompts::conversations,
        calls::models,
        calls::tools,
        window::editor,
    ];
    parts.iter().flat_map(|part| part(measured)).collect()
}

fn target(what: impl Into<String>, value: Option<f64>, limit: Limit, unit: &'static str) -> Target {
    Target { what: what.into(), value, limit, unit }
}

fn ratio(value: Option<f64>, reference: Option<f64>) -> Option<f64> {
    Some(value? / reference.filter(|reference| *reference > 0.0)?)
}

#[cfg(test)]
mod tests;
