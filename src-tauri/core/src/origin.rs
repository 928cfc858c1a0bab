//! Where values come from: every value carries a set of labels.
//!
//! A node's outputs come from wherever its inputs come from, and from what the node itself brought in: a file, a host, an
//! answer. A model's output comes from everything in its prompts. Only the labels that a node adds are journaled; the
//! rest follows from the edges, so the scheduler derives it again. Control flow is not tracked: a branch that a
//! value chose does not come from that value.
//!
//! Without a label, a value comes from the flow alone: its config, its templates, its constants.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ts_rs::TS;

/// A place that values come from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The person: the input of a run, and answers.
    Person,
    /// A model, as `provider/model`.
    Model(String),
    /// A file other than those of the flow.
    File(String),
    /// An image or a file that the person attached, by its name. Others may have written it.
    Attachment(String),
    /// A host that was requested.
    Host(String),
    /// A server of the Model Context Protocol.
    McpServer(String),
    /// A knowledge base.
    Knowledge(String),
    /// An earlier run of the conversation that the run continues.
    Conversation(String),
    /// More places of one kind than a set lists: some of them are left out.
    Many(OriginKind),
}

/// What kind of place it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OriginKind {
    Person,
    Model,
    File,
    Attachment,
    Host,
    McpServer,
    Knowledge,
    Conversation,
}

impl OriginKind {
    pub const ALL: [Self; 8] = [
        Self::Person,
        Self::Model,
        Self::File,
        Self::Attachment,
        Self::Host,
        Self::McpServer,
        Self::Knowledge,
        Self::Conversation,
    ];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Model => "model",
            Self::File => "file",
            Self::Attachment => "attachment",
            Self::Host => "host",
            Self::McpServer => "mcp",
            Self::Knowledge => "knowledge",
            Self::Conversation => "conversation",
        }
    }

    /// Whether others than the person and the author of the flow write what comes from there.
    pub fn is_untrusted(self) -> bool {
        matches!(self, Self::File | Self::Attachment | Self::Host | Self::McpServer | Self::Knowledge)
    }

    fn origin(self, place: String) -> Origin {
        match self {
            Self::Person => Origin::Person,
            Self::Model => Origin::Model(place),
            Self::File => Origin::File(place),
            Self::Attachment => Origin::Attachment(place),
            Self::Host => Origin::Host(place),
            Self::McpServer => Origin::McpServer(place),
            Self::Knowledge => Origin::Knowledge(place),
            Self::Conversation => Origin::Conversation(place),
        }
    }
}

impl Origin {
    /// What kind of place it is.
    pub fn kind(&self) -> OriginKind {
        match self {
            Self::Person => OriginKind::Person,
            Self::Model(_) => OriginKind::Model,
            Self::File(_) => OriginKind::File,
            Self::Attachment(_) => OriginKind::Attachment,
            Self::Host(_) => OriginKind::Host,
            Self::McpServer(_) => OriginKind::McpServer,
            Self::Knowledge(_) => OriginKind::Knowledge,
            Self::Conversation(_) => OriginKind::Conversation,
            Self::Many(kind) => *kind,
        }
    }

    /// Whether others than the person and the author of the flow write what comes from there.
    pub fn is_untrusted(&self) -> bool {
        self.kind().is_untrusted()
    }

    fn place(&self) -> Option<&str> {
        match self {
            Self::Person => None,
            Self::Model(place)
            | Self::File(place)
            | Self::Attachment(place)
            | Self::Host(place)
            | Self::McpServer(place)
            | Self::Knowledge(place)
            | Self::Conversation(place) => Some(place),
            Self::Many(_) => Some(MANY),
        }
    }
}

/// Stands for the places that are left out. No file, host or name consists of it alone.
const MANY: &str = "*";

/// As on the wire: `person`, or a kind and a place, as `host:example.com`.
impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind().name())?;
        self.place().map_or(Ok(()), |place| write!(formatter, ":{place}"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownOrigin;

impl fmt::Display for UnknownOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("expected an origin, such as `person` or `host:example.com`")
    }
}

impl FromStr for Origin {
    type Err = UnknownOrigin;

    fn from_str(text: &str) -> Result<Self, UnknownOrigin> {
        let (name, place) = text.split_once(':').map_or((text, None), |(name, place)| (name, Some(place)));
        let kind = OriginKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or(UnknownOrigin)?;
        match (kind, place) {
            (OriginKind::Person, None) => Ok(Self::Person),
            (OriginKind::Person, Some(_)) | (_, None) => Err(UnknownOrigin),
            (kind, Some(MANY)) => Ok(Self::Many(kind)),
            // Also an empty one: every stored place must be readable, also an odd one of a tool.
            (kind, Some(place)) => Ok(kind.origin(place.to_owned())),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Origin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// How many places of one kind a set lists. A set stands in every message and event that it belongs to, so a node that reads
/// a thousand files must not make each of them longer.
const MAX_PLACES_OF_A_KIND: usize = 16;

/// The places that a value comes from. Cheap to clone, and free while it is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, TS)]
#[ts(as = "Vec<String>")]
pub struct Origins(Option<Arc<BTreeSet<Origin>>>);

impl Origins {
    /// No label: the value comes from the flow.
    pub const NONE: Self = Self(None);

    pub fn of(origin: Origin) -> Self {
        [origin].into_iter().collect()
    }

    /// Whether the value comes from the flow alone.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The places, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Origin> {
        self.0.iter().flat_map(|places| places.iter())
    }

    /// The places that others than the person and the author of the flow write to.
    #[must_use]
    pub fn untrusted(&self) -> Self {
        self.iter().filter(|origin| origin.is_untrusted()).cloned().collect()
    }

    /// Adds the places of another value. If one of two sets has all places, no new one is made.
    pub fn add(&mut self, other: &Self) {
        let Some(places) = &other.0 else { return };
        match &mut self.0 {
            None => self.0 = Some(Arc::clone(places)),
            Some(own) if Arc::ptr_eq(own, places) || places.is_subset(own) => {}
            Some(own) if own.is_subset(places) => *own = Arc::clone(places),
            Some(own) => {
                let both = own.union(places).cloned().collect();
                self.0 = Some(Arc::new(bounded(both)));
            }
        }
    }

    /// The places of several values.
    pub fn union<'o>(sets: impl IntoIterator<Item = &'o Self>) -> Self {
        sets.into_iter().fold(Self::NONE, |mut union, set| {
            union.add(set);
            union
        })
    }
}

impl FromIterator<Origin> for Origins {
    fn from_iter<I: IntoIterator<Item = Origin>>(origins: I) -> Self {
        let places = bounded(origins.into_iter().collect());
        Self((!places.is_empty()).then(|| Arc::new(places)))
    }
}

/// Without the last places of a kind that has too many.
fn bounded(mut places: BTreeSet<Origin>) -> BTreeSet<Origin> {
    if places.len() <= MAX_PLACES_OF_A_KIND {
        return places;
    }
    for kind in OriginKind::ALL {
        // Its own name is not one of the places.
        let of_kind = |origin: &&Origin| origin.kind() == kind && **origin != Origin::Many(kind);
        let surplus: Vec<_> = places.iter().filter(of_kind).skip(MAX_PLACES_OF_A_KIND).cloned().collect();
        if !surplus.is_empty() {
            places.retain(|origin| !surplus.contains(origin));
            places.insert(Origin::Many(kind));
        }
    }
    places
}

impl Serialize for Origins {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Origins {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Origin>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests;
