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

/// The bounds of a condition on these variables. The error names the problem with its tree.
pub(super) fn analyze(expr: &Expr, variables: &'static [&'static str]) -> Result<Bounds, String> {
    let mut analysis = Analysis { variables, bound_names: Vec::new(), depth: 0, literals: 0 };
    let loop_depth = analysis.visit(expr)?;
    Ok(Bounds { loop_depth, literals: analysis.literals })
}

struct Analysis<'e> {
    variables: &'static [&'static str],
    /// The names bound by the enclosing loops.
    bound_names: Vec<&'e str>,
    depth: usize,
    literals: u64,
}

impl<'e> Analysis<'e> {
    fn visit(&mut self, expr: &'e Expr) -> Result<u32, String> {
        self.depth += 1;
        if self.depth > MAX_NESTING_DEPTH {
            return Err(format!(
                "This condition is nested more than {MAX_NESTING_DEPTH} levels deep; split it into several cases."
            ));
        }
        let loops = match expr {
            Expr::Ident(name) => self.check_name(name),
            Expr::Call(call) => self.max_loop_depth(call.target.as_deref().into_iter().chain(&call.args)),
            Expr::List(list) => self.max_loop_depth(&list.elements),
            Expr::Map(map) => self.max_loop_depth(map.entries.iter().flat_map(|entry| parts(&entry.expr))),
            Expr::Struct(built) => {
                self.max_loop_depth(built.entries.iter().flat_map(|entry| parts(&entry.expr)))
            }
            Expr::Select(select) => self.visit(&select.operand.expr),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Literal(_) => {
                self.literals += 1;
                Ok(0)
            }
            Expr::Unspecified => Ok(0),
        }?;
        self.depth -= 1;
        Ok(loops)
    }

    fn comprehension(&mut self, comprehension: &'e ComprehensionExpr) -> Result<u32, String> {
        let outside = self.max_loop_depth([&comprehension.iter_range, &comprehension.accu_init])?;
        let names = self.bound_names.len();
        self.bound_names.extend([comprehension.iter_var.as_str(), comprehension.accu_var.as_str()]);
        self.bound_names.extend(comprehension.iter_var2.as_deref());
        let inside = self.max_loop_depth([&comprehension.loop_cond, &comprehension.loop_step])?;
        let after = self.visit(&comprehension.result.expr)?;
        self.bound_names.truncate(names);
        Ok(outside.max(after).max(1 + inside))
    }

    fn max_loop_depth(&mut self, parts: impl IntoIterator<Item = &'e IdedExpr>) -> Result<u32, String> {
        parts.into_iter().try_fold(0, |deepest: u32, part| Ok(deepest.max(self.visit(&part.expr)?)))
    }

    fn check_name(&self, name: &str) -> Result<u32, String> {
        if self.variables.contains(&name) || self.bound_names.contains(&name) || TYPE_NAMES.contains(&name) {
            return Ok(0);
        }
        let known: Vec<_> = self.variables.iter().map(|name| format!("`{name}`")).collect();
        Err(format!("Unknown name `{name}`. Known here are {}.", known.join(", ")))
    }
}

fn parts(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
        EntryExpr::StructField(field) => vec![&field.value],
    }
}
