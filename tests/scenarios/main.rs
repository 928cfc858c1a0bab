//! Scenarios
