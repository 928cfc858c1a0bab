//! Identifiers and epochs: small, cheap to clone, plain strings and number lists on the wire.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use ts_rs::TS;

macro_rules! string_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, TS)]
        #[serde(transparent)]
        #[ts(type = "string")]
        pub struct $name(#[schemars(with = "String")] Arc<str>);

        impl $name {
            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether one is a clone of the other. Two that are not may still be equal.
            #[inline]
            pub fn is(&self, other: &Self) -> bool {
                Arc::ptr_eq(&self.0, &other.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    };
}

string_id!(
    /// A node of a flow; stable across edits.
    NodeId
);
string_id!(
    /// An edge of a flow; stable across edits.
    EdgeId
);
string_id!(
    /// A frame of a flow; stable across edits.
    FrameId
);
string_id!(
    /// A port's name, unique among the inputs (or outputs) of its node.
    PortName
);
string_id!(
    /// One execution of a flow. A UUID version 7, so that runs sort by their start.
    RunId
);
string_id!(
    /// A context of a run: `main`, or the id of the node that made it (with its epoch inside a cycle).
    ContextId
);
string_id!(
    /// A conversation: a main context that lives on across runs. A UUID version 7.
    ConversationId
);
string_id!(
    /// The SHA-256 of an attachment's bytes: 64 hexadecimal digits.
    AttachmentHash
);
string_id!(
    /// A message of a context. Derived from run, node, epoch and position, so that a resumed run gives the same ids.
    MessageId
);
string_id!(
    /// A memory of a user: 32 hexadecimal digits. One that a run stores has an id that follows from its place in the run.
    MemoryId
);
string_id!(
    /// What identifies a model request: a hash of the protocol, the server, the model and the request's body, in hexadecimal.
    /// Equal requests have equal keys.
    ReplyKey
);

/// The iteration: one counter for each enclosing loop, cycle or sub-flow, outermost first. Empty outside of all.
#[derive(Default, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(transparent)]
#[ts(type = "number[]")]
pub struct Epoch(#[schemars(with = "Vec<u32>")] pub SmallVec<[u32; 4]>);

impl Clone for Epoch {
    #[inline]
    fn clone(&self) -> Self {
        Self::of(&self.0)
    }
}

impl PartialEq for Epoch {
    /// Counter by counter: they are too few for a comparison of memory to pay.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(one, other)| one == other)
    }
}

impl Hash for Epoch {
    /// Counter by counter, for the same reason.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|counter| state.write_u32(*counter));
        state.write_usize(self.0.len());
    }
}

impl Epoch {
    /// Copies the counters at once, where a `SmallVec` clones them one by one; the few that almost all epochs have, without a loop.
    #[inline]
    fn of(counters: &[u32]) -> Self {
        Self(match *counters {
            [] => SmallVec::new(),
            [one] => SmallVec::from_buf_and_len([one, 0, 0, 0], 1),
            [outer, inner] => SmallVec::from_buf_and_len([outer, inner, 0, 0], 2),
            ref counters => SmallVec::from_slice(counters),
        })
    }

    /// The epoch outside of every cycle.
    pub fn root() -> Self {
        Self::default()
    }

    /// How many cycles enclose it.
    #[inline]
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// This epoch with one more, innermost, counter.
    #[must_use]
    #[inline]
    pub fn child(&self, counter: u32) -> Self {
        let mut child = self.clone();
        child.0.push(counter);
        child
    }

    /// The outermost `depth` counters.
    #[must_use]
    #[inline]
    pub fn prefix(&self, depth: usize) -> Self {
        Self::of(&self.0[..depth.min(self.0.len())])
    }

    /// The epoch around the innermost counter.
    #[must_use]
    #[inline]
    pub fn outer(&self) -> Self {
        self.prefix(self.depth().saturating_sub(1))
    }

    /// The next epoch of the innermost cycle. The root has none and stays as it is.
    #[must_use]
    pub fn next(&self) -> Self {
        let mut path = self.0.clone();
        if let Some(counter) = path.last_mut() {
            *counter += 1;
        }
        Self(path)
    }

    /// It as people count iterations: from 1, inner ones after a dot. None outside of loops and cycles.
    pub fn label(&self) -> Option<String> {
        let counters: Vec<String> =
            self.0.iter().map(|counter| (u64::from(*counter) + 1).to_string()).collect();
        (!counters.is_empty()).then(|| counters.join("."))
    }

    /// Whether `outer` is this epoch or encloses it. Counter by counter, as equality.
    #[inline]
    pub fn starts_with(&self, outer: &Self) -> bool {
        self.0.len() >= outer.0.len() && self.0.iter().zip(&outer.0).all(|(one, other)| one == other)
    }
}

impl From<&[u32]> for Epoch {
    fn from(path: &[u32]) -> Self {
        Self(path.into())
    }
}

impl fmt::Debug for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Epoch {
    /// `#2` for the third iteration, `#2.0` inside an inner cycle, nothing at the root.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (level, counter) in self.0.iter().enumerate() {
            write!(f, "{}{counter}", if level == 0 { "#" } else { "." })?;
        }
        Ok(())
    }
}

/// One execution of one node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
pub struct Activation {
    /// The node.
    pub node: NodeId,
    /// The iteration.
    pub epoch: Epoch,
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.node, self.epoch)
    }
}

impl MessageId {
    /// The id of the message with this index that an activation says.
    pub fn of(activation: &Activation, index: usize) -> Self {
        format!("{activation}/{index}").into()
    }

    /// How many loops and cycles enclose the node that said the message, by its id. 0 if an earlier run said it.
    pub fn depth(&self) -> usize {
        let epoch = self.as_str().rsplit_once('/').and_then(|(said_by, _)| said_by.rsplit_once('#'));
        let is_counter =
            |counter: &str| !counter.is_empty() && counter.bytes().all(|byte| byte.is_ascii_digit());
        match epoch {
            Some((_, epoch)) if epoch.split('.').all(is_counter) => epoch.split('.').count(),
            _ => 0,
        }
    }
}

impl MemoryId {
    /// The id of the memory that the place `key` in a run stores.
    pub fn derived(key: &str) -> Self {
        let mut id = crate::hash::content_hash(key.as_bytes());
        id.truncate(32);
        id.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_of_a_message_is_that_of_its_activation() {
        for epoch in [&[][..], &[3], &[1, 2], &[0, 10, 7]] {
            let activation = Activation { node: "a/b".into(), epoch: Epoch(epoch.into()) };
            assert_eq!(MessageId::of(&activation, 0).depth(), epoch.len(), "{activation}");
        }
    }
}
