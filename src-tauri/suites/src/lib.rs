//! Tests of flows: the document of a suite, what its checks say of a run, pass rates, and the case that a run is made into.
//!
//! All of it is computed from documents and recorded runs. Refuses to read files and to run anything.

mod addresses;
mod check;
pub mod codes;
mod dataset;
mod document;
mod edit;
mod evidence;
mod grade;
mod matrix;
mod outcome;
mod read;
mod result_table;
mod suggest;

pub use addresses::{KnownNodes, unknown_nodes};
pub use check::check;
pub use dataset::{DatasetCases, DatasetRow, cases_of_rows};
pub use document::{
    ArgumentsCheck, Check, ConditionCheck, Dataset, JsonPathCheck, Matrix, OutputCheck, PatternCheck,
    PromptCheck, RubricCheck, SchemaCheck, Suite, TestAnswer, TestCase, TextCheck, ValueCheck, schema,
};
pub use edit::add_case;
pub use evidence::Evidence;
pub use grade::{Grade, GradeVerdict, Mark};
pub use matrix::{Variant, apply as apply_variant, split_model, variants};
pub use outcome::{CaseOutcome, CheckFailure, TestResult};
pub use plait_insight::pass_rate::PassRate;
pub use read::read;
pub use result_table::{EarlierGrade, ResultRow, ResultTable};
pub use suggest::suggested_checks;

#[cfg(test)]
mod tests;
