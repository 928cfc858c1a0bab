//! Static analysis of a condition's tree: how deep it nests, how deep its loops nest, how many values it writes itself, and
//! whether it uses unknown names.

use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, IdedExpr};

/// The deepest tree that is evaluated: evaluation recurses.
const MAX_NESTING_DEPTH: usize = 50;
/// CEL's type names, for comparison with `type(value)`.
const TYPE_NAMES: [&str; 13] = [
    "bool",
    "bytes",
    "double",
    "duration",
    "dyn",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "timestamp",
    "type",
    "uint",
];

/// What bounds the iterations of a condition.
pub(super) struct Bounds {
    /// How deep its loops nest.
    pub(super) loop_depth: u32,
    /// How many values it writes itself.
    pub(super) literals: u64,
}

/// The bounds of a condition. The error says what is wrong with its tree.
pub(super) fn analyze(expr: &Expr) -> Result<Bounds, String> {
    let mut analysis = Analysis { bound: Vec::new(), depth: 0, literals: 0 };
    let loop_depth = analysis.expr(expr)?;
    Ok(Bounds { loop_depth, literals: analysis.literals })
}

struct Analysis<'e> {
    /// The names bound by the enclosing loops.
    bound: Vec<&'e str>,
    depth: usize,
    literals: u64,
}

impl<'e> Analysis<'e> {
    fn expr(&mut self, expr: &'e Expr) -> Result<u32, String> {
        self.depth += 1;
        if self.depth > MAX_NESTING_DEPTH {
            return Err(format!(
                "This condition is nested more than {MAX_NESTING_DEPTH} levels deep; split it into several cases."
            ));
        }
        let loops = match expr {
            Expr::Ident(name) => self.name(name),
            Expr::Call(call) => self.deepest(call.target.as_deref().into_iter().chain(&call.args)),
            Expr::List(list) => self.deepest(&list.elements),
            Expr::Map(map) => self.deepest(map.entries.iter().flat_map(|entry| parts(&entry.expr))),
            Expr::Struct(built) => self.deepest(built.entries.iter().flat_map(|entry| parts(&entry.expr))),
            Expr::Select(select) => self.expr(&select.operand.expr),
            Expr::Comprehension(each) => self.each(each),
            Expr::Literal(_) => {
                self.literals += 1;
                Ok(0)
            }
            Expr::Unspecified => Ok(0),
        }?;
        self.depth -= 1;
        Ok(loops)
    }

    fn each(&mut self, each: &'e ComprehensionExpr) -> Result<u32, String> {
        let outside = self.deepest([&each.iter_range, &each.accu_init])?;
        let names = self.bound.len();
        self.bound.extend([each.iter_var.as_str(), each.accu_var.as_str()]);
        self.bound.extend(each.iter_var2.as_deref());
        let inside = self.deepest([&each.loop_cond, &each.loop_step])?;
        let after = self.expr(&each.result.expr)?;
        self.bound.truncate(names);
        Ok(outside.max(after).max(1 + inside))
    }

    fn deepest(&mut self, parts: impl IntoIterator<Item = &'e IdedExpr>) -> Result<u32, String> {
        parts.into_iter().try_fold(0, |deepest: u32, part| Ok(deepest.max(self.expr(&part.expr)?)))
    }

    fn name(&self, name: &str) -> Result<u32, String> {
        if name == "value" || self.bound.contains(&name) || TYPE_NAMES.contains(&name) {
            return Ok(0);
        }
        Err(format!("Unknown name `{name}`; the input is `value`."))
    }
}

fn parts(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
        EntryExpr::StructField(field) => vec![&field.value],
    }
}
