//! Grades that people give to results of cases.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a person thinks of a result: `"pass"`, `"fail"` or a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum Mark {
    Verdict(GradeVerdict),
    Number(f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum GradeVerdict {
    Pass,
    Fail,
}

/// A mark with what the person wrote beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Grade {
    pub mark: Mark,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
    /// When it was given, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub at: u64,
}

/// `pass`, `fail` or the number.
impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Verdict(GradeVerdict::Pass) => f.write_str("pass"),
            Self::Verdict(GradeVerdict::Fail) => f.write_str("fail"),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}
