//! The window scenarios.
