//! `suite.bill`: what running cases may cost, before they run.

use std::collections::BTreeMap;

use plait_core::flow::Flow;
use plait_suites::{Check, Variant};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::SuiteService;
use crate::ErrorReply;
use crate::command::Command;
use crate::grants::ShowGrants;
use crate::runs::ForecastFlow;

/// A case of a suite, as one of its variants.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct TestRef {
    pub case: String,
    #[serde(default)]
    #[ts(optional, type = "Record<string, unknown>")]
    pub variant: Variant,
}

/// `suite.bill`: what these cases of a suite may cost. Runs nothing. The errors of `suite.open`, `suite.unknown_case`,
/// `suite.bad_variant`, `flow.invalid`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct BillSuite {
    /// The suite, an absolute path.
    pub file: String,
    pub cases: Vec<TestRef>,
}

/// What live runs and judges may cost. Replays cost nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SuiteBill {
    /// How many runs are live.
    pub live_runs: u32,
    /// How many outputs a model judges at most.
    pub judgments: u32,
    /// What the live runs cost at most, as far as it is known, in billionths of a US dollar. Judgments are not in it.
    #[ts(type = "number")]
    pub at_most_nano_usd: u64,
    /// Whether some of it has no upper bound that is known.
    pub has_unknown: bool,
    /// Whether live runs can act outside: they need hosts, folders, commands or tools.
    pub acts_outside: bool,
}

impl SuiteBill {
    /// Whether nothing is bought or done outside.
    pub fn is_free(&self) -> bool {
        self.at_most_nano_usd == 0 && !self.has_unknown && !self.acts_outside && self.judgments == 0
    }
}

impl std::ops::AddAssign for SuiteBill {
    fn add_assign(&mut self, other: Self) {
        self.live_runs += other.live_runs;
        self.judgments += other.judgments;
        self.at_most_nano_usd = self.at_most_nano_usd.saturating_add(other.at_most_nano_usd);
        self.has_unknown |= other.has_unknown;
        self.acts_outside |= other.acts_outside;
    }
}

impl Command for BillSuite {
    const NAME: &'static str = "suite.bill";
    type Service = SuiteService;
    type Reply = SuiteBill;

    async fn run(self, service: &SuiteService) -> Result<SuiteBill, ErrorReply> {
        let file = service.file(&self.file).await?;
        let mut bill = SuiteBill::default();
        // Cases of one variant and input have one forecast.
        let mut known: BTreeMap<String, (u64, bool)> = BTreeMap::new();
        for TestRef { case, variant } in &self.cases {
            let case = file.case(case)?;
            let repeats = file.suite.repeats_of(case);
            let rubrics =
                file.suite.checks_of(case).filter(|check| matches!(check, Check::Rubric(_))).count();
            bill.judgments += repeats.saturating_mul(u32::try_from(rubrics).unwrap_or(u32::MAX));
            if !case.live {
                continue;
            }
            bill.live_runs += repeats;
            let what = serde_json::json!([variant, case.input]).to_string();
            let (at_most, has_unknown) = if let Some(found) = known.get(&what) {
                *found
            } else {
                let flow = file.flow_of(variant)?;
                let needs = ShowGrants { flow: flow.clone(), path: Some(file.flow_name()) };
                bill.acts_outside |= !needs.run(&service.grants).await?.needs.is_empty();
                let found = service.forecast(flow, &file.flow_name(), case.input.clone()).await?;
                known.insert(what, found);
                found
            };
            bill.at_most_nano_usd =
                bill.at_most_nano_usd.saturating_add(at_most.saturating_mul(u64::from(repeats)));
            bill.has_unknown |= has_unknown;
        }
        Ok(bill)
    }
}

impl SuiteService {
    /// What a run costs at most, and whether some of it is not known.
    async fn forecast(
        &self,
        flow: Flow,
        path: &str,
        input: Option<String>,
    ) -> Result<(u64, bool), ErrorReply> {
        let forecast = ForecastFlow { flow, path: Some(path.to_owned()), input, run: None };
        let cost = forecast.run(&self.runs).await?.cost;
        Ok((cost.at_most_nano_usd, !cost.unknown.is_empty()))
    }
}
