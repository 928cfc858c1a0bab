//! A suite and its flow, read from their files.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_adapters::may_lead_to;
use plait_core::flow::Flow;
use plait_core::hash::content_hash;
use plait_formats::pipeline::{self, PIPELINE_EXTENSIONS};
use plait_run::node::Registry;
use plait_store::flow_files::{self, FLOW_ENDING};
use plait_suites::{DatasetRow, Suite, TestCase, Variant};
use serde_json::{Value, json};

use crate::ErrorReply;
use crate::codes;
use crate::flows::{PlacedFlow, placed_flows, unreadable};
use crate::recordings;
use crate::regular_file;

/// How the names of suites end.
const ENDINGS: [&str; 3] = [".tests.yaml", ".tests.yml", ".tests.json"];
/// The largest suite, in bytes.
const MAX_SUITE_BYTES: u64 = 64 * 1024 * 1024;
/// The largest dataset, in bytes.
const MAX_DATASET_BYTES: u64 = 64 * 1024 * 1024;

/// A suite and its flow.
pub(super) struct SuiteFile {
    /// The file, as an absolute path.
    pub(super) path: PathBuf,
    text: String,
    /// The suite, with a case for each row of its datasets.
    pub(super) suite: Suite,
    /// The rows of datasets by the names of their cases.
    pub(super) rows: HashMap<String, DatasetRow>,
    /// The columns of datasets, in the order of their files.
    pub(super) columns: Vec<String>,
    /// The files of datasets as they were read.
    datasets: Vec<(PathBuf, Vec<u8>)>,
    pub(super) flow_path: PathBuf,
    flow_text: String,
    pub(super) flow: Flow,
}

/// Whether a file is a suite, by its name.
pub(super) fn is_suite_file(path: &Path) -> bool {
    stem(path).is_some()
}

/// The name of a suite's file without its ending: that of the flow beside it.
fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).filter(|stem| !stem.is_empty())
}

/// The suites beside a flow's file, and the one to write if there is none.
pub(super) fn suites_beside(flow: &Path) -> (Vec<PathBuf>, PathBuf) {
    let name = flow.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let extension =
        flow.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    let stem =
        name.strip_suffix(FLOW_ENDING).unwrap_or_else(|| name.strip_suffix(&extension).unwrap_or(&name));
    let beside = |ending: &str| flow.with_file_name(format!("{stem}{ending}"));
    let found = ENDINGS.iter().map(|ending| beside(ending)).filter(|path| path.is_file()).collect();
    (found, beside(ENDINGS[0]))
}

pub(super) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

pub(super) fn read_text(path: &Path) -> Result<String, ErrorReply> {
    let refused = |problem: String| {
        ErrorReply::new(
            codes::SUITE_NOT_READ,
            format!("The suite `{}` can't be read: {problem}.", path.display()),
        )
        .hint("Check the path and your rights to the file.")
    };
    let bytes = regular_file::read(path, MAX_SUITE_BYTES).map_err(refused)?;
    String::from_utf8(bytes).map_err(|_| refused("it is no text in UTF-8".to_owned()))
}

impl SuiteFile {
    /// Reads both files, unless they are as in `known`.
    pub(super) fn read(path: &Path, known: Option<Arc<Self>>) -> Result<Arc<Self>, ErrorReply> {
        if !is_suite_file(path) {
            let message = format!("`{}` is no suite by its name.", path.display());
            return Err(ErrorReply::new(codes::SUITE_NOT_READ, message)
                .hint("The names of suites end with `.tests.yaml` or `.tests.json`."));
        }
        let text = read_text(path)?;
        if let Some(known) = known.filter(|known| known.text == text)
            && flow_files::read(&known.flow_path).is_ok_and(|flow| flow.text == known.flow_text)
            && known.datasets.iter().all(|(path, bytes)| {
                regular_file::read(path, MAX_DATASET_BYTES).is_ok_and(|now| now == *bytes)
            })
        {
            return Ok(known);
        }
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let suite = plait_suites::read(&text, is_json(&path)).map_err(|errors| unreadable(&path, &errors))?;
        let Expanded { suite, rows, columns, datasets } = Expanded::of(&path, suite)?;
        let flow_path = flow_path(&path, &suite)?;
        check_named(&path, &flow_path)?;
        for recording in suite.cases.iter().filter_map(|case| case.recording.as_ref()) {
            check_named(&path, &path.with_file_name(recording))?;
        }
        let file = flow_files::read(&flow_path)?;
        let flow =
            pipeline::read_file(&file.path, &file.text).map_err(|errors| unreadable(&file.path, &errors))?;
        Ok(Arc::new(Self {
            path,
            text,
            suite,
            rows,
            columns,
            datasets,
            flow_path: file.path,
            flow_text: file.text,
            flow,
        }))
    }

    pub(super) fn name(&self) -> String {
        self.path.display().to_string()
    }

    pub(super) fn flow_name(&self) -> String {
        self.flow_path.display().to_string()
    }

    /// `suite.unknown_case`.
    pub(super) fn case(&self, name: &str) -> Result<&TestCase, ErrorReply> {
        self.suite.cases.iter().find(|case| case.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.suite.cases.iter().map(|case| case.name.as_str()).take(20).collect();
            let message = format!("The suite `{}` has no case `{name}`.", self.path.display());
            ErrorReply::new(codes::SUITE_UNKNOWN_CASE, message).hint(format!("It has: {}.", names.join(", ")))
        })
    }

    /// The recording of a case.
    pub(super) fn recording(&self, case: &TestCase) -> Option<PathBuf> {
        Some(self.path.parent()?.join(case.recording.as_ref()?))
    }

    /// The flow as a variant runs it. `suite.bad_variant`.
    pub(super) fn flow_of(&self, variant: &Variant) -> Result<Flow, ErrorReply> {
        let mut flow = self.flow.clone();
        plait_suites::apply_variant(variant, &mut flow)
            .map_err(|problem| ErrorReply::new(codes::SUITE_BAD_VARIANT, problem))?;
        Ok(flow)
    }

    /// The flow, and those that it runs, as these are now.
    pub(super) fn placed_flows(&self, registry: &Registry) -> Vec<PlacedFlow> {
        placed_flows(&self.flow, Some(&self.flow_name()), registry)
    }

    /// The flows in other files that the flow runs: where each is run, and a hash of it.
    pub(super) fn subflows(&self, registry: &Registry) -> Vec<Value> {
        Self::subflows_of(&self.placed_flows(registry))
    }

    /// The same of the flow and those that it runs.
    pub(super) fn subflows_of(placed: &[PlacedFlow]) -> Vec<Value> {
        // The first is the flow itself, and flows in configs are part of the file that holds them.
        let of_files = placed.iter().skip(1).filter(|placed| placed.pointer.is_empty());
        of_files
            .map(|placed| json!([placed.path, content_hash(json!(placed.flow).to_string().as_bytes())]))
            .collect()
    }

    /// Identifies all that decides what a case comes to, but for the world: a result of another key is out of date. `subflows` are those
    /// of [`Self::subflows`].
    pub(super) fn key(&self, case: &TestCase, variant: &Variant, subflows: &[Value]) -> String {
        let recording = self
            .recording(case)
            .map(|path| recordings::read_file(&path).map(|bytes| content_hash(&bytes)).unwrap_or_default());
        let checks: Vec<_> = self.suite.checks_of(case).collect();
        let mut parts = vec![
            json!(case),
            json!(checks),
            json!(variant),
            json!(recording),
            json!(content_hash(self.flow_text.as_bytes())),
        ];
        parts.extend_from_slice(subflows);
        let parts = Value::Array(parts);
        content_hash(parts.to_string().as_bytes())
    }
}

/// A suite with the rows of its datasets.
struct Expanded {
    suite: Suite,
    rows: HashMap<String, DatasetRow>,
    columns: Vec<String>,
    datasets: Vec<(PathBuf, Vec<u8>)>,
}

impl Expanded {
    /// `suite.dataset_not_read`, `suite.bad_row` and others with a line of the dataset, `suite.duplicate_case`.
    fn of(path: &Path, mut suite: Suite) -> Result<Self, ErrorReply> {
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        let mut cases: Vec<TestCase> = Vec::new();
        let (mut rows, mut columns, mut datasets) = (HashMap::new(), Vec::new(), Vec::new());
        let mut known_columns = HashSet::new();
        for case in std::mem::take(&mut suite.cases) {
            let Some(dataset) = &case.dataset else {
                cases.push(case);
                continue;
            };
            let file = folder.join(&dataset.file);
            let bytes = read_dataset(folder, &file)?;
            let of_rows = plait_suites::cases_of_rows(&case, dataset, &bytes)
                .map_err(|errors| unreadable(&file, &errors))?;
            columns.extend(of_rows.columns.into_iter().filter(|name| known_columns.insert(name.clone())));
            for (case, row) in of_rows.cases {
                rows.insert(case.name.clone(), row);
                cases.push(case);
            }
            datasets.push((file, bytes));
        }
        let mut names = HashSet::new();
        if let Some(twice) = cases.iter().find(|case| !names.insert(case.name.as_str())) {
            let message = format!("{}: There are two cases `{}`.", path.display(), twice.name);
            return Err(ErrorReply::new(codes::SUITE_DUPLICATE_CASE, message).hint("Rename one of the two."));
        }
        Ok(Self { suite: Suite { cases, ..suite }, rows, columns, datasets })
    }
}

fn read_dataset(folder: &Path, file: &Path) -> Result<Vec<u8>, ErrorReply> {
    let refused = |problem: String| {
        ErrorReply::new(
            codes::SUITE_DATASET_NOT_READ,
            format!("The dataset `{}` can't be read: {problem}.", file.display()),
        )
        .hint("Check the path, which is relative to the suite, and your rights to the file.")
    };
    // A link could lead to any file of the person's, and its cells go to a model.
    let [folder, resolved] =
        [folder, file].map(|path| fs::canonicalize(path).map_err(|error| refused(error.to_string())));
    let (folder, resolved) = (folder?, resolved?);
    if !resolved.starts_with(folder) {
        return Err(refused("it leads out of the folder of the suite".to_owned()));
    }
    regular_file::read(&resolved, MAX_DATASET_BYTES).map_err(refused)
}

/// On a host, a suite names no file that the people who wrote it may not read.
fn check_named(suite: &Path, named: &Path) -> Result<(), ErrorReply> {
    if may_lead_to(suite, named) {
        return Ok(());
    }
    let message =
        format!("The suite `{}` names a file outside of the folder with the flows.", suite.display());
    Err(ErrorReply::new(codes::SUITE_NOT_READ, message).hint("Put the file beside the suite."))
}

fn flow_path(suite: &Path, document: &Suite) -> Result<PathBuf, ErrorReply> {
    let folder = suite.parent().unwrap_or_else(|| Path::new(""));
    if let Some(named) = &document.flow {
        return Ok(folder.join(named));
    }
    let stem = stem(suite).unwrap_or_default();
    let endings = [FLOW_ENDING.to_owned()]
        .into_iter()
        .chain(PIPELINE_EXTENSIONS.iter().map(|ending| format!(".{ending}")));
    let candidates: Vec<PathBuf> = endings.map(|ending| folder.join(format!("{stem}{ending}"))).collect();
    candidates.iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
        let message = format!("There is no flow for the suite `{}`.", suite.display());
        ErrorReply::new(codes::SUITE_NO_FLOW, message).hint(format!(
            "Put `{stem}{FLOW_ENDING}` beside it, or name the flow: `flow: other{FLOW_ENDING}`."
        ))
    })
}
