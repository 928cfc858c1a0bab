//! n8n's programs: the same JavaScript, with what n8n gives to programs.

use super::super::builder::Output;
use super::super::settings::Settings;
use super::expressions;
use super::programs::{Items, Program};
use super::{Reader, Shape, Shapes};

/// What n8n's programs call beyond the sandbox.
const HELPERS: [&str; 3] = ["$helpers", "this.", "$env"];
/// Makes what programs return to items.
const PLAIN: &str =
    "const plain = (item) => ({ json: item && item.json !== undefined ? item.json : item });\n";

impl Reader<'_> {
    pub(super) fn code(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Shapes {
        let node = &self.workflow.nodes[at];
        if settings.text("/language").is_some_and(|language| language.starts_with("python")) {
            return self.placeholder(at, "It runs Python; Plait runs JavaScript.");
        }
        let code = settings.text("/jsCode").or_else(|| settings.text("/functionCode"));
        let Some(code) = code else { return self.placeholder(at, "It has no program.") };
        if !expressions::is_closed(code) {
            return self.placeholder(
                at,
                "Its program is no JavaScript: it has a bracket or a text that does not end.",
            );
        }
        let helper = HELPERS
            .iter()
            .find(|helper| code.contains(**helper))
            .map(|helper| helper.trim_end_matches('.').to_owned());
        if let Some(name) = helper.or_else(|| expressions::unreachable(code, false)) {
            return self.placeholder(
                at,
                &format!("Its program uses `{name}`, which programs in Plait can't reach."),
            );
        }
        let each = node.kind == "functionItem" || settings.text("/mode") == Some("runOnceForEachItem");
        // The first kind of program gets the JSON of an item, and not the item.
        let item = if node.kind == "functionItem" { "item.json" } else { "item" };
        let (body, tail, items) = if each {
            (
                format!("  return (async (item) => {{\n{code}\n}})({item});"),
                "return valueOf(results.map(plain));",
                Items::Each,
            )
        } else {
            let result = "  return valueOf((Array.isArray(result) ? result : [result]).map(plain));";
            (format!("  const result = await (async () => {{\n{code}\n}})();\n{result}"), "", Items::All)
        };
        let program = Program { about: code, body: &body, tail, items, parts: &[PLAIN], inputs: &[] };
        let id = match self.program(at, node.name, &program, input, node.at) {
            Ok(id) => id,
            Err(reason) => return self.placeholder(at, &reason),
        };
        // Only a program that can return no items ends a branch.
        let ends = ["[]", "filter(", "return;", "push(", "slice(", "splice(", "flatMap(", "null"]
            .iter()
            .any(|sign| code.contains(sign));
        let shape = if ends { self.items_of(at, &id) } else { Shape::object(Output::new(&id, "result")) };
        vec![Some(shape)]
    }
}
