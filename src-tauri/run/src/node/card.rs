//! What the editor shows and offers for nodes of a type, declared by the type itself: the editor keeps no list of types.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The one-line summary on a node's card, computed by the editor from the node's config.
///
/// The editor fills absent config fields with the defaults of the config schema, then renders `lines` in order and shows
/// the first one that is not empty. If all are empty, it shows the type's own `summary`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    /// Alternatives, best first. The parts of a line that are not empty are joined with ` · `.
    pub lines: Vec<Vec<CardPart>>,
}

impl Card {
    /// A card with no lines: it shows the type's summary.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an alternative, shown if those before it are empty.
    #[must_use]
    pub fn line(mut self, parts: impl Into<Vec<CardPart>>) -> Self {
        self.lines.push(parts.into());
        self
    }
}

/// One part of a card's line. `field` is a path into the config; dots separate the names of nested objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum CardPart {
    /// Fixed words; never empty.
    Literal {
        /// The words.
        text: String,
    },
    /// The first line of a text field, trimmed. Empty if the field is no text or blank.
    Text {
        /// Path of the field.
        field: String,
        /// A word in front, for example `to`, separated by a space.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        prefix: Option<String>,
    },
    /// Like `text`, in double quotation marks.
    Quoted {
        /// Path of the field.
        field: String,
    },
    /// A number. Empty if the field is no number.
    Number {
        /// Path of the field.
        field: String,
        /// A word in front, separated by a space.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        prefix: Option<String>,
    },
    /// A number of milliseconds: `500 ms`, `1.5 s` from 1000 on. Empty if the field is no number.
    Duration {
        /// Path of the field.
        field: String,
    },
    /// A list of texts, joined with `, `. Empty if the field is no list or the list is empty.
    List {
        /// Path of the field.
        field: String,
    },
    /// The length of a list and its unit: `1 case`, `2 cases`. Empty if the field is no list or the list is empty.
    Count {
        /// Path of the field.
        field: String,
        /// The unit for one item.
        one: String,
        /// The unit for more.
        many: String,
    },
    /// The card line of the node that makes the context this node works in. Empty if there is no such node.
    ContextMaker,
}

impl CardPart {
    /// Fixed words.
    pub fn literal(text: &str) -> Self {
        Self::Literal { text: text.to_owned() }
    }

    pub fn text(field: &str) -> Self {
        Self::Text { field: field.to_owned(), prefix: None }
    }

    /// The first line of a text field, after a word.
    pub fn prefixed_text(prefix: &str, field: &str) -> Self {
        Self::Text { field: field.to_owned(), prefix: Some(prefix.to_owned()) }
    }

    /// The first line of a text field, in quotation marks.
    pub fn quoted(field: &str) -> Self {
        Self::Quoted { field: field.to_owned() }
    }

    /// A number, after a word.
    pub fn prefixed_number(prefix: &str, field: &str) -> Self {
        Self::Number { field: field.to_owned(), prefix: Some(prefix.to_owned()) }
    }

    /// A number of milliseconds.
    pub fn duration(field: &str) -> Self {
        Self::Duration { field: field.to_owned() }
    }

    pub fn list(field: &str) -> Self {
        Self::List { field: field.to_owned() }
    }

    /// The length of a list, with the unit for one item and for more.
    pub fn count(field: &str, one: &str, many: &str) -> Self {
        Self::Count { field: field.to_owned(), one: one.to_owned(), many: many.to_owned() }
    }

    /// Path of the config field that this part shows.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Text { field, .. }
            | Self::Quoted { field }
            | Self::Number { field, .. }
            | Self::Duration { field }
            | Self::List { field }
            | Self::Count { field, .. } => Some(field),
            Self::Literal { .. } | Self::ContextMaker => None,
        }
    }
}

/// How the editor treats nodes of a type, beyond what their ports say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EditorTraits {
    /// Set for comments: the config field with the comment's Markdown. The editor draws a sticky note with an editable
    /// text. It shows no run status, ports, limits or retry settings, and counts it in no run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub comment_field: Option<String>,
    /// Set for nodes that run another flow: the config field with the path of that flow's file. The editor offers to
    /// open the child run, or the file if there was no run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub child_flow_field: Option<String>,
    /// An import makes it, and nobody else: the editor offers none to add.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub only_imported: bool,
    /// It makes the flow's main context, which gets the first context color.
    pub makes_main_context: bool,
    /// Its pause asks for the next message of a conversation. In a cycle, the button that ends the pause is labeled
    /// "End conversation".
    pub asks_for_message: bool,
}
