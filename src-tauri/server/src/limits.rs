//! What bounds requests: the options of `serve` with their values unless given, and what each of them becomes.

use std::num::NonZeroU32;
use std::time::Duration;

use clap::Args;
use clap::value_parser as range;

use crate::connections::ConnectionTimeouts;

#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// The largest body of a request, in MB.
    #[arg(long, value_name = "MB", default_value_t = 32, value_parser = range!(u32).range(1..=1024))]
    max_body: u32,
    /// How many requests and streams there are at once.
    #[arg(long, value_name = "COUNT", default_value_t = 256, value_parser = range!(u32).range(1..=100_000))]
    max_requests: u32,
    /// How many requests and streams of one tenant there are at once. As many as of all, if left out.
    #[arg(long, value_name = "COUNT", value_parser = range!(u32).range(1..=100_000))]
    requests_per_tenant: Option<u32>,
    /// How many requests a token may send in a minute.
    #[arg(long, value_name = "COUNT", default_value = "1200")]
    requests_per_minute: NonZeroU32,
    /// How many runs that were begun with a token work at once. Those that wait for a person do not count.
    #[arg(long, value_name = "COUNT", default_value_t = 64, value_parser = range!(u32).range(1..=100_000))]
    runs_per_token: u32,
    /// How long a client may take for the head of a request, and for the handshake of TLS, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = range!(u32).range(1..=3600))]
    header_timeout: u32,
    /// How long a client may take for the body of a request, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = range!(u32).range(1..=3600))]
    body_timeout: u32,
    /// How long a client may leave a response unread before its connection is closed, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = range!(u32).range(1..=3600))]
    read_timeout: u32,
    /// How long runs at work may go on when the host is asked to end, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = range!(u32).range(0..=86_400))]
    drain_timeout: u32,
}

impl Limits {
    /// The largest body.
    pub(crate) fn body_bytes(&self) -> u64 {
        u64::from(self.max_body) * 1024 * 1024
    }

    /// How many requests and streams there are at once.
    pub(crate) fn requests(&self) -> usize {
        self.max_requests as usize
    }

    /// How many requests and streams of one tenant there are at once.
    pub(crate) fn requests_per_tenant(&self) -> usize {
        self.requests_per_tenant.unwrap_or(self.max_requests) as usize
    }

    /// How many requests a token may send in a minute.
    pub(crate) fn requests_per_minute(&self) -> NonZeroU32 {
        self.requests_per_minute
    }

    /// How many runs of a token work at once.
    pub(crate) fn runs_per_token(&self) -> usize {
        self.runs_per_token as usize
    }

    /// How long the body of a request may take.
    pub(crate) fn body_timeout(&self) -> Duration {
        seconds(self.body_timeout)
    }

    /// How long runs at work may go on when the host is asked to end.
    pub(crate) fn drain_timeout(&self) -> Duration {
        seconds(self.drain_timeout)
    }

    /// How long the other parts of a connection may take.
    pub(crate) fn connection_timeouts(&self) -> ConnectionTimeouts {
        ConnectionTimeouts { head: seconds(self.header_timeout), write: seconds(self.read_timeout) }
    }
}

fn seconds(count: u32) -> Duration {
    Duration::from_secs(count.into())
}
