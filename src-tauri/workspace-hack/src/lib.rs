//! Nothing: the manifest of this crate sets the features of shared dependencies.
