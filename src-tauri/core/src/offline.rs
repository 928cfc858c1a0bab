//! The names of the offline provider, a built-in simulator without key and network, and of its models.

/// The provider of a context that names none: a built-in simulator without key and network.
pub const OFFLINE: &str = "offline";
/// The offline provider's model that repeats the message it receives.
pub const ECHO: &str = "echo";
/// The same for a single prompt: it takes no messages before it.
pub const PROMPT: &str = "prompt";
/// The model that replies from its options.
pub const SCRIPT: &str = "script";
/// All of its models.
pub const MODELS: [&str; 3] = [ECHO, PROMPT, SCRIPT];
