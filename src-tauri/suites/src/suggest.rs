//! The checks that a run is made into a test with: its outputs, the tools that it called, its tokens.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::document::{ArgumentsCheck, Check, OutputCheck, ValueCheck};
use crate::evidence::Evidence;

/// The longest output that stands in the suite itself. Of a longer one, the recording has it.
const MAX_VALUE_BYTES: usize = 2000;
/// The longest arguments of a tool that stand in the suite.
const MAX_ARGUMENTS_BYTES: usize = 500;
/// The most tools that are checked.
const MAX_TOOLS: usize = 20;

/// Checks that hold of a run, and that a change of what it does breaks: each output equal, each tool called as often and, if it was
/// called once, with the same arguments, and no more than a tenth more tokens.
pub fn suggested_checks(run: &Evidence) -> Vec<Check> {
    let mut checks = Vec::new();
    for (node, ports) in &run.root().view().outline.outputs {
        for (port, value) in ports {
            let output = Some(format!("{node}.{port}"));
            let is_short = value.to_string().len() <= MAX_VALUE_BYTES;
            checks.push(if is_short {
                Check::Equals(ValueCheck { output, value: Value::clone(value) })
            } else {
                Check::Unchanged(OutputCheck { output })
            });
        }
    }
    let mut called: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for tool in run.all().flat_map(|(_, _, view)| &view.tools) {
        called.entry(&tool.call.name).or_default().push(&tool.call.arguments);
    }
    for (name, calls) in called.into_iter().take(MAX_TOOLS) {
        let arguments = match &*calls {
            [only] if only.to_string().len() <= MAX_ARGUMENTS_BYTES => Some(Value::clone(only)),
            _ => None,
        };
        let times = u32::try_from(calls.len()).ok();
        checks.push(Check::Tool(ArgumentsCheck { name: name.to_owned(), node: None, arguments, times }));
    }
    let used = run.tokens();
    let used = used.input.saturating_add(used.output);
    if used > 0 {
        checks.push(Check::MaxTokens(used.saturating_add(used.div_ceil(10))));
    }
    checks
}
