//! Reads a suite: YAML, of which JSON is a part. Every problem has its line.

mod bad_check;

use std::collections::BTreeSet;
use std::path::{Component, Path};

use plait_core::diagnostic::{Diagnostic, escape};
use plait_core::error::ErrorCode;
use plait_core::exact_json;
use plait_core::flow::ReadError;
use plait_formats::pipeline::YamlDocument;
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::document::{Check, Dataset, MAX_ROWS, Matrix, Suite, VERSION};
use crate::matrix::{self, MAX_VARIANTS, split_model};
use crate::{TestCase, codes};

/// The most runs of one case.
const MAX_REPEATS: u32 = 1000;
/// The longest name of a case, in characters.
pub(crate) const MAX_NAME_CHARS: usize = 200;

/// Reads the text of a suite, JSON if `is_json`. Executes nothing. There is at least one error.
pub fn read(text: &str, is_json: bool) -> Result<Suite, Vec<ReadError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = Source::read(text, is_json).map_err(|error| vec![error])?;
    let suite = document.suite().map_err(|error| vec![error])?;
    let problems = problems(&suite);
    if problems.is_empty() {
        return Ok(suite);
    }
    Err(problems
        .into_iter()
        .map(|(code, pointer, message)| document.error(code, &pointer, message))
        .collect())
}

/// A text with the places of its values.
struct Source<'t> {
    text: &'t str,
    value: Value,
    places: Option<YamlDocument>,
}

impl<'t> Source<'t> {
    fn read(text: &'t str, is_json: bool) -> Result<Self, ReadError> {
        if text.trim().is_empty() {
            let problem = Diagnostic::error(codes::SUITE_EMPTY, "", "The suite is empty.")
                .hint("Begin with `cases:`. `plait test add RUN` makes a case of a run.");
            return Err(ReadError { diagnostic: Box::new(problem), line: 1, column: 1 });
        }
        let places = YamlDocument::read(text);
        if is_json {
            let value = exact_json::parse(text).map_err(|error| {
                let (line, column) = match &error {
                    exact_json::ExactJsonError::Syntax(error) => (error.line(), error.column()),
                    exact_json::ExactJsonError::LargeInteger(_) => (0, 0),
                };
                let message = format!("This is not valid JSON: {error}.");
                let problem = Diagnostic::error(codes::SUITE_SYNTAX, "", message);
                ReadError { diagnostic: Box::new(problem), line, column }
            })?;
            // Some texts of JSON are none of YAML: then no line is known.
            return Ok(Self { text, value, places: places.ok() });
        }
        let places = places.map_err(|mut error| {
            error.diagnostic.code = codes::SUITE_SYNTAX;
            error
        })?;
        Ok(Self { text, value: places.to_json(), places: Some(places) })
    }

    fn suite(&self) -> Result<Suite, ReadError> {
        if !self.value.is_object() {
            let message = "A suite is a mapping with the key `cases`.".to_owned();
            return Err(self.error(codes::SUITE_INVALID, "", message));
        }
        let version = self.value.get("version").and_then(Value::as_u64);
        if let Some(newer) = version.filter(|version| *version > u64::from(VERSION)) {
            let message = format!("The version of the suite is {newer}; this Plait reads {VERSION}.");
            return Err(self.error(codes::SUITE_NEWER, "/version", message));
        }
        serde_path_to_error::deserialize(&self.value).map_err(|error| {
            let mut pointer = String::new();
            for segment in error.path() {
                match segment {
                    Segment::Seq { index } => pointer = format!("{pointer}/{index}"),
                    Segment::Map { key } | Segment::Enum { variant: key } => {
                        pointer = format!("{pointer}/{}", escape(key));
                    }
                    Segment::Unknown => {}
                }
            }
            let message = error.inner().to_string();
            let at = if pointer.is_empty() { "the suite".to_owned() } else { format!("`{pointer}`") };
            self.error(codes::SUITE_INVALID, &pointer, format!("In {at}: {message}."))
        })
    }

    fn error(&self, code: ErrorCode, pointer: &str, message: String) -> ReadError {
        let offset = self.places.as_ref().map(|places| places.span(pointer).start);
        let (line, column) = offset.map_or((0, 0), |offset| {
            let before = &self.text[..self.text.floor_char_boundary(offset)];
            let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
            (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
        });
        ReadError { diagnostic: Box::new(Diagnostic::error(code, pointer, message)), line, column }
    }
}

type Problem = (ErrorCode, String, String);

/// What the types do not say.
fn problems(suite: &Suite) -> Vec<Problem> {
    let mut problems = Vec::new();
    if suite.cases.is_empty() {
        problems.push((codes::SUITE_EMPTY, "/cases".to_owned(), "The suite has no cases.".to_owned()));
    }
    find_bounds(suite.repeats, suite.pass_rate, "", &mut problems);
    if let Some(matrix) = &suite.matrix {
        find_bad_matrix(matrix, &mut problems);
    }
    add_bad_checks(&suite.checks, "", &mut problems);
    let mut names = BTreeSet::new();
    for (index, case) in suite.cases.iter().enumerate() {
        let pointer = format!("/cases/{index}");
        if case.name.trim().is_empty() || case.name.chars().count() > MAX_NAME_CHARS {
            let message = format!("The name of a case has from 1 to {MAX_NAME_CHARS} characters.");
            problems.push((codes::SUITE_INVALID, format!("{pointer}/name"), message));
        } else if !names.insert(&case.name) {
            let message = format!("There are two cases `{}`.", case.name);
            problems.push((codes::SUITE_DUPLICATE_CASE, format!("{pointer}/name"), message));
        }
        find_world(case, &pointer, &mut problems);
        find_bad_dataset(case, &pointer, &mut problems);
        find_bounds(case.repeats, case.pass_rate, &pointer, &mut problems);
        // Those of a dataset are whole once a row is filled in.
        if case.dataset.is_none() {
            add_bad_checks(&case.checks, &pointer, &mut problems);
        }
        let unchanged = suite.checks_of(case).any(|check| matches!(check, Check::Unchanged(_)));
        if case.live && unchanged {
            let message = format!(
                "The case `{}` is live: there is no recording that an output is `unchanged` from.",
                case.name
            );
            problems.push((codes::SUITE_BAD_CHECK, pointer, message));
        }
    }
    problems
}

fn find_bad_matrix(matrix: &Matrix, problems: &mut Vec<Problem>) {
    let mut add = |pointer: String, message: String| problems.push((codes::SUITE_INVALID, pointer, message));
    for message in matrix.models.iter().filter_map(|model| split_model(model).err()) {
        add("/matrix/models".to_owned(), message);
    }
    for (name, _) in matrix.parameters.iter().filter(|(_, values)| values.is_empty()) {
        let message = format!("`{name}` has no values, so no live case would run.");
        add(format!("/matrix/parameters/{}", escape(name)), message);
    }
    if matrix::count(matrix) > MAX_VARIANTS {
        let message = format!("The matrix has more than {MAX_VARIANTS} combinations.");
        add("/matrix".to_owned(), message);
    }
}

fn find_world(case: &TestCase, pointer: &str, problems: &mut Vec<Problem>) {
    if case.live == case.recording.is_some() {
        let what =
            if case.live { "both a recording and `live`" } else { "neither a recording nor `live: true`" };
        problems.push((
            codes::SUITE_NO_WORLD,
            pointer.to_owned(),
            format!("The case `{}` has {what}.", case.name),
        ));
    }
    let set = [("repeats", case.repeats.is_some()), ("passRate", case.pass_rate.is_some())];
    for (key, _) in set.into_iter().filter(|(_, is_set)| *is_set && !case.live) {
        let message = format!("A replay gives the same each time: `{key}` has no effect on `{}`.", case.name);
        problems.push((codes::SUITE_NO_EFFECT, format!("{pointer}/{key}"), message));
    }
}

fn find_bad_dataset(case: &TestCase, pointer: &str, problems: &mut Vec<Problem>) {
    let Some(dataset @ Dataset { file, limit, json, separator, .. }) = &case.dataset else { return };
    let is_beside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(file).components().all(is_beside) {
        let message = format!("The dataset `{file}` is not beside the suite or in a folder there.");
        problems.push((codes::SUITE_BAD_DATASET, format!("{pointer}/dataset/file"), message));
    }
    if limit.is_some_and(|limit| !(1..=MAX_ROWS).contains(&(limit as usize))) {
        let message = format!("`limit` is a number from 1 to {MAX_ROWS}.");
        problems.push((codes::SUITE_INVALID, format!("{pointer}/dataset/limit"), message));
    }
    let set = [("json", !json.is_empty()), ("separator", separator.is_some())];
    for (key, _) in set.into_iter().filter(|(_, is_set)| *is_set && dataset.is_json_lines()) {
        let message = format!("Cells of JSONL have their types: `{key}` has no effect on `{file}`.");
        problems.push((codes::SUITE_NO_EFFECT, format!("{pointer}/dataset/{key}"), message));
    }
}

fn find_bounds(repeats: Option<u32>, pass_rate: Option<f64>, pointer: &str, problems: &mut Vec<Problem>) {
    if repeats.is_some_and(|repeats| !(1..=MAX_REPEATS).contains(&repeats)) {
        let message = format!("`repeats` is a number from 1 to {MAX_REPEATS}.");
        problems.push((codes::SUITE_INVALID, format!("{pointer}/repeats"), message));
    }
    // With 0, whatever the runs did, the case would pass.
    if pass_rate.is_some_and(|rate| !(rate > 0.0 && rate <= 1.0)) {
        let message = "`passRate` is a number above 0, up to 1.".to_owned();
        problems.push((codes::SUITE_INVALID, format!("{pointer}/passRate"), message));
    }
}

fn add_bad_checks(checks: &[Check], pointer: &str, problems: &mut Vec<Problem>) {
    let found = bad_checks(checks).into_iter();
    problems.extend(
        found.map(|(place, message)| (codes::SUITE_BAD_CHECK, format!("{pointer}/checks/{place}"), message)),
    );
}

/// The checks that can't be used: where in the list, and why.
pub(crate) fn bad_checks(checks: &[Check]) -> Vec<(String, String)> {
    let problems = checks.iter().enumerate().filter_map(|(index, check)| {
        let (key, message) = bad_check::problem(check)?;
        let message = message.trim_end_matches('.');
        Some((format!("{index}/{key}"), format!("The check `{}` can't be used: {message}.", check.label())))
    });
    problems.collect()
}
