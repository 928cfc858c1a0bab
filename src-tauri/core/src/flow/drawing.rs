//! What the canvas shows of a flow and runs do not look at: positions, colors, frames and the ways of edges.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::id::NodeId;

/// The position of a node on the canvas; of a node in a loop's body, relative to the loop's top left corner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Position {
    /// Rightward, in canvas units.
    pub x: f64,
    /// Downward, in canvas units.
    pub y: f64,
    /// The width, for nodes that can be resized (notes, loops).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub width: Option<f64>,
    /// The height, for nodes that can be resized (notes, loops).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub height: Option<f64>,
    /// Whether a loop is drawn as a single card, without its body.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub folded: bool,
    /// The color of the card; without one, that of its context or kind alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub color: Option<CanvasColor>,
    /// Unknown keys, kept unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

/// A color that a person chose. Each theme has its own shade of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum CanvasColor {
    Gray,
    Blue,
    Violet,
    Pink,
    Red,
    Amber,
    Green,
    Teal,
}

/// A box with a title around nodes that belong together. All of them have the same `parent`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Frame {
    /// The title that people see.
    #[serde(default)]
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub color: Option<CanvasColor>,
    /// The nodes that move with it.
    #[serde(default)]
    #[ts(as = "Vec<NodeId>")]
    pub nodes: BTreeSet<NodeId>,
    /// The one of its nodes that its card stands for while it is folded: the card has the icon and the summary of this node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub main: Option<NodeId>,
    /// Rightward, in canvas units; around nodes in a loop's body, relative to the loop's top left corner.
    pub x: f64,
    /// Downward, in canvas units; around nodes in a loop's body, relative to the loop's top left corner.
    pub y: f64,
    /// In canvas units, also while it is folded.
    pub width: f64,
    /// In canvas units, also while it is folded.
    pub height: f64,
    /// Whether it is drawn as a single card, without its nodes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub folded: bool,
    /// Unknown keys, kept unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}

/// A point that an edge passes through; of an edge between nodes in a loop's body, relative to the loop's top left corner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Point {
    /// Rightward, in canvas units.
    pub x: f64,
    /// Downward, in canvas units.
    pub y: f64,
    /// Unknown keys, kept unchanged.
    #[serde(flatten)]
    #[ts(skip)]
    pub extra: Map<String, Value>,
}
