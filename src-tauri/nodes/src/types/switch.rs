//! `switch`: routes a value to one of several outputs.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use std::collections::HashSet;

use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::expression::condition::Condition;
use plait_core::expression::values_equal;
use plait_core::id::PortName;
use plait_core::port::{ERROR_PORT, PortKind, PortType, Ports};
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Surroundings,
};

pub(super) struct Switch;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The cases, in order. The first one that matches gets the value. If none matches, `default` gets it.
    cases: Vec<Case>,
}

/// An output and its condition.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The output's name.
    #[schemars(length(min = 1))]
    name: String,
    /// A condition on `value` in CEL, for example `value.score > 0.5` or `value.contains("refund")`.
    #[serde(default)]
    when: Option<Condition>,
    /// A value that the input must equal, in place of a condition.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schemars(with = "Value", extend("format" = "json"))]
    equals: Option<Value>,
}

/// Distinguishes an explicit null from a missing setting.
fn deserialize_some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The output for values that match no case.
const DEFAULT: &str = "default";

impl NodeType for Switch {
    type Config = Config;

    const TYPE: &'static str = "switch";
    const TITLE: &'static str = "Switch";
    const SUMMARY: &'static str = "Routes a value to one of several outputs";
    const DESCRIPTION: &'static str = "Tests its cases in order and passes the value, unchanged, to the output of the first one that \
        matches, or to `default` if none does. Branches after the other outputs are skipped.

\
        A case tests either for a value or with a condition in [CEL](https://cel.dev), where the input is `value`:\n\n\
        - `value.score >= 0.5 && value.lang == \"en\"`\n\
        - `value.contains(\"refund\")`, `value.startsWith(\"/\")`, `value.matches(\"^[0-9]+$\")`\n\
        - `has(value.error)`, `size(value) > 3`, `value in [\"a\", \"b\"]`\n\
        - `value.items.exists(item, item.price > 100)`\n\
        - `size(hitl_history) > 2`, `hitl_history[0].answer == \"stop\"`: in a loop, what people answered";
    const CATEGORY: Category = Category::Control;
    const ICON: &'static str = "split";
    const TERMS: &'static [&'static str] =
        &["if", "else", "branch", "condition", "route", "case", "when", "cel", "filter"];

    fn ports(config: &Config) -> Ports {
        let ports = Ports::new().input("value", PortKind::Data, PortType::Any, "The value to route");
        let ports = config.cases.iter().fold(ports, |ports, case| {
            ports.output(
                &case.name,
                PortKind::Data,
                PortType::Any,
                "The value, if this is the first case that matches",
            )
        });
        ports.output(DEFAULT, PortKind::Data, PortType::Any, "The value, if no case matches").error()
    }

    fn behavior(config: &Config) -> Behavior {
        let cases = config.cases.iter().map(|case| PortName::from(case.name.as_str()));
        Behavior { ways: cases.chain([DEFAULT.into()]).collect(), ..Behavior::default() }
    }

    fn card() -> Card {
        Card::new().line([CardPart::count("cases", "case", "cases")])
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let mut names = HashSet::from([DEFAULT, ERROR_PORT]);
        let mut problems = Vec::new();
        for (index, case) in config.cases.iter().enumerate() {
            let name = case.name.as_str();
            if name.trim().is_empty() {
                problems.push((format!("/cases/{index}/name"), "A case needs a name.".to_owned()));
            } else if !names.insert(name) {
                problems.push((
                    format!("/cases/{index}/name"),
                    format!("Another output is already named `{name}`."),
                ));
            }
            let pointer = format!("/cases/{index}");
            match (&case.when, &case.equals) {
                (Some(_), Some(_)) => {
                    problems.push((
                        pointer,
                        format!("`{name}` has both `when` and `equals`. Remove one of them."),
                    ));
                }
                (None, None) => problems
                    .push((pointer, format!("`{name}` has neither `when` nor `equals`. Add one of them."))),
                (Some(condition), None) => {
                    problems.extend(
                        condition.problem().map(|problem| (format!("{pointer}/when"), problem.to_owned())),
                    );
                }
                (None, Some(_)) => {}
            }
        }
        problems
    }

    fn unused(config: &Config, _: &Surroundings<'_>) -> Vec<Unused> {
        let cases = config.cases.iter().enumerate().filter_map(|(index, case)| {
            let value = case.equals.as_ref()?;
            let is_same =
                |other: &&Case| other.equals.as_ref().is_some_and(|other| values_equal(other, value));
            let earlier = config.cases[..index].iter().find(is_same)?;
            let reason = format!("the case `{}` before it takes the same value", earlier.name);
            Some(Unused::new(format!("/cases/{index}/name"), reason, "test for another value"))
        });
        cases.collect()
    }

    fn examples() -> Vec<Example> {
        let cases = json!({ "cases": [
            { "name": "urgent", "when": "value.priority > 7" },
            { "name": "spam", "equals": { "priority": 0 } },
        ]});
        let example = |title, value: Value| Example::new(title).config(cases.clone()).input("value", value);
        vec![
            example("A condition matches", json!({ "priority": 9 }))
                .outputs(json!({ "urgent": { "priority": 9 } })),
            example("A value matches", json!({ "priority": 0 }))
                .outputs(json!({ "spam": { "priority": 0 } })),
            example("No case matches", json!({ "priority": 3 }))
                .outputs(json!({ "default": { "priority": 3 } })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let value = inputs.datum("value").map(|datum| Arc::clone(&datum.value)).unwrap_or_default();
        let mut output = DEFAULT;
        for case in &config.cases {
            let matches = match (&case.when, &case.equals) {
                (Some(condition), _) => {
                    let answers = condition.reads_answers().then(|| node_context.hitl_history());
                    condition
                        .is_true_after(&value, answers, &*node_context.host.evaluator)
                        .await
                        .map_err(|fault| name_case(fault, &case.name))?
                }
                (None, expected) => expected.as_ref().is_some_and(|expected| values_equal(expected, &value)),
            };
            if matches {
                output = &case.name;
                break;
            }
        }
        Ok(NodeOutput::new().pass_through(&inputs, "value", output))
    }
}

fn name_case(mut fault: Fault, case: &str) -> Fault {
    fault.message = format!("The condition of the case `{case}` cannot be evaluated: {}", fault.message);
    fault
}

#[cfg(test)]
mod tests;
