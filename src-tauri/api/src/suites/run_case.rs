//! `suite.run` and `suite.forget`: runs a case, as often as it says, and keeps what came of it.

use std::path::Path;
use std::sync::Arc;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use plait_core::id::RunId;
use plait_journal::world_policy::{Misses, WorldPolicy};
use plait_journal::{Breakpoint, Event, InputOverrides, RunEvent};
use plait_llm::grant::GrantRule;
use plait_suites::{CaseOutcome, CheckFailure, TestCase, TestResult, Variant, check, unknown_nodes};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::evidence::{of_recording, of_store, root_of};
use super::file::SuiteFile;
use super::flow_nodes::FlowNodes;
use super::results::{KeptResult, by_case, of_case, outcome};
use super::service::SuiteService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;
use crate::recordings::Recording;
use crate::runs::{RemoveRun, RerunRequest, RerunRun, RootInputs, RunRequest, StartRun};

/// How many repeats of a case run at once.
const REPEATS_AT_ONCE: usize = 4;

/// `suite.run`: runs a case as one of its variants and checks what came of it. A problem of the run is a failure of the case.
/// `suite.unknown_case`, and the errors of `suite.open`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RunTest {
    /// The suite, an absolute path.
    pub file: String,
    pub case: String,
    #[serde(default)]
    #[ts(optional, type = "Record<string, unknown>")]
    pub variant: Variant,
    /// Take kept results of repeats that have run already, if all of the case is as it was.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub resume: bool,
    /// What the person decided for these runs, beside the rules kept for the flow.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<GrantRule>>")]
    pub grants: Vec<GrantRule>,
}

impl Command for RunTest {
    const NAME: &'static str = "suite.run";
    type Service = SuiteService;
    type Reply = CaseOutcome;

    async fn run(self, service: &SuiteService) -> Result<CaseOutcome, ErrorReply> {
        let Self { file, case, variant, resume, grants } = self;
        let file = service.file(&file).await?;
        let case = file.case(&case)?;
        let (key, unknown) = {
            let (file, case, variant) = (Arc::clone(&file), case.clone(), variant.clone());
            let registry = service.runs.registry();
            run_blocking(move || {
                let placed = file.placed_flows(&registry);
                let key = file.key(&case, &variant, &SuiteFile::subflows_of(&placed));
                Ok((key, unknown_nodes(&file.suite, &case, &FlowNodes::of(&placed, &registry))))
            })
            .await?
        };
        if !unknown.is_empty() {
            let result = TestResult { failures: unknown, ..TestResult::default() };
            return Ok(outcome(&file.suite, case, variant, vec![result]));
        }
        let kept = if resume { service.kept_results(&file).await? } else { Vec::new() };
        let kept = of_case(&by_case(&kept), case, &variant, &key).into_iter();
        let kept: Vec<_> = kept.map(|kept| (kept.repeat, kept.result.clone())).collect();
        let open =
            (0..file.suite.repeats_of(case)).filter(|repeat| !kept.iter().any(|(known, _)| known == repeat));
        let runs = stream::iter(open.map(|repeat| {
            let (file, variant, key, grants) = (&file, &variant, &key, &grants);
            async move {
                let result = service.run_once(file, case, variant, grants).await;
                let kept = KeptResult {
                    case: case.name.clone(),
                    variant: variant.clone(),
                    repeat,
                    key: key.clone(),
                    id: uuid::Uuid::now_v7().to_string(),
                    result: result.clone(),
                };
                service.keep_result(file, &kept).await?;
                Ok::<_, ErrorReply>((repeat, result))
            }
        }));
        let mut results: Vec<_> = runs.buffer_unordered(REPEATS_AT_ONCE).try_collect().await?;
        results.extend(kept);
        results.sort_by_key(|(repeat, _)| *repeat);
        let results = results.into_iter().map(|(_, result)| result).collect();
        Ok(outcome(&file.suite, case, variant, results))
    }
}

/// `suite.forget`: removes the kept results of cases, so that `suite.run` with `resume` runs them again.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ForgetResults {
    /// The suite, an absolute path.
    pub file: String,
    /// The names of the cases.
    pub cases: Vec<String>,
}

impl Command for ForgetResults {
    const NAME: &'static str = "suite.forget";
    type Service = SuiteService;
    type Reply = ();

    async fn run(self, service: &SuiteService) -> Result<(), ErrorReply> {
        let file = service.file(&self.file).await?;
        let kept = service.kept_results(&file).await?;
        let store = service.store.clone();
        run_blocking(move || {
            let rest = kept.iter().filter(|result| !self.cases.contains(&result.case));
            let rest: Vec<_> = rest.filter_map(|result| serde_json::to_value(result).ok()).collect();
            Ok(store.put_test_results(&file.name(), &rest)?)
        })
        .await
    }
}

impl SuiteService {
    /// Runs a case once. What goes wrong is a failure.
    async fn run_once(
        &self,
        file: &SuiteFile,
        case: &TestCase,
        variant: &Variant,
        grants: &[GrantRule],
    ) -> TestResult {
        match self.try_once(file, case, variant, grants).await {
            Ok(result) => result,
            Err(error) => TestResult { failures: vec![failure_of(&error)], ..TestResult::default() },
        }
    }

    async fn try_once(
        &self,
        file: &SuiteFile,
        case: &TestCase,
        variant: &Variant,
        grants: &[GrantRule],
    ) -> Result<TestResult, ErrorReply> {
        let (run, recording) = self.start_case(file, case, variant, grants, Vec::new()).await?;
        let followed = self.follow(&run, &case.answers, false).await;
        let (store, id) = (self.store.clone(), run.clone());
        let (evidence, recorded) = run_blocking(move || {
            Ok((of_store(&store, &id)?, recording.as_deref().map(of_recording).transpose()?))
        })
        .await?;
        let checks = || file.suite.checks_of(case);
        let mut failures = match followed {
            Ok(()) => check(checks(), &evidence, recorded.as_ref(), &*self.evaluator).await,
            Err(error) => vec![failure_of(&error)],
        };
        if failures.is_empty() {
            failures = self.judge(checks(), &evidence).await?;
        }
        let result = TestResult {
            outputs: evidence.outputs(),
            tokens: evidence.tokens(),
            cost: evidence.cost(),
            duration_ms: evidence.duration_ms(),
            run: Some(run.clone()),
            failures,
        };
        if case.recording.is_some() && result.has_passed() {
            RemoveRun { run }.run(&self.runs).await?;
            return Ok(TestResult { run: None, ..result });
        }
        Ok(result)
    }

    /// Starts the run of a case, and gives the recording that it replays.
    pub(super) async fn start_case(
        &self,
        file: &SuiteFile,
        case: &TestCase,
        variant: &Variant,
        grants: &[GrantRule],
        breakpoints: Vec<Breakpoint>,
    ) -> Result<(RunId, Option<Arc<Recording>>), ErrorReply> {
        let (flow, path, grants) = (file.flow_of(variant)?, Some(file.flow_name()), grants.to_vec());
        let overrides = case.set.iter().map(|(node, ports)| {
            let ports = ports.iter().map(|(port, value)| (port.clone(), Arc::new(value.clone())));
            (node.clone(), ports.collect())
        });
        let overrides: InputOverrides = overrides.collect();
        let Some(recorded) = file.recording(case) else {
            let input = case.input.clone();
            let request =
                RunRequest { flow, path, input, overrides, grants, breakpoints, ..RunRequest::default() };
            return Ok((StartRun(request).run(&self.runs).await?.run, None));
        };
        let recorded = recorded.display().to_string();
        let recording = {
            let (recordings, recorded) = (self.runs.recordings().clone(), recorded.clone());
            run_blocking(move || Ok(recordings.read(Path::new(&recorded))?.1)).await?
        };
        let request = RerunRequest {
            flow: Some(flow),
            path,
            grants,
            world: WorldPolicy { misses: Misses::Fail, ..WorldPolicy::default() },
            inputs: Some(inputs_of(&recording, case.input.clone(), overrides)),
            breakpoints,
            recording: Some(recorded),
            ..RerunRequest::of(root_of(&recording)?.clone())
        };
        Ok((RerunRun(request).run(&self.runs).await?.run, Some(recording)))
    }

    async fn keep_result(&self, file: &SuiteFile, kept: &KeptResult) -> Result<(), ErrorReply> {
        let (store, name, kept) =
            (self.store.clone(), file.name(), serde_json::to_value(kept).unwrap_or_default());
        run_blocking(move || Ok(store.add_test_result(&name, &kept)?)).await
    }
}

/// The recorded inputs, with those of the case in their place.
fn inputs_of(recording: &Recording, input: Option<String>, overrides: InputOverrides) -> RootInputs {
    let first = recording.runs.first().and_then(|(_, entries)| entries.first());
    let (mut recorded, mut set) = match first.map(|entry| &entry.event) {
        Some(Event::Run(RunEvent::Started { input, set, .. })) => (input.clone(), InputOverrides::clone(set)),
        _ => (None, InputOverrides::new()),
    };
    if input.is_some() {
        recorded = input;
    }
    for (node, ports) in overrides {
        set.entry(node).or_default().extend(ports);
    }
    RootInputs { input: recorded, overrides: set }
}

fn failure_of(error: &ErrorReply) -> CheckFailure {
    let hint = error.hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
    let message = format!("{}{hint}", error.message);
    CheckFailure { check: "run".to_owned(), code: Some(error.code.clone()), message, node: None }
}
