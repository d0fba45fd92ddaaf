//! Encryption, verified as the operating system does.

use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Wraps a connection.
pub(super) async fn wrap(stream: TcpStream, host: &str) -> Result<TlsStream<TcpStream>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(|error| format!("TLS: {error}"))?
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(|error| format!("TLS: {error}"))?;
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, stream).await.map_err(|error| format!("TLS: {error}"))
}
