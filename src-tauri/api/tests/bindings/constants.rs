//! The constants and tables of the engine that the window reads: each is declared in Rust only.

use std::fmt::Write as _;

use plait_core::flow::{CanvasColor, VERSION};
use plait_core::origin::OriginKind;
use plait_core::port::{ERROR_PORT, PortType};
use plait_journal::view::RunStatus;
use plait_llm::grant::GrantKind;
use plait_llm::long_term_memory::MemoryKind;
use plait_run::node::Category;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use ts_rs::{Config, TS};

pub fn typescript() -> String {
    let mut file = File::default();
    file.list::<CanvasColor>(
        "CANVAS_COLORS",
        "The colors of nodes and frames, in the order of menus.",
        |_| true,
    );
    file.list::<Category>("CATEGORIES", "The sections of the palette, in its order.", |_| true);
    file.list::<GrantKind>("GRANT_KINDS", "What needs a grant, in the order of lists.", |_| true);
    file.list::<MemoryKind>("MEMORY_KINDS", "The kinds of memories, in the order of lists.", |_| true);
    file.list::<RunStatus>(
        "FINAL_RUN_STATUSES",
        "The statuses that no event can follow.",
        |status: &RunStatus| status.is_final(),
    );
    file.import("PortType");
    let port_types: Vec<PortType> = variants();
    let fed: Map<String, Value> = port_types
        .iter()
        .map(|output| {
            let inputs: Vec<&PortType> = port_types.iter().filter(|input| output.feeds(**input)).collect();
            (name(output), json!(inputs))
        })
        .collect();
    file.constant(
        "FED_PORT_TYPES",
        "For each type of an output, the types of the inputs that it may feed.",
        "Readonly<Record<PortType, readonly PortType[]>>",
        &fed,
    );
    let kinds = OriginKind::ALL.map(|kind| format!("{:?}", kind.name()));
    file.declare("OriginKind", "A kind of place that values come from.", &kinds.join(" | "));
    let untrusted: Vec<&str> =
        OriginKind::ALL.into_iter().filter(|kind| kind.is_untrusted()).map(OriginKind::name).collect();
    file.constant(
        "UNTRUSTED_ORIGIN_KINDS",
        "Places that others than the person and the author of the flow write to.",
        "readonly OriginKind[]",
        &untrusted,
    );
    file.constant("FLOW_VERSION", "The version of the flow format.", "", &VERSION);
    file.constant("FLOW_ENDING", "How the names of flow files end.", "", &plait_api::flow_files::FLOW_ENDING);
    file.constant("ERROR_PORT", "The output that carries a failure.", "", &ERROR_PORT);
    file.constant("ATTACH_PORT", "The input for images and files.", "", &plait_core::port::ATTACH_PORT);
    file.constant(
        "HITL_HISTORY",
        "The variable with the answers that people gave in a loop.",
        "",
        &plait_core::expression::HITL_HISTORY,
    );
    file.constant(
        "TAKES_ATTACHMENTS",
        "The key in the schema of an answer that may have attachments.",
        "",
        &plait_core::attachment::TAKES_ATTACHMENTS,
    );
    file.constant(
        "MAIN_CONTEXT",
        "The id of the context that a flow's `contextStart` creates.",
        "",
        &plait_llm::context::MAIN,
    );
    file.constant(
        "MAX_COUNTED_TOKENS",
        "Above this sum of counted tokens, both sums of a correction are halved.",
        "",
        &plait_llm::models::MAX_COUNTED_TOKENS,
    );
    file.constant(
        "MAX_USD_PER_MILLION_TOKENS",
        "The highest price of a model.",
        "",
        &plait_llm::models::MAX_USD_PER_MILLION_TOKENS,
    );
    file.constant(
        "MAX_CONTEXT_WINDOW",
        "The largest context window, in tokens.",
        "",
        &plait_llm::models::MAX_CONTEXT_WINDOW,
    );
    file.text()
}

#[derive(Default)]
struct File {
    imports: Vec<String>,
    body: String,
}

impl File {
    fn import(&mut self, name: &str) {
        self.imports.push(name.to_owned());
    }

    /// The values of an enum that match, in the order of their declaration.
    fn list<T: TS + Serialize + DeserializeOwned>(
        &mut self,
        name: &str,
        about: &str,
        matches: impl Fn(&T) -> bool,
    ) {
        let values: Vec<T> = variants().into_iter().filter(matches).collect();
        let ident = T::ident(&Config::new());
        self.import(&ident);
        self.constant(name, about, &format!("readonly {ident}[]"), &values);
    }

    /// Without a `type_name`, the type is that of the literal.
    fn constant(&mut self, name: &str, about: &str, type_name: &str, value: &impl Serialize) {
        let value = serde_json::to_string(value).unwrap();
        let colon = if type_name.is_empty() { "" } else { ": " };
        let _ = write!(self.body, "\n/** {about} */\nexport const {name}{colon}{type_name} = {value};\n");
    }

    fn declare(&mut self, name: &str, about: &str, definition: &str) {
        let _ = write!(self.body, "\n/** {about} */\nexport type {name} = {definition};\n");
    }

    fn text(mut self) -> String {
        self.imports.sort();
        format!(
            "// Generated from the Rust code by `cargo xtask bindings`. Do not edit: a test compares the two.\n\
             import type {{ {} }} from \"./index\";\n{}",
            self.imports.join(", "),
            self.body
        )
    }
}

/// The values of an enum without fields, in the order of their declaration.
fn variants<T: TS + DeserializeOwned>() -> Vec<T> {
    let union = T::inline(&Config::new());
    union.split('|').map(|name| serde_json::from_str(name.trim()).unwrap()).collect()
}

/// The name of such a value in JSON.
fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}
