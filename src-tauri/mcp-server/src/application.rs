//! The application, for as long as it is needed.
//!
//! An MCP server may be there all day, and one process owns a data directory. So the server holds the directory only while a tool is at
//! work or a run goes on: in between, the window can be opened.

use std::sync::Arc;

use plait_api::{Connection, ErrorReply, Opening};

/// Opens the application when it is needed.
pub(crate) struct Application {
    opening: Box<dyn Fn() -> Opening + Send + Sync>,
    state: tokio::sync::Mutex<State>,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    uses: usize,
}

impl Application {
    pub(crate) fn new(opening: Box<dyn Fn() -> Opening + Send + Sync>) -> Arc<Self> {
        Arc::new(Self { opening, state: tokio::sync::Mutex::default() })
    }

    /// The application, which stays open until the [`InUse`] is dropped. The errors of [`Connection::open`].
    pub(crate) async fn in_use(self: &Arc<Self>) -> Result<InUse, ErrorReply> {
        let mut state = self.state.lock().await;
        let connection = match &state.connection {
            Some(connection) => Arc::clone(connection),
            None => Arc::new(Connection::open((self.opening)()).await?),
        };
        state.connection = Some(Arc::clone(&connection));
        state.uses += 1;
        Ok(InUse { application: Arc::clone(self), connection })
    }

    async fn leave(&self) {
        let mut state = self.state.lock().await;
        state.uses = state.uses.saturating_sub(1);
        if state.uses == 0
            && let Some(connection) = state.connection.take()
        {
            // The next use opens it again, and reports what is wrong then.
            drop(connection.close().await);
        }
    }

    /// Closes the application, also if something uses it: its runs can be resumed.
    pub(crate) async fn close(&self) -> Result<(), ErrorReply> {
        match self.state.lock().await.connection.take() {
            Some(connection) => connection.close().await,
            None => Ok(()),
        }
    }
}

/// The open application. Keeps it open.
pub(crate) struct InUse {
    application: Arc<Application>,
    connection: Arc<Connection>,
}

impl std::ops::Deref for InUse {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        // A client may give a request up at any point, so this cannot wait here.
        let application = Arc::clone(&self.application);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { application.leave().await });
        }
    }
}
