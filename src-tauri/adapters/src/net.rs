//! Requests to addresses that a flow or a model chose. Everything that sends one uses [`GuardedClient`].

mod address_guard;
mod guarded_client;
mod loopback;

pub use address_guard::{AddressPolicy, AllowedHost};
pub use guarded_client::GuardedClient;
pub(crate) use guarded_client::{GuardedRequest, GuardedResponse, host_of, shorten};
pub(crate) use loopback::is_loopback;
