//! From a flow to text: keys sorted, so that git shows what changed and nothing else.
