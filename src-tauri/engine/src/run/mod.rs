//! Running a flow: facts, the pure scheduler, and the driver that carries out its commands.

pub mod fact;
pub mod view;

pub use fact::{
    Answer, Entry, Fact, FinishMetadata, FlowRef, NodeOutputs, SkipReason, SourceRef, TokenUsage,
};
