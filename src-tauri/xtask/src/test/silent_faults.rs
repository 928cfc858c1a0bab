//! The lint for faults that nobody hears of: in the crates that execute runs, each place where a `Result` loses its error stands in
//! `reviewed.txt`, with the reason why nothing has to be said there. Everything else returns the fault, or hands it to
//! `NodeContext::notice`.
//!
//! It reads the sources with `syn`. Without types it knows a `Result` by the methods that only a `Result` has, by its patterns, and by
//! the name of the function that gave it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ItemFn, Local, Pat, ReturnType, Signature};

use crate::repo;

/// The crates that execute runs.
const CRATES: &[&str] =
    &["src-tauri/llm/src/", "src-tauri/journal/src/", "src-tauri/run/src/", "src-tauri/nodes/src/"];
/// The crates whose functions they call.
const CALLED: &[&str] = &[
    "src-tauri/core/src/",
    "src-tauri/llm/src/",
    "src-tauri/journal/src/",
    "src-tauri/run/src/",
    "src-tauri/nodes/src/",
];
const TABLE: &str = "src-tauri/xtask/src/test/silent_faults/reviewed.txt";

/// Methods that only a `Result` has, and that lose its error.
const OF_RESULTS: &[&str] = &["ok", "is_ok", "is_ok_and", "is_err"];
/// Methods that put a value in the place of an error, or of `None`.
const FALLBACKS: &[&str] = &["unwrap_or", "unwrap_or_default", "unwrap_or_else", "map_or", "map_or_else"];
/// Functions of libraries that give a `Result`.
const FALLIBLE: &[&str] = &[
    "deserialize",
    "from_slice",
    "from_str",
    "from_value",
    "parse",
    "to_string",
    "to_string_pretty",
    "to_value",
];

/// Converts numbers: what does not fit becomes the largest.
const CONVERSION: &str = "try_from";
/// Gives a position in either case.
const SEARCH: &str = "binary_search";

/// Where an error is lost, and how: file, function, way.
type Place = (String, String, String);

/// Checks the sources. The error names the places that nobody has reviewed, and entries of the table without a place.
pub(super) fn check() -> Result<()> {
    let texts = repo::texts(&[".rs"])?;
    let places = find(&texts)?;
    let findings = compare(&places, &parse(&repo::text(TABLE)?)?);
    if findings.is_empty() {
        return Ok(());
    }
    bail!(
        "A fault is lost. Return it, or hand it to `NodeContext::notice`; where nothing has to be said, add the line to {TABLE} \
         with the reason:\n  {}",
        findings.join("\n  ")
    )
}

/// How often each place loses an error, in the product's sources.
fn find(texts: &[(String, String)]) -> Result<BTreeMap<Place, usize>> {
    let is_test = |path: &str| {
        ["/tests/", "/testing/"].iter().any(|folder| path.contains(folder)) || path.ends_with("/tests.rs")
    };
    let is_called = |path: &str| CALLED.iter().any(|folder| path.starts_with(folder)) && !is_test(path);
    let mut files = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| is_called(path)) {
        files.push((path, syn::parse_file(text).with_context(|| path.clone())?));
    }
    let mut names = FallibleNames::default();
    for (_, file) in &files {
        names.visit_file(file);
    }
    let fallible: BTreeSet<String> = names
        .fallible
        .difference(&names.infallible)
        .cloned()
        .chain(FALLIBLE.iter().map(|name| (*name).to_owned()))
        .filter(|name| name != CONVERSION)
        .collect();
    let mut places = BTreeMap::new();
    for (path, file) in files.iter().filter(|(path, _)| CRATES.iter().any(|folder| path.starts_with(folder)))
    {
        let mut lost = LostErrors { fallible: &fallible, function: "-".to_owned(), found: Vec::new() };
        lost.visit_file(file);
        for (function, way) in lost.found {
            *places.entry(((*path).clone(), function, way)).or_default() += 1;
        }
    }
    Ok(places)
}

/// A line of the table: `file function way [×times] = reason`.
fn parse(table: &str) -> Result<BTreeMap<Place, usize>> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut reviewed = BTreeMap::new();
    for line in lines {
        let (place, reason) =
            line.split_once(" = ").with_context(|| format!("{TABLE}: no reason: {line}"))?;
        let mut words = place.split(' ').map(str::to_owned);
        let (Some(file), Some(function), Some(way)) = (words.next(), words.next(), words.next()) else {
            bail!("{TABLE}: not `file function way`: {line}");
        };
        let times = words.next().map_or(Ok(1), |times| times.trim_start_matches('×').parse())?;
        if reason.trim().is_empty() || reviewed.insert((file, function, way), times).is_some() {
            bail!("{TABLE}: without a reason, or twice: {line}");
        }
    }
    Ok(reviewed)
}

fn compare(places: &BTreeMap<Place, usize>, reviewed: &BTreeMap<Place, usize>) -> Vec<String> {
    let all: BTreeSet<&Place> = places.keys().chain(reviewed.keys()).collect();
    let mut findings = Vec::new();
    for place in all {
        let times = |of: &BTreeMap<Place, usize>| of.get(place).copied().unwrap_or_default();
        let (found, known) = (times(places), times(reviewed));
        if found != known {
            let (file, function, way) = place;
            let mut line = format!("{file} {function} {way}");
            if found > 1 {
                let _ = write!(line, " ×{found}");
            }
            let _ = write!(line, " = ({known} reviewed)");
            findings.push(line);
        }
    }
    findings
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
    })
}

/// The names of functions, by whether they give a `Result`, at once or later.
#[derive(Default)]
struct FallibleNames {
    fallible: BTreeSet<String>,
    infallible: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for FallibleNames {
    fn visit_signature(&mut self, signature: &'ast Signature) {
        let gives_result = match &signature.output {
            ReturnType::Default => false,
            ReturnType::Type(_, output) => {
                let mut results = Results::default();
                results.visit_type(output);
                results.is_outermost
            }
        };
        let names = if gives_result { &mut self.fallible } else { &mut self.infallible };
        names.insert(signature.ident.to_string());
    }
}

/// Whether a type is a `Result`, or a future of one.
#[derive(Default)]
struct Results {
    is_outermost: bool,
}

impl<'ast> Visit<'ast> for Results {
    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        match segment.ident.to_string().as_str() {
            "Result" => self.is_outermost = true,
            "BoxFuture" | "Future" => visit::visit_path_segment(self, segment),
            _ => {}
        }
    }
}

/// The places of one file.
struct LostErrors<'a> {
    fallible: &'a BTreeSet<String>,
    function: String,
    found: Vec<(String, String)>,
}

impl LostErrors<'_> {
    fn add(&mut self, way: &str) {
        self.found.push((self.function.clone(), way.to_owned()));
    }

    /// Whether an expression is a call that may fail, as far as names tell.
    fn may_fail(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Await(awaited) => self.may_fail(&awaited.base),
            Expr::Paren(inner) => self.may_fail(&inner.expr),
            Expr::MethodCall(call)
                if matches!(call.method.to_string().as_str(), "map" | "and_then" | "map_err") =>
            {
                self.may_fail(&call.receiver)
            }
            Expr::MethodCall(call) => self.fallible.contains(&call.method.to_string()),
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => path
                    .path
                    .segments
                    .last()
                    .is_some_and(|last| self.fallible.contains(&last.ident.to_string())),
                _ => false,
            },
            _ => false,
        }
    }

    fn visit_function(&mut self, name: &syn::Ident, walk: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.function, name.to_string());
        walk(self);
        self.function = outer;
    }
}

impl<'ast> Visit<'ast> for LostErrors<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.visit_function(&function.sig.ident, |lost| visit::visit_item_fn(lost, function));
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.visit_function(&function.sig.ident, |lost| visit::visit_impl_item_fn(lost, function));
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let method = call.method.to_string();
        let is_search = matches!(&*call.receiver, Expr::MethodCall(inner) if inner.method.to_string().starts_with(SEARCH));
        let is_lost = OF_RESULTS.contains(&method.as_str()) && !is_search
            || FALLBACKS.contains(&method.as_str()) && self.may_fail(&call.receiver);
        if is_lost {
            self.add(&method);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if names == ["Result", "ok"] {
            self.add("Result::ok");
        }
    }

    fn visit_local(&mut self, local: &'ast Local) {
        let init = local.init.as_ref();
        if matches!(local.pat, Pat::Wild(_)) && init.is_some_and(|init| !matches!(*init.expr, Expr::Macro(_)))
        {
            self.add("let_");
        }
        if init.is_some_and(|init| init.diverge.is_some()) {
            self.visit_refutable(&local.pat);
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, condition: &'ast syn::ExprLet) {
        self.visit_refutable(&condition.pat);
        visit::visit_expr_let(self, condition);
    }

    fn visit_pat_tuple_struct(&mut self, pattern: &'ast syn::PatTupleStruct) {
        let is_ignored = pattern.elems.iter().all(|part| matches!(part, Pat::Wild(_) | Pat::Rest(_)));
        if pattern.path.is_ident("Err") && is_ignored {
            self.add("Err(_)");
        }
        visit::visit_pat_tuple_struct(self, pattern);
    }
}

impl LostErrors<'_> {
    /// A pattern that only the success of a `Result` matches.
    fn visit_refutable(&mut self, pattern: &Pat) {
        if let Pat::TupleStruct(pattern) = pattern
            && pattern.path.is_ident("Ok")
        {
            self.add("let-Ok");
        }
    }
}

#[cfg(test)]
mod tests;
