//! Readers of runs: the lens, traces, forecasts and bills.
//!
//! Each is a fold over a journal, or a run in a world of stand-ins. Refuses to change a run.

pub mod bill;
pub mod forecast;
pub mod lens;

#[cfg(test)]
mod test_runs;
