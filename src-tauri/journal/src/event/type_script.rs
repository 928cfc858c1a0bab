//! The TypeScript type of an event: its JSON form, which is flat, as a union by `type`.

use ts_rs::TS;

use super::{
    CallEvent, ChildEvent, ContextEvent, DebugEvent, Event, LoopEvent, MemoryEvent, NodeEvent, RunEvent,
};
use plait_core::id::Activation;

impl TS for Event {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name(config: &ts_rs::Config) -> String {
        EventShape::name(config)
    }

    fn inline(config: &ts_rs::Config) -> String {
        EventShape::inline(config)
    }

    fn inline_flattened(config: &ts_rs::Config) -> String {
        EventShape::inline_flattened(config)
    }

    fn visit_dependencies(visitor: &mut impl ts_rs::TypeVisitor) {
        EventShape::visit_dependencies(visitor);
    }
}

/// The shape of the JSON form.
#[derive(TS)]
#[ts(untagged)]
#[expect(dead_code, reason = "only its TypeScript form is used")]
enum EventShape {
    Run(RunEvent),
    Loop {
        #[ts(flatten)]
        entry: Activation,
        #[ts(flatten)]
        event: LoopEvent,
    },
    Node {
        #[ts(flatten)]
        activation: Activation,
        #[ts(flatten)]
        event: NodeEvent,
    },
    Context {
        #[ts(flatten)]
        activation: Activation,
        #[ts(flatten)]
        event: ContextEvent,
    },
    Memory {
        #[ts(flatten)]
        activation: Activation,
        #[ts(flatten)]
        event: MemoryEvent,
    },
    Call {
        #[ts(flatten)]
        activation: Activation,
        #[ts(flatten)]
        event: CallEvent,
    },
    Child {
        #[ts(flatten)]
        activation: Activation,
        #[ts(flatten)]
        event: ChildEvent,
    },
    Debug(DebugEvent),
}
