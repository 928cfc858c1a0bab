//! The settings of a loop. Their names are those of the pipeline format, in every file.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::expression::condition::IterationCondition;

/// The greatest number of iterations that a loop may be given.
const MAX_ITERATIONS: u32 = 1_000_000;
/// How many iterations a loop runs at most if it does not say: more than a model needs to correct itself, few enough that a
/// mistake stays cheap.
const DEFAULT_MAX_ITERATIONS: u32 = 100;
/// More open iterations than this only take room: a run starts fewer nodes at once.
const MAX_CONCURRENCY: u32 = 1000;

#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::nodes) struct Config {
    /// When to repeat: `while` a condition holds, a number of `times`, or `forEach` item of a list.
    pub kind: Kind,
    /// For `while`: a condition in CEL on `index`, `previous` and `input`, tested before each iteration. Without one, the
    /// loop ends by `exit` or the tool `finish`.
    pub condition: Option<IterationCondition>,
    /// For `times`: how many iterations.
    #[schemars(range(max = MAX_ITERATIONS))]
    pub times: u32,
    /// For `forEach`: how many iterations may be open at once.
    #[schemars(range(min = 1, max = MAX_CONCURRENCY))]
    pub concurrency: u32,
    /// For `forEach`: whether an iteration that fails ends the loop, or leaves its error in the results.
    pub on_error: OnError,
    /// The greatest number of iterations. A loop that would go on ends with a warning.
    #[schemars(range(min = 1, max = MAX_ITERATIONS))]
    pub max_iterations: u32,
}

/// When a loop repeats.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::nodes) enum Kind {
    #[default]
    While,
    Times,
    ForEach,
}

/// What follows when an iteration fails.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::nodes) enum OnError {
    #[default]
    Stop,
    Continue,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            kind: Kind::default(),
            condition: None,
            times: 1,
            concurrency: 1,
            on_error: OnError::default(),
            max_iterations: DEFAULT_MAX_ITERATIONS,
        }
    }
}

impl Config {
    /// What the schema cannot express, as JSON pointer and message.
    pub fn problems(&self) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        if let Some(problem) = self.condition.as_ref().and_then(|condition| condition.problem()) {
            problems.push(("/condition".to_owned(), problem.to_owned()));
        }
        let mut bound = |name: &str, value: u32, min: u32, max: u32| {
            if !(min..=max).contains(&value) {
                problems.push((format!("/{name}"), format!("`{name}` must be from {min} to {max}.")));
            }
        };
        bound("times", self.times, 0, MAX_ITERATIONS);
        bound("concurrency", self.concurrency, 1, MAX_CONCURRENCY);
        bound("max_iterations", self.max_iterations, 1, MAX_ITERATIONS);
        problems
    }
}
