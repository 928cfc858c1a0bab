//! Readers of runs: the lens, traces, the lineage of texts, forecasts and bills.
//!
//! Each is a fold over a journal, or a run in a world of stand-ins. Refuses to change a run.

pub mod bill;
pub mod causes;
pub mod comparison;
pub mod flow_diff;
pub mod forecast;
pub mod lens;
pub mod lineage;
pub mod pass_rate;
pub mod run_matrix;
pub mod watches;
pub mod words;

#[cfg(test)]
mod test_runs;
