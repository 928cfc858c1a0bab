//! The example flows, embedded: `plait run hello` and the editor's empty canvas find them without a file.

use plait_engine::flow::{self, Flow};

use crate::ErrorReply;

macro_rules! examples {
    ($($id:literal),* $(,)?) => {
        /// Their ids, simplest first.
        pub const IDS: &[&str] = &[$($id),*];

        /// The text of the example flow's file, if there is one of that id.
        pub fn text(id: &str) -> Option<&'static str> {
            match id {
                $($id => Some(include_str!(concat!("../../../../tests/fixtures/examples/", $id, ".flow.json"))),)*
                _ => None,
            }
        }
    };
}

examples![
    "hello",
    "chat-loop",
    "tool-brief",
    "second-opinion",
    "sort-letters",
    "order-form",
    "approval",
    "branch-and-join",
    "error-handling",
    "draft-and-critique",
    "headline",
    "sub-flows",
];

/// The example flow of that id; `flow.unknown_example` when there is none.
pub fn flow(id: &str) -> Result<Flow, ErrorReply> {
    let text = text(id).ok_or_else(|| {
        ErrorReply::new("flow.unknown_example", format!("There is no example flow `{id}`."))
            .hint(format!("The examples are: {}.", IDS.join(", ")))
    })?;
    flow::read(text).map_err(|error| {
        ErrorReply::new(
            &error.diagnostic.code,
            format!("The example flow `{id}`: {}", error.diagnostic.message),
        )
    })
}
