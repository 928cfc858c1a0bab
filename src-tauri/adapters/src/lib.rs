//! What touches the outside: model providers, their keys, tools, the store, flow files and the clock. One file (or folder) per thing.
//!
//! Owns the implementations of the traits the engine declares. Refuses to decide anything about flows: what runs when,
//! what a prompt holds and what an event means are the engine's.

pub mod clock;
pub mod files;
pub mod hash;
pub mod keys;
pub mod providers;
pub mod store;
pub mod tools;

pub use clock::SystemClock;
pub use keys::KeyStore;
pub use providers::{ProviderSettings, ProviderTable};
pub use store::{Store, record::RunRecord};
pub use tools::{GuardedTools, NativeTools};
