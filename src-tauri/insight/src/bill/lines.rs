//! A bill by node: what each one reuses, buys, does outside and asks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::words::{count, dollars};
use super::{Bill, Ceiling};
use plait_core::id::NodeId;

/// What the bill says of one node, in all of its iterations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BillLine {
    /// The nodes that lead to the sub-flow it is in, as `a/b`, if it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subflow: Option<String>,
    pub node: NodeId,
    pub kind: BillLineKind,
    /// In a few words, such as `buys 2, reuses 38`.
    pub what: String,
    /// What it costs at most, such as `≤ $0.0260`. Absent where nothing is bought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cost: Option<String>,
}

/// The weightiest thing that a node does, the weightiest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum BillLineKind {
    /// It fails, since what it asks for is not recorded.
    Fails,
    /// It calls tools.
    Acts,
    /// It buys replies.
    Buys,
    /// It may buy, depending on what others buy.
    Depends,
    /// It asks a person.
    Asks,
    /// It only takes over what was done before.
    Reuses,
}

/// What one node does.
#[derive(Default)]
pub(super) struct NodeCounts {
    pub replies: u64,
    pub results: u64,
    pub answers: u64,
    pub bought: u64,
    /// How often each tool is called.
    pub tools: BTreeMap<String, u64>,
    pub questions: u64,
    pub fails: bool,
    pub depends: bool,
    pub ceilings: Vec<Ceiling>,
}

/// By the nodes that lead to a sub-flow, and the node.
#[derive(Default)]
pub(super) struct CountsByNode(BTreeMap<(Option<String>, NodeId), NodeCounts>);

impl CountsByNode {
    pub fn of(&mut self, subflow: Option<&String>, node: &NodeId) -> &mut NodeCounts {
        self.0.entry((subflow.cloned(), node.clone())).or_default()
    }
}

impl NodeCounts {
    fn kind(&self) -> BillLineKind {
        if self.fails {
            BillLineKind::Fails
        } else if !self.tools.is_empty() {
            BillLineKind::Acts
        } else if self.bought > 0 {
            BillLineKind::Buys
        } else if self.depends {
            BillLineKind::Depends
        } else if self.questions > 0 {
            BillLineKind::Asks
        } else {
            BillLineKind::Reuses
        }
    }
}

/// The lines of a bill, the weightiest first. `reused` has what its nodes reuse.
pub(super) fn lines(bill: &Bill, reused: CountsByNode) -> Vec<BillLine> {
    let mut counts = reused;
    for call in &bill.bought {
        let node = counts.of(call.place.subflow.as_ref(), &call.place.at.node);
        node.bought += 1;
        node.ceilings.push(call.ceiling.clone());
    }
    for call in &bill.outside {
        *counts
            .of(call.place.subflow.as_ref(), &call.place.at.node)
            .tools
            .entry(call.tool.clone())
            .or_default() += 1;
    }
    for place in &bill.unrecorded {
        counts.of(place.subflow.as_ref(), &place.at.node).fails = true;
    }
    for place in &bill.asked {
        counts.of(place.subflow.as_ref(), &place.at.node).questions += 1;
    }
    for behind in &bill.behind {
        let node = counts.of(behind.subflow.as_ref(), &behind.node);
        node.depends = true;
        node.ceilings.push(behind.ceiling.clone());
    }
    let mut lines: Vec<BillLine> = counts
        .0
        .into_iter()
        .map(|((subflow, node), counts)| BillLine {
            subflow,
            node,
            kind: counts.kind(),
            what: line(&counts),
            cost: cost(&counts.ceilings),
        })
        .collect();
    lines.sort_by_key(|line| line.kind);
    lines
}

/// What one node does, in a few words.
fn line(counts: &NodeCounts) -> String {
    let mut parts = Vec::new();
    if counts.fails {
        parts.push("fails: not recorded".to_owned());
    }
    if counts.bought > 0 {
        parts.push(format!("buys {}", count(counts.bought, "reply", "replies")));
    }
    parts.extend(counts.tools.iter().map(|(tool, times)| match times {
        1 => format!("calls {tool}"),
        times => format!("calls {tool} {times} times"),
    }));
    if counts.depends {
        parts.push("depends on what is bought".to_owned());
    }
    if counts.questions > 0 {
        parts.push("asks".to_owned());
    }
    let reused = counts.replies + counts.results + counts.answers;
    if reused > 0 {
        parts.push(format!("reuses {reused}"));
    }
    parts.join(", ")
}

/// What one node costs at most. Nothing where it buys nothing.
fn cost(ceilings: &[Ceiling]) -> Option<String> {
    let mut sum: u64 = 0;
    for ceiling in ceilings {
        match ceiling.at_most_nano_usd {
            Some(nano_usd) => sum = sum.saturating_add(nano_usd),
            None => return Some("unknown".to_owned()),
        }
    }
    (!ceilings.is_empty()).then(|| format!("≤ {}", dollars(sum)))
}
