//! Ctrl+C as an async event. A press is not lost while the process is busy.

use std::io;

#[cfg(unix)]
type Signal = tokio::signal::unix::Signal;
#[cfg(windows)]
type Signal = tokio::signal::windows::CtrlC;

pub(crate) struct CtrlC(Signal);

impl CtrlC {
    /// Starts to listen. From now on Ctrl+C no longer ends the process.
    pub(crate) fn listen() -> io::Result<Self> {
        #[cfg(unix)]
        let signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
        #[cfg(windows)]
        let signal = tokio::signal::windows::ctrl_c()?;
        Ok(Self(signal))
    }

    /// Resolves when Ctrl+C was pressed since the last call.
    pub(crate) async fn pressed(&mut self) {
        if self.0.recv().await.is_none() {
            // No more signals can arrive.
            std::future::pending::<()>().await;
        }
    }
}
