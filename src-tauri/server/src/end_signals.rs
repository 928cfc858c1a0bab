//! The signals that ask a host or a worker to end.

use plait_api::ErrorReply;

use crate::codes;

/// What asks the process to end: Ctrl+C, or the system. While this exists, neither ends it at once.
pub(crate) struct EndSignals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(windows)]
    ctrl_c: tokio::signal::windows::CtrlC,
}

impl EndSignals {
    /// `host.address` if the system refuses to tell of them.
    pub(crate) fn listen() -> Result<Self, ErrorReply> {
        let cannot = |error: std::io::Error| {
            let message = format!("The process cannot listen for the signals to end: {error}.");
            ErrorReply::new(codes::HOST_ADDRESS, message)
        };
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let interrupt = signal(SignalKind::interrupt()).map_err(cannot)?;
            let terminate = signal(SignalKind::terminate()).map_err(cannot)?;
            Ok(Self { interrupt, terminate })
        }
        #[cfg(windows)]
        {
            Ok(Self { ctrl_c: tokio::signal::windows::ctrl_c().map_err(cannot)? })
        }
    }

    /// Resolves when the process is asked the next time.
    pub(crate) async fn next(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        #[cfg(windows)]
        let _ = self.ctrl_c.recv().await;
    }
}
