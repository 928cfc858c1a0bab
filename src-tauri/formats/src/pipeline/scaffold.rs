//! New pipelines, to begin with.

/// The text of a new pipeline: two steps, or a conversation in a loop.
pub fn scaffold(with_loop: bool) -> &'static str {
    if with_loop { include_str!("scaffold/loop.yaml") } else { include_str!("scaffold/steps.yaml") }
}
