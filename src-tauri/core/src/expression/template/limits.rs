//! The limits of rendering a template.

/// The longest text a template may write, in bytes.
pub const MAX_OUTPUT_BYTES: usize = 8 << 20;
/// Maximum iterations of all `{{#each}}` of a template together.
pub const MAX_ITERATIONS: usize = 100_000;
