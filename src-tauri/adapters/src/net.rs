//! Requests to addresses that a flow or a model chose. Everything that sends one uses [`GuardedClient`].

mod address_guard;
mod causes;
mod guarded_client;
mod loopback;

pub use address_guard::{AddressPolicy, AllowedHost};
pub(crate) use causes::{causes, innermost_cause, with_causes};
pub use guarded_client::GuardedClient;
pub(crate) use guarded_client::{GuardedRequest, GuardedResponse, host_of, shorten};
pub(crate) use loopback::is_loopback;
