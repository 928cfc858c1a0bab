//! The bodies of loops that other tools draw as cycles: the nodes on the way from an output of a loop back to it.

/// A loop by the number of its node, and the numbers of the nodes in its body.
pub(super) struct LoopBody {
    pub(super) start: usize,
    pub(super) nodes: Vec<usize>,
}

impl LoopBody {
    /// The nodes behind the first nodes of a body that are not also behind the loop.
    pub(super) fn find<'n, Next: Iterator<Item = usize> + 'n>(
        start: usize,
        count: usize,
        (repeated, following): (Vec<usize>, Vec<usize>),
        next: impl Fn(usize) -> Next + 'n,
    ) -> Self {
        let after = |mut stack: Vec<usize>| {
            let mut found = vec![false; count];
            while let Some(node) = stack.pop() {
                if node != start && !std::mem::replace(&mut found[node], true) {
                    stack.extend(next(node));
                }
            }
            found
        };
        let (inside, outside) = (after(repeated), after(following));
        Self { start, nodes: (0..count).filter(|&node| inside[node] && !outside[node]).collect() }
    }
}

/// The innermost loop that each node is in the body of.
pub(super) fn innermost(count: usize, mut bodies: Vec<LoopBody>) -> Vec<Option<usize>> {
    // A loop inside of another one has a part of its nodes.
    bodies.sort_by_key(|body| body.nodes.len());
    let mut loop_of: Vec<Option<usize>> = vec![None; count];
    for LoopBody { start, nodes } in &bodies {
        for &node in nodes {
            loop_of[node].get_or_insert(*start);
        }
    }
    // Loops that are in the bodies of each other are in none.
    for LoopBody { start, .. } in &bodies {
        let mut outer = loop_of[*start];
        for _ in 0..bodies.len() {
            match outer {
                Some(at) if at == *start => {
                    loop_of[*start] = None;
                    break;
                }
                Some(at) => outer = loop_of[at],
                None => break,
            }
        }
    }
    loop_of
}
