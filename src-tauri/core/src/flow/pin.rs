//! Pins: what nodes deliver in place of being executed. A pin is a part of the flow, so that a fixed output is seen by everyone who
//! opens the file.

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
    /// In a loop, the values of its iterations in their order. An iteration that has none here, or null, gets those of `outputs`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, type = "Array<Record<string, unknown> | null>")]
    #[schemars(with = "Vec<Option<BTreeMap<PortName, Value>>>")]
    pub iterations: Vec<Option<BTreeMap<PortName, Arc<Value>>>>,
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

    /// The values by output in an iteration of the innermost loop around the node; outside of all loops, `outputs`.
    pub fn outputs_at(&self, epoch: &Epoch) -> &BTreeMap<PortName, Arc<Value>> {
        let iteration = epoch.0.last().and_then(|&at| self.iterations.get(at as usize)?.as_ref());
        iteration.unwrap_or(&self.outputs)
    }

    /// All its values by output: those of `outputs`, then those of each iteration.
    pub fn all_outputs(&self) -> impl Iterator<Item = &BTreeMap<PortName, Arc<Value>>> {
        std::iter::once(&self.outputs).chain(self.iterations.iter().flatten())
    }

    /// Whether its values are larger than [`MAX_PIN_BYTES`].
    pub fn is_too_large(&self) -> bool {
        let size = |outputs| serde_json::to_vec(outputs).map_or(0, |text| text.len());
        self.all_outputs().map(size).sum::<usize>() > MAX_PIN_BYTES
    }
}

#[cfg(test)]
mod tests;
