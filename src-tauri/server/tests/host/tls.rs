//! TLS: certificates that are renewed while the host runs, and those that it does not start with.

use std::path::{Path, PathBuf};

use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use reqwest::{Certificate, Client};

use crate::process::{Data, command};

/// A certificate for 127.0.0.1 that nobody has signed but itself.
struct Issued {
    certificate: String,
    key: String,
}

impl Issued {
    fn of(change: impl FnOnce(&mut CertificateParams)) -> Self {
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        Self { certificate: params.self_signed(&key).unwrap().pem(), key: key.serialize_pem() }
    }

    fn new() -> Self {
        Self::of(|_| {})
    }

    fn write(&self, folder: &Path) -> [PathBuf; 2] {
        let files = [folder.join("host.crt"), folder.join("host.key")];
        std::fs::write(&files[0], &self.certificate).unwrap();
        std::fs::write(&files[1], &self.key).unwrap();
        files
    }

    /// The status of a request of a client that trusts this certificate only.
    async fn status(&self, url: &str) -> Option<u16> {
        let trusted = Certificate::from_pem(self.certificate.as_bytes()).unwrap();
        let client = Client::builder().tls_certs_only([trusted]).build().unwrap();
        let url = url.replace("0.0.0.0", "127.0.0.1");
        client.get(format!("{url}/healthz")).send().await.ok().map(|response| response.status().as_u16())
    }
}

fn args([certificate, key]: &[PathBuf; 2]) -> [&str; 4] {
    ["--tls-certificate", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()]
}

#[tokio::test]
async fn renewed_certificate_is_used_without_a_restart() {
    let (data, first, second) = (Data::new(), Issued::new(), Issued::new());
    let files = first.write(data.path());
    // Others than this machine reach a host that encrypts.
    let host = data.serve_at("0.0.0.0:0", &args(&files));
    assert!(host.url.starts_with("https://"), "{}", host.url);
    assert_eq!(first.status(&host.url).await, Some(200));
    assert_eq!(second.status(&host.url).await, None);

    // Half of a renewal, and one that went wrong, leave the certificate in force.
    std::fs::write(&files[0], &second.certificate).unwrap();
    assert_eq!(first.status(&host.url).await, Some(200));
    std::fs::remove_file(&files[1]).unwrap();
    assert_eq!(first.status(&host.url).await, Some(200));
    second.write(data.path());
    assert_eq!(second.status(&host.url).await, Some(200));
    assert_eq!(first.status(&host.url).await, None);
}

#[test]
fn certificate_that_cannot_be_used_is_refused_before_the_host_listens() {
    let data = Data::new();
    let refused = |files: &[PathBuf; 2]| {
        let serve = ["serve", "--embedded", "--listen", "127.0.0.1:0"];
        let output = command(data.path(), &[&serve[..], &args(files)].concat()).output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("[host.certificate]"), "{error}");
        error
    };
    let (good, other) = (Issued::new(), Issued::new());
    let expired = Issued::of(|params| params.not_after = date_time_ymd(2020, 2, 1));
    let error = refused(&expired.write(data.path()));
    assert!(error.contains("has expired: it was valid until 2020-02-01"), "{error}");
    let early = Issued::of(|params| params.not_before = date_time_ymd(2999, 1, 1));
    assert!(refused(&early.write(data.path())).contains("is not valid yet"));

    let [certificate, key] = good.write(data.path());
    std::fs::write(&key, &other.key).unwrap();
    assert!(refused(&[certificate.clone(), key.clone()]).contains("is not that of the certificate"));
    assert!(refused(&[certificate.clone(), data.path().join("none.key")]).contains("cannot be read"));
    assert!(refused(&[data.path().join("none.crt"), key.clone()]).contains("cannot be read"));
    assert!(refused(&[key.clone(), key]).contains("There is no certificate in"));
}
