//! The certificate of the host and its key, read again when their files have changed: a renewal needs no restart.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::Mutex;
use plait_api::ErrorReply;
use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use x509_parser::parse_x509_certificate;

use crate::codes;
use crate::file_stamp::FileStamp;

/// Where the certificate with its chain and its private key are, both in PEM.
#[derive(Clone, Debug)]
pub(crate) struct CertificateFiles {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

/// What both files were when they were read; nothing while one of them is missing.
type Stamps = Option<(FileStamp, FileStamp)>;

/// The certificate in force. Each handshake looks whether the files have changed. Files that cannot be used leave the certificate before
/// them in force: a renewal replaces two files, one after the other.
pub(crate) struct ServedCertificate {
    files: CertificateFiles,
    provider: Arc<CryptoProvider>,
    current: Mutex<Current>,
}

struct Current {
    stamps: Stamps,
    key: Arc<CertifiedKey>,
    expires_at: Timestamp,
}

impl ServedCertificate {
    /// Reads the files. `host.certificate` for files that are missing, do not belong together or are not valid now.
    pub(crate) fn read(files: CertificateFiles) -> Result<Arc<Self>, ErrorReply> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let current = Mutex::new(files.read(&provider)?);
        Ok(Arc::new(Self { files, provider, current }))
    }

    /// The settings of TLS with this certificate.
    pub(crate) fn server_config(self: &Arc<Self>) -> Result<ServerConfig, ErrorReply> {
        let builder = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&self.files.certificate, &error))?;
        let mut config = builder.with_no_client_auth().with_cert_resolver(Arc::<Self>::clone(self));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }

    /// When the certificate in force expires.
    pub(crate) fn expires_at(&self) -> Timestamp {
        self.current.lock().expires_at
    }

    fn current(&self) -> Arc<CertifiedKey> {
        let mut current = self.current.lock();
        let stamps = self.files.stamps();
        if stamps != current.stamps {
            match self.files.read(&self.provider) {
                Ok(renewed) => {
                    eprintln!("The certificate was renewed. It expires {:.0}.", renewed.expires_at);
                    *current = renewed;
                }
                Err(error) => {
                    eprintln!("warning: The certificate before stays in force: {error}");
                    current.stamps = stamps;
                }
            }
        }
        Arc::clone(&current.key)
    }
}

impl ResolvesServerCert for ServedCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

impl fmt::Debug for ServedCertificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ServedCertificate").field("files", &self.files).finish_non_exhaustive()
    }
}

impl CertificateFiles {
    fn stamps(&self) -> Stamps {
        Some((FileStamp::of(&self.certificate).ok()?, FileStamp::of(&self.key).ok()?))
    }

    fn read(&self, provider: &CryptoProvider) -> Result<Current, ErrorReply> {
        // Taken first: files that change meanwhile are read again.
        let stamps = self.stamps();
        let chain = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| not_pem(&self.certificate, "certificate", &error))?;
        let Some(own) = chain.first() else {
            return Err(not_pem(&self.certificate, "certificate", &pem::Error::NoItemsFound));
        };
        let expires_at = valid_until(&self.certificate, own)?;
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .map_err(|error| not_pem(&self.key, "private key", &error))?;
        let key = CertifiedKey::from_der(chain, key, provider).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => {
                let (key, certificate) = (self.key.display(), self.certificate.display());
                let message =
                    format!("The key in `{key}` is not that of the certificate in `{certificate}`.");
                refused(message, "Give the key with which this certificate was requested.")
            }
            error => unusable(&self.key, &error),
        })?;
        Ok(Current { stamps, key: Arc::new(key), expires_at })
    }
}

/// Until when a certificate is valid. `host.certificate` for one that is not valid now.
fn valid_until(path: &Path, certificate: &CertificateDer<'_>) -> Result<Timestamp, ErrorReply> {
    let (_, parsed) = parse_x509_certificate(certificate).map_err(|error| unusable(path, &error))?;
    let moment = |seconds: i64| Timestamp::from_second(seconds).map_err(|error| unusable(path, &error));
    let validity = parsed.validity();
    let (from, until) = (moment(validity.not_before.timestamp())?, moment(validity.not_after.timestamp())?);
    let (now, path) = (Timestamp::now(), path.display());
    if now > until {
        let message = format!("The certificate in `{path}` has expired: it was valid until {until:.0}.");
        return Err(refused(message, "Renew the certificate."));
    }
    if now < from {
        let message = format!("The certificate in `{path}` is not valid yet: it will be from {from:.0}.");
        return Err(refused(
            message,
            "Use another certificate until then, or set the clock of this machine.",
        ));
    }
    Ok(until)
}

fn not_pem(path: &Path, what: &str, error: &pem::Error) -> ErrorReply {
    let place = path.display();
    match error {
        pem::Error::Io(error) => refused(
            format!("The {what} `{place}` cannot be read: {error}."),
            "Name a file that the host may read.",
        ),
        pem::Error::NoItemsFound => refused(
            format!("There is no {what} in `{place}`."),
            "Name a file in PEM: it has a line with BEGIN.",
        ),
        error => unusable(path, error),
    }
}

fn unusable(path: &Path, error: &dyn fmt::Display) -> ErrorReply {
    let message = format!("`{}` cannot be used for TLS: {error}.", path.display());
    refused(message, "Name a certificate with its chain and its private key, both in PEM.")
}

fn refused(message: String, hint: &str) -> ErrorReply {
    ErrorReply::new(codes::HOST_CERTIFICATE, message).hint(hint)
}
