//! What a condition's tree looks like: how deep it is, how its loops nest, and whether it names anything but its input.

use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, IdedExpr};

/// The deepest tree that is computed: its depth is a stack's.
const MAX_DEPTH: usize = 50;
/// The names of CEL's types, which `type(value)` may be compared with.
const TYPES: [&str; 13] = [
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

/// How deep the loops of a condition nest. An error says what is wrong with its tree.
pub(super) fn loops(expr: &Expr) -> Result<u32, String> {
    Walk { bound: Vec::new(), depth: 0 }.expr(expr)
}

struct Walk<'e> {
    /// The names that the enclosing loops bind.
    bound: Vec<&'e str>,
    depth: usize,
}

impl<'e> Walk<'e> {
    fn expr(&mut self, expr: &'e Expr) -> Result<u32, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!(
                "This condition is nested more than {MAX_DEPTH} deep; split it over several cases."
            ));
        }
        let loops = match expr {
            Expr::Ident(name) => self.name(name),
            Expr::Call(call) => self.most(call.target.as_deref().into_iter().chain(&call.args)),
            Expr::List(list) => self.most(&list.elements),
            Expr::Map(map) => self.most(map.entries.iter().flat_map(|entry| parts(&entry.expr))),
            Expr::Struct(built) => self.most(built.entries.iter().flat_map(|entry| parts(&entry.expr))),
            Expr::Select(select) => self.expr(&select.operand.expr),
            Expr::Comprehension(each) => self.each(each),
            Expr::Unspecified | Expr::Literal(_) => Ok(0),
        }?;
        self.depth -= 1;
        Ok(loops)
    }

    fn each(&mut self, each: &'e ComprehensionExpr) -> Result<u32, String> {
        let outside = self.most([&each.iter_range, &each.accu_init])?;
        let names = self.bound.len();
        self.bound.extend([each.iter_var.as_str(), each.accu_var.as_str()]);
        self.bound.extend(each.iter_var2.as_deref());
        let inside = self.most([&each.loop_cond, &each.loop_step])?;
        let after = self.expr(&each.result.expr)?;
        self.bound.truncate(names);
        Ok(outside.max(after).max(1 + inside))
    }

    fn most(&mut self, parts: impl IntoIterator<Item = &'e IdedExpr>) -> Result<u32, String> {
        parts.into_iter().try_fold(0, |most: u32, part| Ok(most.max(self.expr(&part.expr)?)))
    }

    fn name(&self, name: &str) -> Result<u32, String> {
        if name == "value" || self.bound.contains(&name) || TYPES.contains(&name) {
            return Ok(0);
        }
        Err(format!("There is no `{name}` here; the input is `value`."))
    }
}

fn parts(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
        EntryExpr::StructField(field) => vec![&field.value],
    }
}
