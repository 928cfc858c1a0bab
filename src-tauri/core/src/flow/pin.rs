//! Pins: what nodes deliver in place of being executed. A pin is a part of the flow, so that a fixed output is seen by everyone who
//! opens the file.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::id::{Epoch, PortName, RunId};
use crate::origin::{Origin, Origins};

/// How large the values of one pin may be, as JSON in bytes. A flow file is read, compared and reviewed as a whole.
pub const MAX_PIN_BYTES: usize = 256 * 1024;

/// What a node delivers in place of being executed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Pin {
    /// The values by output. An output that is not listed delivers nothing. A listed output that carries a context hands on the
    /// context that comes in; its value is not used.
    #[ts(type = "Record<string, unknown>")]
    #[schemars(with = "BTreeMap<PortName, Value>")]
    pub outputs: BTreeMap<PortName, Arc<Value>>,
    /// In loops and cycles, the values of single iterations, each by its path: the numbers of the iterations around the node,
    /// outermost first, from 0, such as `2` or `0.2`. An iteration that is not listed gets the values of `outputs`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, type = "Record<string, Record<string, unknown>>")]
    #[schemars(with = "BTreeMap<String, BTreeMap<PortName, Value>>")]
    pub iterations: BTreeMap<IterationPath, BTreeMap<PortName, Arc<Value>>>,
    /// The run that the values were taken from. Without one, a person typed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schemars(with = "Option<String>")]
    pub run: Option<RunId>,
    /// Where the values came from in that run, for example `host:example.com`.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    #[schemars(with = "Vec<String>")]
    pub origins: Origins,
    /// Unknown keys, kept unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

impl Pin {
    /// Where its values come from: from where they came in the run that they were taken from, else from a person.
    pub fn value_origins(&self) -> Origins {
        let mut origins = self.origins.clone();
        if self.run.is_none() {
            origins.add(&Origins::of(Origin::Person));
        }
        origins
    }

    /// The values by output in an iteration.
    pub fn outputs_at(&self, epoch: &Epoch) -> &BTreeMap<PortName, Arc<Value>> {
        self.iterations.get(epoch).unwrap_or(&self.outputs)
    }

    /// All its values by output: those of `outputs`, then those of each iteration.
    pub fn all_outputs(&self) -> impl Iterator<Item = &BTreeMap<PortName, Arc<Value>>> {
        std::iter::once(&self.outputs).chain(self.iterations.values())
    }

    /// Whether its values are larger than [`MAX_PIN_BYTES`].
    pub fn is_too_large(&self) -> bool {
        let size = |outputs| serde_json::to_vec(outputs).map_or(0, |text| text.len());
        self.all_outputs().map(size).sum::<usize>() > MAX_PIN_BYTES
    }
}

/// An epoch as a key of a document: its counters with dots between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct IterationPath(pub Epoch);

impl From<IterationPath> for String {
    fn from(IterationPath(epoch): IterationPath) -> Self {
        epoch.to_string().trim_start_matches('#').to_owned()
    }
}

impl TryFrom<String> for IterationPath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let counters: Result<Vec<u32>, _> = text.split('.').map(str::parse).collect();
        let counters =
            counters.map_err(|_| format!("`{text}` is no path of an iteration, such as `2` or `0.2`"))?;
        Ok(Self(Epoch::from(counters.as_slice())))
    }
}

impl Borrow<Epoch> for IterationPath {
    fn borrow(&self) -> &Epoch {
        &self.0
    }
}

#[cfg(test)]
mod tests;
