//! The bodies of responses and events.

use plait_api::ErrorReply;
use serde::Serialize;
use serde_json::{Value, json};

use super::requests::Source;

/// The body of a response that says what went wrong.
pub(super) fn error(error: &ErrorReply) -> Value {
    let text = match &error.hint {
        Some(hint) => format!("{} {hint} [{}]", error.message, error.code),
        None => format!("{} [{}]", error.message, error.code),
    };
    // Editors take what stands in braces for the name of a variable.
    let variables = json!({ "text": text });
    json!({ "error": { "id": 1, "format": "{text}", "variables": variables, "showUser": true } })
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Breakpoint {
    pub(crate) id: i64,
    pub(crate) verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_line: Option<i64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct BreakpointEvent {
    pub(crate) reason: &'static str,
    pub(crate) breakpoint: Breakpoint,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Thread {
    pub(crate) id: i64,
    pub(crate) name: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StackFrame {
    pub(crate) id: i64,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
    pub(crate) line: i64,
    pub(crate) column: i64,
    pub(crate) can_restart: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) presentation_hint: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scope {
    pub(crate) name: &'static str,
    pub(crate) variables_reference: i64,
    pub(crate) expensive: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: String,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) variables_reference: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) indexed_variables: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) named_variables: Option<usize>,
    /// The expression that gives the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evaluate_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) presentation_hint: Option<VariableHint>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct VariableHint {
    pub(crate) attributes: &'static [&'static str],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoppedEvent {
    pub(crate) reason: &'static str,
    pub(crate) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    pub(crate) thread_id: i64,
    pub(crate) all_threads_stopped: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) hit_breakpoint_ids: Vec<i64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct OutputEvent {
    pub(crate) category: &'static str,
    pub(crate) output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<i64>,
}

/// What this adapter can do.
pub(crate) fn capabilities() -> Value {
    let filter = |id: &str, label: &str, description: &str, default: bool, condition: Option<&str>| {
        let mut filter =
            json!({ "filter": id, "label": label, "description": description, "default": default });
        if let Some(description) = condition {
            filter["supportsCondition"] = true.into();
            filter["conditionDescription"] = description.into();
        }
        filter
    };
    let cel = Some("an expression in CEL, such as error.code == 'http.status'");
    let filters = [
        filter(
            "failed",
            "Nodes that fail",
            "Stops after a node that fails, also if its error is handled.",
            true,
            cel,
        ),
        filter(
            "retried",
            "Attempts that are retried",
            "Stops before the next attempt of a node.",
            false,
            cel,
        ),
        filter(
            "trimmed",
            "Histories that are trimmed",
            "Stops where a history no longer fits the window.",
            false,
            cel,
        ),
        filter(
            "untrusted",
            "Untrusted data that is sent",
            "Stops before a tool sends what others may have written.",
            false,
            cel,
        ),
        filter(
            "granted",
            "First uses of grants",
            "Stops before a tool call that a grant allows for the first time.",
            false,
            cel,
        ),
        filter(
            "spent",
            "Spending",
            "Stops where the run has cost more than a sum.",
            false,
            Some("a sum in US dollars, such as 0.50"),
        ),
    ];
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "exceptionBreakpointFilters": filters,
        "supportsStepBack": true,
        "supportsSetVariable": true,
        "supportsRestartFrame": true,
        "supportsExceptionOptions": false,
        "supportTerminateDebuggee": true,
        "supportsDelayedStackTraceLoading": true,
        "supportsLogPoints": true,
        "supportsDataBreakpoints": true,
        "supportsTerminateRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsExceptionFilterOptions": true,
        "breakpointModes": [
            { "mode": "before", "label": "Before the node", "appliesTo": ["source"] },
            { "mode": "call", "label": "Before each call", "description": "Before each call of a model or a tool", "appliesTo": ["source"] },
            { "mode": "after", "label": "After the node", "description": "When its outputs are there and nobody has them yet", "appliesTo": ["source"] },
        ],
    })
}
