//! `suite.grade`: what a person thinks of a result.

use std::collections::HashMap;

use plait_suites::{EarlierGrade, Grade, Mark, TestResult, Variant};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::file::SuiteFile;
use super::results::{KeptResult, by_case, of_case};
use super::service::SuiteService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// A grade as it is kept: with the result that it is of, which later runs of the tests do not touch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptGrade {
    case: String,
    #[serde(default)]
    variant: Variant,
    repeat: u32,
    /// The ID of the result.
    of: String,
    /// Nothing if the person took it back.
    grade: Option<Grade>,
    result: TestResult,
}

/// `suite.grade`: grades the newest result of a case, in place of the grade that it has; without a mark, it has none. Later runs of the
/// case change no grade: it stays with the result. `suite.unknown_case`, `suite.not_run`, and the errors of `suite.open`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct GradeResult {
    /// The suite, an absolute path.
    pub file: String,
    pub case: String,
    #[serde(default)]
    #[ts(optional, type = "Record<string, unknown>")]
    pub variant: Variant,
    /// Which of the repeats, from 0.
    #[serde(default)]
    #[ts(optional, as = "Option<u32>")]
    pub repeat: u32,
    #[serde(default)]
    #[ts(optional)]
    pub mark: Option<Mark>,
    #[serde(default)]
    #[ts(optional)]
    pub note: Option<String>,
}

impl Command for GradeResult {
    const NAME: &'static str = "suite.grade";
    type Service = SuiteService;
    type Reply = Option<Grade>;

    async fn run(self, service: &SuiteService) -> Result<Option<Grade>, ErrorReply> {
        let Self { file, case, variant, repeat, mark, note } = self;
        let file = service.file(&file).await?;
        file.case(&case)?;
        let kept = service.kept_results(&file).await?;
        let redaction = service.runs.keys().redaction_with_stored_keys().await;
        let note = note.map(|note| redaction.text(note.trim()).into_owned()).filter(|note| !note.is_empty());
        let grade = mark.map(|mark| Grade { mark, note, at: service.runs.now_ms() });
        let (store, registry, given) = (service.store.clone(), service.runs.registry(), grade.clone());
        run_blocking(move || {
            let case = file.case(&case)?;
            let key = file.key(case, &variant, &file.subflows(&registry));
            let by_case = by_case(&kept);
            let results = of_case(&by_case, case, &variant, &key);
            let Some(of) = results.into_iter().find(|result| result.repeat == repeat) else {
                let message = format!("The case `{}` has not run as it and its flow are now.", case.name);
                return Err(ErrorReply::new(codes::SUITE_NOT_RUN, message)
                    .hint("Run the case, then grade what came of it."));
            };
            let (of, result) = (of.id.clone(), of.result.clone());
            let kept = KeptGrade { case: case.name.clone(), variant, repeat, of, grade: given, result };
            Ok(store.add_grade(&file.name(), &serde_json::to_value(&kept).unwrap_or_default())?)
        })
        .await?;
        Ok(grade)
    }
}

/// The grades of a suite by what they are of, in the order in which they were given.
pub(super) struct Grades(HashMap<(String, String, u32), Vec<KeptGrade>>);

impl Grades {
    pub(super) fn of(kept: Vec<KeptGrade>) -> Self {
        let mut grades: HashMap<_, Vec<KeptGrade>> = HashMap::new();
        for grade in kept {
            let of_row = grades.entry(place(&grade.case, &grade.variant, grade.repeat)).or_default();
            // Of a result, the newest one counts.
            of_row.retain(|older| (&older.of, &older.result) != (&grade.of, &grade.result));
            of_row.push(grade);
        }
        Self(grades)
    }

    /// The grade of this result, and those of earlier ones of the same repeat, the newest first.
    pub(super) fn of_row(
        &self,
        case: &str,
        variant: &Variant,
        repeat: u32,
        now: Option<&KeptResult>,
    ) -> (Option<Grade>, Vec<EarlierGrade>) {
        let (mut own, mut earlier) = (None, Vec::new());
        for kept in self.0.get(&place(case, variant, repeat)).into_iter().flatten().rev() {
            let Some(grade) = &kept.grade else { continue };
            if now.is_some_and(|now| (&now.id, &now.result) == (&kept.of, &kept.result)) {
                own = Some(grade.clone());
                continue;
            }
            let has_same_outputs = now.is_some_and(|now| now.result.outputs == kept.result.outputs);
            earlier.push(EarlierGrade {
                grade: grade.clone(),
                result: kept.result.clone(),
                has_same_outputs,
            });
        }
        (own, earlier)
    }
}

fn place(case: &str, variant: &Variant, repeat: u32) -> (String, String, u32) {
    (case.to_owned(), serde_json::to_string(variant).unwrap_or_default(), repeat)
}

impl SuiteService {
    pub(super) async fn grades(&self, file: &SuiteFile) -> Result<Grades, ErrorReply> {
        let (store, name) = (self.store.clone(), file.name());
        run_blocking(move || {
            let lines = store.grades(&name)?;
            Ok(Grades::of(lines.into_iter().filter_map(|line| serde_json::from_value(line).ok()).collect()))
        })
        .await
    }
}
