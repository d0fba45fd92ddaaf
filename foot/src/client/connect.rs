//! Opening a WebSocket.

use std::time::Duration;

use api_types::error::ErrorBody;
use api_types::frames::{FRAME_BYTES_MAX, headers};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};

use super::{Error, refused_by_status, tls};
use crate::config::Settings;

/// Longest wait for a connection and for its upgrade, each.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
/// Read and write buffers, in bytes.
const BUFFER_BYTES: usize = 16 * 1024;
/// Largest frame from the brain, in bytes: its events carry whole messages with their envelopes.
const INBOUND_BYTES_MAX: usize = 4 * FRAME_BYTES_MAX;

/// Bytes in both directions, encrypted or not.
pub(super) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A WebSocket to the brain.
pub(super) type Socket = WebSocketStream<Box<dyn Io>>;

/// Opens a WebSocket.
pub(super) async fn connect(settings: &Settings) -> Result<Socket, Error> {
    let request = request(settings)?;
    let unreachable = |problem: String| Error::Unreachable { url: settings.url.clone(), problem };
    let stream = within(tcp(settings)).await.map_err(unreachable)?;
    let config = WebSocketConfig::default()
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_write_buffer_size(4 * FRAME_BYTES_MAX)
        .max_message_size(Some(INBOUND_BYTES_MAX))
        .max_frame_size(Some(INBOUND_BYTES_MAX));
    let upgrade = tokio_tungstenite::client_async_with_config(request, stream, Some(config));
    match tokio::time::timeout(CONNECT_TIME_MAX, upgrade).await {
        Ok(Ok((socket, _))) => Ok(socket),
        Ok(Err(tungstenite::Error::Http(response))) => Err(refused(settings, &response)),
        Ok(Err(error)) => Err(unreachable(error.to_string())),
        Err(_) => Err(unreachable(too_late())),
    }
}

fn too_late() -> String {
    format!("no answer within {} s", CONNECT_TIME_MAX.as_secs())
}

async fn within<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    tokio::time::timeout(CONNECT_TIME_MAX, work).await.unwrap_or_else(|_| Err(too_late()))
}

async fn tcp(settings: &Settings) -> Result<Box<dyn Io>, String> {
    let url = &settings.url;
    let stream = TcpStream::connect((url.host(), url.port())).await;
    let stream = stream.map_err(|error| error.to_string())?;
    // A request is one small write that shall not wait for another one.
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    if url.tls() {
        Ok(Box::new(tls::wrap(stream, url.host()).await?))
    } else {
        Ok(Box::new(stream))
    }
}

fn request(settings: &Settings) -> Result<Request, Error> {
    let url = settings.url.web_socket(&format!("/brain/{}/ws", settings.tenant));
    let protocol = |problem: String| Error::Protocol { url: settings.url.clone(), problem };
    let mut request = url.into_client_request().map_err(|error| protocol(error.to_string()))?;
    let mut header = |name: &'static str, value: &str| {
        let value = HeaderValue::from_str(value).map_err(|error| protocol(error.to_string()))?;
        request.headers_mut().insert(name, value);
        Ok::<(), Error>(())
    };
    header("authorization", &settings.token.authorization())?;
    header("x-vance-profile", settings.profile.as_str())?;
    header("x-vance-client-version", env!("CARGO_PKG_VERSION"))?;
    header("x-vance-client-name", "foot")?;
    debug_assert!(headers::PROFILE.eq_ignore_ascii_case("x-vance-profile"));
    Ok(request)
}

fn refused(settings: &Settings, response: &tungstenite::http::Response<Option<Vec<u8>>>) -> Error {
    let body = response.body().as_deref().unwrap_or_default();
    if let Ok(body) = serde_json::from_slice::<ErrorBody>(body) {
        return Error::Refused(Box::new(body));
    }
    let status = response.status();
    let message = match status.as_u16() {
        401 => format!(
            "the brain at {} does not accept the token; log in again (`foot login`)",
            settings.url
        ),
        403 => format!("the token does not allow to use tenant {}", settings.tenant),
        404 => format!("the brain at {} has no tenant {}", settings.url, settings.tenant),
        _ => format!("the brain at {} answers {status} instead of a WebSocket", settings.url),
    };
    refused_by_status(status.as_u16(), message)
}

/// A text frame.
pub(super) fn text(text: String) -> Message {
    Message::Text(text.into())
}
