//! `switch`: sends a value one way of several.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use std::collections::HashSet;

use crate::error::Fault;
use crate::expression::condition::Condition;
use crate::expression::values_equal;
use crate::node::{Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{ERROR_PORT, PortKind, PortType, Ports};

pub(super) struct Switch;

/// The ways.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The cases, tried in order. The first that holds takes the value; if none does, `default` takes it.
    cases: Vec<Case>,
}

/// One way: an output, and when it is taken.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The output's name.
    #[schemars(length(min = 1))]
    name: String,
    /// A condition in CEL over `value`, for example `value.score > 0.5` or `value.contains("refund")`.
    #[serde(default)]
    when: Option<Condition>,
    /// Instead of a condition, a value that the input must equal.
    #[serde(default, deserialize_with = "even_null")]
    #[schemars(with = "Value", extend("format" = "json"))]
    equals: Option<Value>,
}

/// A setting that is there may be null, which says something else than one that is not there.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The output of what no case takes.
const DEFAULT: &str = "default";

impl NodeType for Switch {
    type Config = Config;

    const TYPE: &'static str = "switch";
    const TITLE: &'static str = "Switch";
    const SUMMARY: &'static str = "Sends a value one way of several";
    const DESCRIPTION: &'static str = "Tries its cases in order and gives the value, unchanged, to the output of the \
        first that holds; to `default` if none does. The branches behind the other outputs are skipped.\n\n\
        A case either equals a value or has a condition in [CEL](https://cel.dev), in which the input is `value`:\n\n\
        - `value.score >= 0.5 && value.lang == \"en\"`\n\
        - `value.contains(\"refund\")`, `value.startsWith(\"/\")`, `value.matches(\"^[0-9]+$\")`\n\
        - `has(value.error)`, `size(value) > 3`, `value in [\"a\", \"b\"]`\n\
        - `value.items.exists(item, item.price > 100)`";
    const CATEGORY: Category = Category::Control;
    const ICON: &'static str = "split";
    const TERMS: &'static [&'static str] =
        &["if", "else", "branch", "condition", "route", "case", "when", "cel", "filter"];

    fn ports(config: &Config) -> Ports {
        let ports = Ports::new().input("value", PortKind::Data, PortType::Any, "The value to send on");
        let ports = config.cases.iter().fold(ports, |ports, case| {
            ports.output(
                &case.name,
                PortKind::Data,
                PortType::Any,
                "The value, when this case is the first that holds",
            )
        });
        ports.output(DEFAULT, PortKind::Data, PortType::Any, "The value, when no case holds").error()
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
                problems.push((format!("/cases/{index}/name"), format!("There is another output `{name}`.")));
            }
            let place = format!("/cases/{index}");
            match (&case.when, &case.equals) {
                (Some(_), Some(_)) => {
                    problems.push((place, format!("`{name}` has both `when` and `equals`; keep one.")));
                }
                (None, None) => problems.push((place, format!("`{name}` has neither `when` nor `equals`."))),
                (Some(condition), None) => {
                    problems.extend(
                        condition.problem().map(|problem| (format!("{place}/when"), problem.to_owned())),
                    );
                }
                (None, Some(_)) => {}
            }
        }
        problems
    }

    fn examples() -> Vec<Example> {
        let cases = json!({ "cases": [
            { "name": "urgent", "when": "value.priority > 7" },
            { "name": "spam", "equals": { "priority": 0 } },
        ]});
        let example = |title, value: Value| Example::new(title).config(cases.clone()).input("value", value);
        vec![
            example("A condition holds", json!({ "priority": 9 }))
                .outputs(json!({ "urgent": { "priority": 9 } })),
            example("A value is met", json!({ "priority": 0 })).outputs(json!({ "spam": { "priority": 0 } })),
            example("Neither", json!({ "priority": 3 })).outputs(json!({ "default": { "priority": 3 } })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        let value = inputs.get("value").unwrap_or(&Value::Null);
        let mut taken = DEFAULT;
        for case in &config.cases {
            let holds = match (&case.when, &case.equals) {
                (Some(condition), _) => condition.is_true(value).map_err(|fault| named(fault, &case.name))?,
                (None, expected) => expected.as_ref().is_some_and(|expected| values_equal(expected, value)),
            };
            if holds {
                taken = &case.name;
                break;
            }
        }
        Ok(super::pass_on(&inputs, "value", NodeOutput::new(), taken))
    }
}

fn named(mut fault: Fault, case: &str) -> Fault {
    fault.message = format!("The condition of the case `{case}` can't be decided: {}", fault.message);
    fault
}

#[cfg(test)]
mod tests;
