//! How many requests each token sends in a minute.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, MonotonicClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use plait_api::ErrorReply;
use serde_json::json;

use crate::codes;
use crate::failure::RETRY_AFTER_DETAIL;

/// The latest requests of each token, by its id. Tokens are few, so none is forgotten.
pub(crate) struct RequestRate<C: Clock = MonotonicClock> {
    limiter: RateLimiter<String, HashMapStateStore<String>, C, NoOpMiddleware<C::Instant>>,
    clock: C,
    per_minute: NonZeroU32,
}

impl RequestRate {
    pub(crate) fn new(per_minute: NonZeroU32) -> Self {
        Self::with_clock(per_minute, MonotonicClock)
    }
}

impl<C: Clock + Clone> RequestRate<C> {
    fn with_clock(per_minute: NonZeroU32, clock: C) -> Self {
        let limiter = RateLimiter::hashmap_with_clock(Quota::per_minute(per_minute), clock.clone());
        Self { limiter, clock, per_minute }
    }

    /// Counts a request of the token with this id. `host.rate` for one too many, with the time after which another one is let through.
    pub(crate) fn count(&self, token: &str) -> Result<(), ErrorReply> {
        let Err(refused) = self.limiter.check_key(&token.to_owned()) else { return Ok(()) };
        let wait = refused.wait_time_from(self.clock.now()).max(Duration::from_secs(1));
        // Rounded up: a request sent after exactly this time is let through.
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let message = format!("The token has sent more than {} requests in a minute.", self.per_minute);
        Err(ErrorReply::new(codes::HOST_RATE, message)
            .hint(format!("Send the request again in {seconds} s."))
            .details(json!({ RETRY_AFTER_DETAIL: seconds })))
    }
}

#[cfg(test)]
mod tests;
