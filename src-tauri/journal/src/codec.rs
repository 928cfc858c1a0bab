//! The JSON form of events and entries.
//!
//! On the wire an entry is one flat object: `{"seq", "at", "type", "node", "epoch", …}`. The `type` decides the group of the
//! event and its variant; `node` and `epoch` name the activation. Readers accept any order of keys; with `type` before
//! the keys it decides about, as it is written here, they need not look ahead. Unknown keys are ignored.

mod read;
mod write;

pub(crate) use read::names_activation;

#[cfg(test)]
mod tests;
