//! What the scheduler knows about contexts and the workflow's memory: which nodes make contexts, which may take turns in
//! them, and which read or change the memory.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::NodeIx;
use plait_core::flow::MemoryMode;
use plait_core::id::{ContextId, Epoch, PortName};

/// The index of a context of a plan. A node that makes a context in each of its epochs has one index for all of them.
pub type ContextIx = usize;

/// The contexts that are made and worked in at one place of a plan: by a node, or by all nodes of a cycle and its
/// followers.
#[derive(Clone, Debug, Default)]
pub struct ContextRoles {
    /// The contexts that are made here.
    pub makes: SmallVec<[ContextIx; 1]>,
    /// The contexts in which turns may be taken here.
    pub works_in: SmallVec<[ContextIx; 2]>,
    /// A value that is known only at run time names the context, so turns here may be in any.
    pub works_in_any: bool,
    /// The use of the workflow's memory here, which is ordered like a context. In a cycle, the most of any node.
    pub memory: MemoryMode,
}

impl ContextRoles {
    /// Whether nothing here has to do with contexts or the memory.
    pub fn is_empty(&self) -> bool {
        self.makes.is_empty() && !self.takes_turns() && !self.memory.reads()
    }

    /// Whether turns may be taken here.
    pub fn takes_turns(&self) -> bool {
        self.works_in_any || !self.works_in.is_empty()
    }

    /// Adds the roles of a node that is at this place.
    pub(super) fn merge(&mut self, other: &Self) {
        self.makes.extend(other.makes.iter().copied());
        self.works_in.extend(other.works_in.iter().copied());
        self.works_in_any |= other.works_in_any;
        self.memory = self.memory.max(other.memory);
    }

    pub(super) fn deduplicate(&mut self) {
        for contexts in [self.makes.as_mut_slice(), self.works_in.as_mut_slice()] {
            contexts.sort_unstable();
        }
        self.makes.dedup();
        self.works_in.dedup();
    }
}

/// Where a node gets the context from that it works in.
#[derive(Clone, Debug, Default)]
pub enum ContextSource {
    /// It works in none, or its context edge says which.
    #[default]
    Edge,
    /// Its config or an override names it.
    Name(ContextId),
    /// The value on this input names it. Without a value, its context edge does.
    Input(PortName),
}

/// The contexts of a scope by their names, which count the epochs of its cycles and not those around it.
#[derive(Clone, Debug, Default)]
pub struct PlanContexts {
    /// By context, the node that makes it.
    pub(super) makers: Vec<NodeIx>,
    /// The contexts with makers that run once.
    pub(super) made_once: FxHashMap<ContextId, ContextIx>,
    /// The contexts with makers that run in each iteration of a cycle, by the name without the epoch.
    pub(super) made_per_epoch: FxHashMap<ContextId, ContextIx>,
    /// The contexts that are made outside of the scope, by the name without the epoch.
    pub(super) outer: FxHashMap<ContextId, OuterContext>,
}

/// A context that is made outside of a scope and used in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OuterContext {
    pub index: ContextIx,
    /// How many cycles are around its maker in the scope that makes it: the counters in its name.
    pub counters: usize,
}

impl PlanContexts {
    /// How many contexts the scope uses.
    pub fn len(&self) -> usize {
        self.makers.len() + self.outer.len()
    }

    /// Whether the scope uses no context.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The context of this name that is made outside of the scope. Nothing if it is known only at run time that the scope
    /// uses it.
    pub fn find_outer(&self, name: &ContextId) -> Option<ContextIx> {
        let with_counters = |name: &str, counters: usize| {
            self.outer.get(name).filter(|context| context.counters == counters).map(|context| context.index)
        };
        with_counters(name.as_str(), 0).or_else(|| {
            let (maker, counters) = split_counters(name)?;
            with_counters(maker, counters.len())
        })
    }

    /// The node of the scope that makes a context. None for one from outside.
    pub fn maker_here(&self, context: ContextIx) -> Option<NodeIx> {
        self.makers.get(context).copied()
    }

    /// The node of the scope that makes a context, which is not from outside.
    pub fn maker(&self, context: ContextIx) -> NodeIx {
        self.makers[context]
    }

    /// Which context has this name, and in which epoch of its maker it is made, where `around` is the epoch of the scope. Nothing
    /// if no node of the scope makes it.
    pub fn find(&self, name: &ContextId, around: &Epoch) -> Option<(ContextIx, Epoch)> {
        if let Some(&context) = self.made_once.get(name) {
            return Some((context, around.clone()));
        }
        let (maker, counters) = split_counters(name)?;
        let made_in = Epoch(around.0.iter().copied().chain(counters).collect());
        Some((*self.made_per_epoch.get(maker)?, made_in))
    }
}

/// The maker and the counters of its cycles in the name of a context that is made once per epoch: `critic` and 2 in `critic#2`.
fn split_counters(name: &ContextId) -> Option<(&str, SmallVec<[u32; 4]>)> {
    let (maker, counters) = name.as_str().rsplit_once('#')?;
    Some((maker, counters.split('.').map(str::parse).collect::<Result<_, _>>().ok()?))
}
