//! The ports and the planning-relevant behavior of the test node types.

use plait_core::flow::{MemoryMode, MemoryUse};
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{Behavior, Portal};

use super::Settings;

const DATA: PortKind = PortKind::Data;
const ANY: PortType = PortType::Any;

/// The kinds that a random flow is made of.
pub const KINDS: [&str; 15] = [
    "source", "mix", "maybe", "gated", "collect", "route", "flaky", "effect", "ask", "context", "turn",
    "result", "relay", "guest", "pass",
];

/// What a flow with loops is made from in addition.
pub const LOOP_KINDS: [&str; 4] = ["list", "sign", "loop", "finish"];

/// The ports of a kind with default settings.
pub fn ports(kind: &str) -> Ports {
    ports_with(kind, &Settings::default())
}

pub fn ports_with(kind: &str, settings: &Settings) -> Ports {
    let ports = Ports::new();
    let out = |ports: Ports| ports.output("out", DATA, ANY, "");
    match kind {
        "source" | "portalOut" => out(ports),
        "mix" => {
            out(ports.input("a", DATA, ANY, "").optional("b", DATA, ANY, "").many("more", DATA, ANY, ""))
        }
        "maybe" | "list" | "sign" => out(ports.optional("a", DATA, ANY, "").optional("b", DATA, ANY, "")),
        "gated" => out(ports.optional("a", DATA, ANY, "").when_fed("gate", DATA, ANY, "")),
        "collect" => out(ports.at_least_one("items", DATA, ANY, "").many("more", DATA, ANY, "")),
        "route" => ports
            .input("a", DATA, ANY, "")
            .optional("b", DATA, ANY, "")
            .output("x", DATA, ANY, "")
            .output("y", DATA, ANY, "")
            .output("z", DATA, ANY, ""),
        "flaky" => out(ports.input("a", DATA, ANY, "").optional("b", DATA, ANY, "")).error(),
        "effect" => out(ports.optional("a", DATA, ANY, "").optional("b", DATA, ANY, "")).error(),
        "ask" => out(ports.input("a", DATA, ANY, "").optional("b", DATA, ANY, "")),
        "context" => out(ports.optional("a", DATA, ANY, ""))
            .output("context", PortKind::Context, ANY, "")
            .output("handle", DATA, ANY, ""),
        "guest" => {
            let edge = ports.optional("a", DATA, ANY, "").optional("context", PortKind::Context, ANY, "");
            let named = if settings.names.is_empty() { edge.input("who", DATA, ANY, "") } else { edge };
            out(named).output("context", PortKind::Context, ANY, "").error()
        }
        "pass" | "finish" | "result" => out(ports.input("a", DATA, ANY, "")),
        "relay" => out(ports.optional("context", PortKind::Context, ANY, "").optional("a", DATA, ANY, ""))
            .output("context", PortKind::Context, ANY, ""),
        "turn" => out(ports.input("context", PortKind::Context, ANY, "").optional("a", DATA, ANY, ""))
            .output("context", PortKind::Context, ANY, "")
            .error(),
        "portalIn" => ports.input("a", DATA, ANY, ""),
        "broken" => out(ports.optional("a", DATA, ANY, "")).error(),
        "comment" => ports,
        other => unreachable!("no ports for {other}"),
    }
}

/// What planning needs to know of a kind.
pub fn behavior(kind: &str, settings: &Settings) -> Behavior {
    let mut behavior = Behavior::default();
    match kind {
        "ask" => behavior.pauses = true,
        "context" => behavior.makes_context = true,
        "turn" => behavior.uses_context = true,
        "guest" if settings.names.is_empty() => behavior.uses_context_from = Some("who"),
        "guest" => behavior.uses_context_id = Some(settings.names.clone()),
        "result" => behavior.is_output = true,
        "comment" => behavior.inert = true,
        "portalIn" => behavior.portal = Some(Portal::In(settings.channel.clone())),
        "portalOut" => behavior.portal = Some(Portal::Out(settings.channel.clone())),
        _ => {}
    }
    behavior.memory = match settings.memory.as_str() {
        "read" => MemoryUse::As(MemoryMode::Read),
        "write" => MemoryUse::As(MemoryMode::ReadWrite),
        _ => MemoryUse::None,
    };
    behavior
}
