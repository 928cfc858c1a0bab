//! Programs for what n8n evaluates. The expressions of the file stay the JavaScript that they are; around them stands what n8n gives
//! them: the items that a node works on, and those of the nodes that they name.

use std::collections::VecDeque;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::point::Point;
use super::super::program::with_headline;
use super::expressions::{self, Part};
use super::{Reader, Shape};
use plait_core::id::NodeId;

const ITEMS: &str = include_str!("runtime/items.js");
const EVALUATE: &str = include_str!("runtime/evaluate.js");
const DATES: &str = include_str!("runtime/dates.js");
const EXTENSIONS: &str = include_str!("runtime/extensions.js");
/// Values as a type.
pub(super) const CONVERT: &str = include_str!("runtime/convert.js");
/// Conditions with operators that have a type.
pub(super) const FILTER: &str = include_str!("runtime/filter.js");
/// Conditions of the first versions.
pub(super) const COMPARE: &str = include_str!("runtime/compare.js");
/// Fields by their paths.
pub(super) const FIELDS: &str = include_str!("runtime/fields.js");
/// Items of several inputs.
pub(super) const MERGE: &str = include_str!("runtime/merge.js");
/// Items that are matched by their fields; uses the two above.
pub(super) const MATCH: &str = include_str!("runtime/match.js");

/// How a program goes through the items that its node works on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Items {
    /// Its body is evaluated for each item.
    Each,
    /// Its body is evaluated for the only item. It stops the run if there are several, as n8n would run the node once for each.
    Only,
    /// Its body is evaluated for the first item alone.
    First,
    /// Its body is evaluated once, and goes through them itself.
    All,
}

/// A program: the body, and the parts of the runtime that it uses.
#[derive(Clone, Copy)]
pub(super) struct Program<'p> {
    /// What it does, as the file has it: its card shows the first line.
    pub(super) about: &'p str,
    pub(super) body: &'p str,
    /// What follows, where the body is evaluated for each item: it makes the result of their `results`.
    pub(super) tail: &'p str,
    pub(super) items: Items,
    pub(super) parts: &'p [&'p str],
    /// Further values, by names in the program.
    pub(super) inputs: &'p [(String, Shape)],
}

/// A parameter as an expression in JavaScript, with what it can't reach.
pub(super) fn javascript(parameter: &Value) -> Result<String, String> {
    let Value::String(text) = parameter else { return Ok(literal(parameter)) };
    let evaluated = |source: &str| {
        if source.is_empty() {
            return Ok("undefined".to_owned());
        }
        if !expressions::is_closed(source) {
            return Err(format!("Its expression `{}` is no JavaScript.", short(source)));
        }
        if let Some(name) = expressions::unreachable(source, true) {
            return Err(format!(
                "Its expression `{}` uses `{name}`, which programs in Plait can't reach.",
                short(source)
            ));
        }
        // A comment at its end ends with the line.
        let end = if source.contains("//") { "\n" } else { "" };
        Ok(format!("evaluate(() => ({}{end}))", expressions::with_emptiness_as_functions(source)))
    };
    match expressions::parse(text).as_slice() {
        [] => Ok("\"\"".to_owned()),
        [Part::Text(text)] => Ok(literal(&text.as_str().into())),
        [Part::Expression(source)] => evaluated(source),
        parts => {
            let parts: Result<Vec<String>, String> = parts
                .iter()
                .map(|part| match part {
                    Part::Text(text) => Ok(literal(&text.as_str().into())),
                    Part::Expression(source) => evaluated(source),
                })
                .collect();
            Ok(format!("join({})", parts?.join(", ")))
        }
    }
}

/// A constant of a program.
pub(super) fn literal(value: &Value) -> String {
    // These two end a line in JavaScript, but not in JSON.
    value.to_string().replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Whether a program reads or makes dates of Luxon.
fn reads_dates(body: &str) -> bool {
    ["$now", "$today", "DateTime.", ".plus(", ".minus(", ".format("].iter().any(|name| body.contains(name))
}

/// The beginning of an expression, for a report.
pub(super) fn short(source: &str) -> String {
    const MAX_CHARS: usize = 120;
    let short: String = source.chars().take(MAX_CHARS).collect();
    if short.len() < source.len() { format!("{short}…") } else { short }
}

/// Makes the results for all items to what the node outputs.
pub(super) const RESULTS: &str = "return valueOf(results.map((json) => ({ json })));";

impl Reader<'_> {
    /// Adds a program of a node. An error says what it reads that is not in the flow.
    pub(super) fn program(
        &mut self,
        at: usize,
        title: &str,
        program: &Program<'_>,
        input: Option<&Shape>,
        place: Point,
    ) -> Result<NodeId, String> {
        let node = &self.workflow.nodes[at];
        if program.body.contains("$runIndex") && (self.loop_of[at].is_some() || self.is_repeated[at]) {
            return Err("It uses `$runIndex` in a loop, and how often it ran is not known there.".to_owned());
        }
        let session = ["json.sessionId", "json?.sessionId", "json[\"sessionId\"]", "json['sessionId']"];
        let reads_session = session.iter().any(|name| program.body.contains(name));
        if reads_session && self.workflow.nodes.iter().any(|node| node.kind == "chatTrigger") {
            return Err("It reads `sessionId`, which the messages of a run have not.".to_owned());
        }
        if program.body.contains("JSON.stringify(") || program.body.contains(".toJsonString(") {
            self.builder.lose_order_of_fields(node.name);
        }
        let (code, sources) = self.write_program(at, program, input)?;
        if reads_dates(program.body) {
            self.builder.lose(node.name, "The time zone of its dates: they are in UTC.");
        }
        let id = self.builder.add(node.name, title, "code", json!({ "code": code }), place);
        match sources.as_slice() {
            [] => {}
            [only] => self.builder.connect(only, &id, "input"),
            several => {
                let names: Vec<String> = (0..several.len()).map(|index| format!("v{index}")).collect();
                let title = format!("{}: values", node.name);
                let join = self.builder.add(
                    node.name,
                    &title,
                    "join",
                    json!({ "names": names }),
                    place.beside(-0.5, 1.0),
                );
                for (output, name) in several.iter().zip(&names) {
                    self.builder.connect(output, &join, name);
                }
                self.builder.connect(&Output::new(&join, "object"), &id, "input");
            }
        }
        Ok(id)
    }

    /// The code of a program, and the outputs that it reads.
    fn write_program(
        &self,
        at: usize,
        program: &Program<'_>,
        input: Option<&Shape>,
    ) -> Result<(String, Vec<Output>), String> {
        let body = program.body;
        // A program that asks whether another node ran goes on without it.
        let reads_items = program.items != Items::Only && program.items != Items::First
            || ["$json", "$input", "$data", "item", "isExecuted"].iter().any(|name| body.contains(name));
        let own = input.filter(|_| reads_items);
        let mut sources = Sources::default();
        let own = own.map(|shape| (sources.add(&shape.output), shape));
        let mut inputs = Vec::new();
        for (name, shape) in program.inputs {
            inputs.push((name, sources.add(&shape.output), shape));
        }
        let mut nodes = Vec::new();
        for name in expressions::node_names(body) {
            let shape = self
                .shape_for(at, &name)
                .ok_or_else(|| format!("It reads the node `{name}`, which has no value in the flow."))?;
            nodes.push((name, sources.add(&shape.output), shape));
        }
        let items = |index: usize, shape: &Shape| format!("itemsOf({})", sources.read(index, shape));
        let mut code = String::from(ITEMS);
        if body.contains("evaluate(") {
            code.push_str(EVALUATE);
        }
        for part in program.parts {
            code.push_str(part);
        }
        if reads_dates(body) {
            code.push_str(DATES);
        }
        if expressions::uses_extensions(body) || body.contains("isNothing(") {
            code.push_str(EXTENSIONS);
        }
        code.push_str("// What this node works on, and what it reads of others.\n");
        let own = own.map_or_else(|| "[{ json: {} }]".to_owned(), |(index, shape)| items(index, shape));
        let is_once = self.workflow.nodes[at].json.get("executeOnce") == Some(&Value::Bool(true));
        let _ = writeln!(code, "const items = {own}{};", if is_once { ".slice(0, 1)" } else { "" });
        for (name, index, shape) in &inputs {
            let _ = writeln!(code, "const {name} = {};", items(*index, shape));
        }
        if !nodes.is_empty() {
            code.push_str("const nodes = {\n");
            for (name, index, shape) in &nodes {
                let _ = writeln!(code, "  {}: {},", json!(name), items(*index, shape));
            }
            code.push_str("};\n");
            let is_unpaired = |name: &&String| !self.pairs_items(at, name);
            let unpaired: Vec<&String> = nodes.iter().map(|(name, ..)| name).filter(is_unpaired).collect();
            let _ = writeln!(code, "const unpaired = {};", json!(unpaired));
        }
        let _ = writeln!(code, "{}", self.bindings(body, !nodes.is_empty()));
        code.push_str(&written_body(program));
        Ok((with_headline(program.about, &code), sources.outputs))
    }

    /// The names that n8n binds for each item, as far as a body has them.
    fn bindings(&self, body: &str, has_nodes: bool) -> String {
        let mut lines = vec![
            "const run = async (item, $itemIndex) => {".to_owned(),
            "  const $json = item.json;".to_owned(),
        ];
        if has_nodes {
            lines.push("  const $ = (name) => (nodes[name]?.length ? nodeOf(nodes[name], $itemIndex, unpaired.includes(name)) : notExecuted(name));".to_owned());
        }
        let workflow = json!({ "name": self.workflow.name });
        for (name, bound) in [
            ("$input", "nodeOf(items, $itemIndex)".to_owned()),
            ("$data", "$json".to_owned()),
            ("$node", "new Proxy({}, { get: (_, name) => $(name) })".to_owned()),
            ("$items", "(name) => (name === undefined ? items : $(name).all())".to_owned()),
            ("$runIndex", "0".to_owned()),
            ("$position", "$itemIndex".to_owned()),
            ("$now", "DateTime.now()".to_owned()),
            ("$today", "DateTime.now().startOf(\"day\")".to_owned()),
            ("$workflow", workflow.to_string()),
            ("$ifEmpty", "(value, other) => (value === undefined || value === null || value === \"\" || (typeof value === \"object\" && !Object.keys(value).length) ? other : value)".to_owned()),
            ("$if", "(condition, one, other) => (condition ? one : other)".to_owned()),
            ("$min", "Math.min".to_owned()),
            ("$max", "Math.max".to_owned()),
        ] {
            if body.contains(name) {
                lines.push(format!("  const {name} = {bound};"));
            }
        }
        lines.join("\n")
    }

    /// The value of a node that another one reads by its name: that of the output which leads there, or the first one.
    pub(super) fn shape_for(&self, at: usize, name: &str) -> Option<Shape> {
        let named = *self.by_name.get(name)?;
        let leading = self.output_before(at, named);
        let shape = leading.and_then(|output| self.shapes[named].get(output)?.as_ref());
        match shape.filter(|shape| self.is_readable(shape)) {
            Some(shape) => Some(shape.clone()),
            None => self.shapes[named].iter().flatten().find(|shape| self.is_readable(shape)).cloned(),
        }
    }

    /// Whether a value can be read from where nodes are added: the item of a loop inside of it, and its results elsewhere.
    fn is_readable(&self, shape: &Shape) -> bool {
        let mut around =
            std::iter::successors(self.builder.current_loop().cloned(), |id| self.builder.parent(id));
        (shape.output.port == "item") == around.any(|id| id == shape.output.node)
    }

    /// The output of a node from which the shortest way leads to another one.
    fn output_before(&self, at: usize, named: usize) -> Option<usize> {
        let mut seen = vec![false; self.workflow.nodes.len()];
        let mut open = VecDeque::from([at]);
        while let Some(at) = open.pop_front() {
            for (_, edge) in self.workflow.incoming(at).filter(|(_, edge)| edge.is_main()) {
                if edge.source == named {
                    return Some(edge.output);
                }
                if !std::mem::replace(&mut seen[edge.source], true) {
                    open.push_back(edge.source);
                }
            }
        }
        None
    }

    /// Whether the items that a node works on stand in the order of those of another node which they came from, one for each.
    fn pairs_items(&self, at: usize, name: &str) -> bool {
        let Some(&named) = self.by_name.get(name) else { return false };
        let mut at = at;
        // Each step goes back by one node.
        for _ in 0..self.workflow.nodes.len() {
            let mut edges = self.workflow.incoming(at).map(|(_, edge)| edge).filter(|edge| edge.is_main());
            let (Some(edge), None) = (edges.next(), edges.next()) else { return false };
            if edge.source == named {
                return true;
            }
            let node = &self.workflow.nodes[edge.source];
            let is_each = node.parameters.get("mode").is_some_and(|mode| mode == "runOnceForEachItem");
            let is_paired = match node.kind {
                "set" | "noOp" | "wait" | "functionItem" | "respondToWebhook" => true,
                "code" => is_each,
                _ => false,
            };
            if !is_paired || node.json.get("executeOnce") == Some(&Value::Bool(true)) {
                return false;
            }
            at = edge.source;
        }
        false
    }
}

/// The outputs that a program reads, each once.
#[derive(Default)]
struct Sources {
    outputs: Vec<Output>,
}

impl Sources {
    fn add(&mut self, output: &Output) -> usize {
        self.outputs.iter().position(|known| known == output).unwrap_or_else(|| {
            self.outputs.push(output.clone());
            self.outputs.len() - 1
        })
    }

    /// The value of an output as the JSON of its items.
    fn read(&self, index: usize, shape: &Shape) -> String {
        let mut value = if self.outputs.len() == 1 { "input".to_owned() } else { format!("input.v{index}") };
        for step in &shape.base {
            let _ = write!(value, "?.[{}]", json!(step));
        }
        let field = shape.main_field();
        if field.is_empty() {
            return value;
        }
        let wrapped = if shape.is_chat_message() {
            "{ action: \"sendMessage\", chatInput: value }".to_owned()
        } else {
            let steps = field.iter().rev();
            steps.fold("value".to_owned(), |inner, step| format!("{{ {}: {inner} }}", json!(step)))
        };
        format!("[{value}].filter((value) => value !== undefined).map((value) => ({wrapped}))")
    }
}

fn written_body(program: &Program<'_>) -> String {
    let body = program.body;
    match program.items {
        Items::Each => format!(
            "{body}\n}};\nconst results = [];\nfor (const [index, item] of items.entries()) results.push(await run(item, index));\n{}",
            program.tail
        ),
        Items::Only => format!(
            "{body}\n}};\nif (items.length > 1) throw new Error(`In n8n, this node runs once for each of its ${{items.length}} items. Put it into a loop`);\n\
             return run(items[0] ?? {{ json: {{}} }}, 0);"
        ),
        Items::First | Items::All => format!("{body}\n}};\nreturn run(items[0] ?? {{ json: {{}} }}, 0);"),
    }
}
