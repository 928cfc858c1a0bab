//! The local socket of the owner of a data directory: where it is, who may connect, and what a crash leaves.
//!
//! It stands in a folder of its own, which only the person may enter, and both ends ask the system who the other one is. There is none
//! on systems other than Unix yet: a named pipe would need an access list that keeps other people of the machine out. There, a second
//! process finds the data directory locked.

use std::io;
use std::path::Path;

use tokio::io::{AsyncRead, AsyncWrite};

/// Both directions of a connection.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> Stream for T {}

#[cfg(unix)]
pub(super) use unix::{Listener, connect, listen};

#[cfg(not(unix))]
pub(super) use absent::{Listener, connect, listen};

#[cfg(unix)]
mod unix {
    use std::time::Duration;

    use interprocess::local_socket::tokio::{Listener as SocketListener, Stream as SocketStream};
    use interprocess::local_socket::traits::StreamCommon as _;
    use interprocess::local_socket::traits::tokio::{Listener as _, Stream as _};
    use interprocess::local_socket::{GenericFilePath, ListenerOptions, Name, ToFsName as _};
    use plait_store::owner_socket::OwnerSocket;

    use super::{Path, io};

    /// How long to try to replace a socket.
    const MAX_SPIN_TIME: Duration = Duration::from_secs(1);

    pub(crate) struct Listener {
        listener: SocketListener,
        /// Lives until the socket is removed.
        _socket: OwnerSocket,
    }

    /// Listens at the socket of a data directory, whose lock this process has: a socket that is there was left by a crash.
    pub(crate) fn listen(home: &Path) -> io::Result<Listener> {
        let socket = OwnerSocket::prepare(home)?;
        let options = ListenerOptions::new().name(name(socket.path())?).try_overwrite(true);
        let listener = options.max_spin_time(MAX_SPIN_TIME).create_tokio()?;
        Ok(Listener { listener, _socket: socket })
    }

    /// Connects to the owner of a data directory.
    pub(crate) async fn connect(home: &Path) -> io::Result<SocketStream> {
        let socket = OwnerSocket::of(home)?;
        let stream = SocketStream::connect(name(socket.path())?).await?;
        check_peer(&stream)?;
        Ok(stream)
    }

    impl Listener {
        /// The next client of the same person.
        pub(crate) async fn accept(&self) -> io::Result<SocketStream> {
            let stream = self.listener.accept().await?;
            check_peer(&stream)?;
            Ok(stream)
        }
    }

    /// Refuses processes of other people.
    fn check_peer(stream: &SocketStream) -> io::Result<()> {
        let peer = stream.peer_creds()?.euid();
        if peer == Some(rustix::process::geteuid().as_raw()) {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "another user has the other end of the socket"))
    }

    fn name(path: &Path) -> io::Result<Name<'static>> {
        path.to_owned().to_fs_name::<GenericFilePath>()
    }
}

#[cfg(not(unix))]
mod absent {
    use tokio::io::DuplexStream;

    use super::{Path, io};

    pub(crate) struct Listener(std::convert::Infallible);

    pub(crate) fn listen(_home: &Path) -> io::Result<Listener> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) async fn connect(_home: &Path) -> io::Result<DuplexStream> {
        Err(io::ErrorKind::NotFound.into())
    }

    impl Listener {
        pub(crate) async fn accept(&self) -> io::Result<DuplexStream> {
            match self.0 {}
        }
    }
}
