//! Files generated from the Rust code are up to date: the TypeScript bindings, the node types as JSON, the pages of
//! node types and error codes, and the vectors of rules that the window computes itself. `PLAIT_WRITE_BINDINGS=1` regenerates them.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on ends"
)]

mod constants;
mod error_codes;
mod node_page;
mod shared_rules;

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use plait_api::command::{Command, CommandVisitor};
use plait_api::hosts::{HostCommand, HostCommandVisitor};
use plait_core::config::{self, BuiltIn};
use serde_json::Value;
use ts_rs::{Config, TS, TypeVisitor};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn bindings_are_fresh() {
    compare("ui/src/bindings/index.ts", &generate());
}

/// The node types as the window sees them where it runs without a host.
#[test]
fn node_bindings_are_fresh() {
    let registry = plait_nodes::registry();
    let nodes = serde_json::to_string_pretty(&registry.descriptors()).unwrap();
    compare("ui/src/bindings/nodes.json", &format!("{nodes}\n"));
}

/// The guide's reference of the node types.
#[test]
fn node_page_is_fresh() {
    let registry = plait_nodes::registry();
    compare("docs/nodes.md", &node_page::node_page(&registry.descriptors()));
}

/// The icons of the node types, so that the bundle carries these and no others of lucide's.
#[test]
fn icon_bindings_are_fresh() {
    let registry = plait_nodes::registry();
    let names: BTreeSet<_> = registry.descriptors().iter().map(|node| component_name(&node.icon)).collect();
    let mut out = String::from(
        "// Generated from the node types by `cargo xtask bindings`. Do not edit: a test compares the two.\nexport {\n",
    );
    for name in names {
        let _ = writeln!(out, "  {name},");
    }
    out.push_str("} from \"lucide-react\";\n");
    compare("ui/src/bindings/icons.ts", &out);
}

/// The React component of a lucide icon: `file-json-2` is `FileJson2`.
fn component_name(icon: &str) -> String {
    let capitalize = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    icon.split('-').map(capitalize).collect()
}

/// Constants and tables of the engine that the window reads.
#[test]
fn constants_are_fresh() {
    compare("ui/src/bindings/constants.ts", &constants::typescript());
}

#[test]
fn error_code_page_is_fresh() {
    compare("docs/error-codes.md", &error_codes::page());
}

/// What the window draws the forms of the configuration from.
#[test]
fn config_bindings_are_fresh() {
    let forms = serde_json::to_string_pretty(&config::forms()).unwrap();
    compare("ui/src/bindings/config.json", &format!("{forms}\n"));
}

/// The table of the page about the configuration. What stands around it is written by hand.
#[test]
fn config_page_is_fresh() {
    const PAGE: &str = "docs/configuration.md";
    let committed = std::fs::read_to_string(Path::new(REPOSITORY).join(PAGE)).unwrap();
    let (before, rest) = committed.split_once("<!-- keys -->").unwrap();
    let (_, after) = rest.split_once("<!-- end of keys -->").unwrap();
    compare(PAGE, &format!("{before}<!-- keys -->\n{}<!-- end of keys -->{after}", config_table()));
}

fn config_table() -> String {
    let mut table = String::from(
        "| Key | In the window | Takes | Built in | Settings | Flow | Loop | Node | What it does |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    let code = |text: &str| format!("`{text}`");
    for key in config::keys() {
        let built_in = match (key.built_in, key.built_in.value()) {
            (BuiltIn::Depends(what), _) => what.to_owned(),
            (_, Some(Value::String(text))) => code(&text),
            (_, value) => value.unwrap_or_default().to_string(),
        };
        // `config` holds keys by their names, dots included.
        let place = |pointer: Option<String>| match pointer {
            Some(pointer) if pointer.starts_with("/config/") => "`config`".to_owned(),
            Some(pointer) => code(&pointer[1..].replace('/', ".")),
            None => String::new(),
        };
        let (settings, flow) = (place(key.settings_pointer()), place(key.flow_pointer()));
        let mut of_loop = String::new();
        let mut of_nodes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (node_type, pointer) in key.node_types().filter(|(name, _)| *name != "llmRequest") {
            match node_type {
                "loop" => of_loop = code(pointer.trim_start_matches("/config/")).replace('/', "."),
                _ => of_nodes.entry(pointer).or_default().push(node_type),
            }
        }
        let of_nodes: Vec<_> = of_nodes
            .iter()
            .map(|(pointer, types)| {
                let path = pointer.trim_start_matches("/config").trim_start_matches('/').replace('/', ".");
                format!(
                    "{} of {}",
                    code(&path),
                    types.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ")
                )
            })
            .collect();
        let _ = writeln!(
            table,
            "| `{}` | {} | {} | {built_in} | {settings} | {flow} | {of_loop} | {} | {} |",
            key.name,
            key.label(),
            key.kind.describe(),
            of_nodes.join("; "),
            key.help
        );
    }
    table
}

/// Compares a committed file with the generated text, or writes it when `PLAIT_WRITE_BINDINGS` is set.
fn compare(name: &str, generated: &str) {
    let file = Path::new(REPOSITORY).join(name);
    if std::env::var_os("PLAIT_WRITE_BINDINGS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, generated).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    if committed != generated {
        let place = committed.lines().zip(generated.lines()).position(|(old, new)| old != new);
        panic!(
            "{name} is stale (first at line {}): run `cargo xtask bindings` and commit it.",
            place.map_or_else(|| committed.lines().count().min(generated.lines().count()) + 1, |at| at + 1)
        );
    }
}

fn generate() -> String {
    let mut types = Types::new();
    plait_api::visit_commands(&mut types);
    plait_api::hosts::visit_host_commands(&mut types);
    // Types that do not travel with a command: a watched run's entries, errors, and the types of other generated files.
    types.add::<plait_journal::Entry>();
    types.add::<plait_journal::view::RunView>();
    types.add::<plait_llm::context::ContextHandle>();
    types.add::<plait_llm::tool::ToolSpec>();
    types.add::<plait_api::ErrorReply>();
    types.add::<config::ConfigForms>();
    types.write()
}

/// Collects declarations by name, each once.
struct Types {
    config: Config,
    seen: BTreeSet<TypeId>,
    declarations: BTreeMap<String, String>,
    commands: Vec<(&'static str, String, String)>,
    /// Those that only hosts of other machines have.
    host_commands: Vec<(&'static str, String, String)>,
}

impl Types {
    fn new() -> Self {
        Self {
            config: Config::new().with_large_int("number"),
            seen: BTreeSet::new(),
            declarations: BTreeMap::new(),
            commands: Vec::new(),
            host_commands: Vec::new(),
        }
    }

    fn add<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        if T::output_path().is_some() {
            self.declare::<T>();
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }

    fn declare<T: TS + 'static + ?Sized>(&mut self) {
        let name = T::ident(&self.config);
        // Any JSON is `unknown` to the window: it must look before it uses it.
        let declaration =
            if name == "JsonValue" { "type JsonValue = unknown;".to_owned() } else { T::decl(&self.config) };
        let declaration = declaration.replace("Record<symbol, never>", "Record<string, never>");
        let text = tidy(&format!("{}export {declaration}\n", T::docs().unwrap_or_default()));
        if let Some(other) = self.declarations.insert(name.clone(), text.clone()) {
            assert_eq!(other, text, "two Rust types are called `{name}` and differ");
        }
    }

    fn write(&self) -> String {
        let mut out = String::from(
            "// Generated from the Rust types by `cargo xtask bindings`. Do not edit: a test compares the two.\n",
        );
        let codes = tidy(&error_codes::typescript());
        for text in self.declarations.values().chain([&codes]) {
            let _ = write!(out, "\n{text}");
        }
        for (about, name, commands) in [
            ("Every command: its arguments and its reply.", "Commands", &self.commands),
            ("The commands that only hosts of other machines have.", "HostCommands", &self.host_commands),
        ] {
            let _ = write!(out, "\n/** {about} */\nexport type {name} = {{\n");
            for (name, args, reply) in commands {
                let _ = writeln!(out, "  \"{name}\": {{ args: {args}; reply: {reply} }};");
            }
            out.push_str("};\n");
        }
        out
    }
}

/// Indents by braces, and puts comments of one line on one line: a person reads this file, too.
fn tidy(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    let text = text.replace("/**\n * ", "/** ").replace("};", "\n};");
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    while let Some(line) = lines.next() {
        let is_comment = line.starts_with('*') || line.starts_with("/**");
        let closes = line.starts_with('}');
        let indent = "  ".repeat(depth - usize::from(closes));
        let star = if line.starts_with('*') { " " } else { "" };
        if line.starts_with("/**") && lines.peek() == Some(&"*/") {
            lines.next();
            let _ = writeln!(out, "{indent}{line} */");
        } else {
            let _ = writeln!(out, "{indent}{star}{line}");
        }
        if !is_comment {
            depth = (depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
        }
    }
    out
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        self.add::<T>();
    }
}

impl CommandVisitor for Types {
    fn visit<C: Command>(&mut self) {
        self.add::<C>();
        self.add::<C::Reply>();
        self.commands.push((C::NAME, C::name(&self.config), C::Reply::name(&self.config)));
    }
}

impl HostCommandVisitor for Types {
    fn visit<C: HostCommand>(&mut self) {
        self.add::<C>();
        self.add::<C::Reply>();
        self.host_commands.push((C::NAME, C::name(&self.config), C::Reply::name(&self.config)));
    }
}
