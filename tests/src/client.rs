//! A WebSocket client that sends what it is told and shows what it gets.

use std::time::Duration;

use anyhow::{Context, bail, ensure};
use api_types::frames::headers;
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async_with_config};

use crate::node::Bootstrap;

/// How long a test waits for a frame.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// What a connection reads at once, in bytes.
const BUFFER_BYTES: usize = 4 * 1024;

/// A connection.
pub struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    next_id: u64,
    /// Cursor of the last push that had one.
    pub cursor: Option<String>,
    /// Frames that were read while another was waited for.
    pub seen: Vec<Value>,
}

impl Client {
    /// Connects as the bootstrap's user and reads the welcome.
    ///
    /// # Errors
    /// The upgrade is refused.
    pub async fn connect(to: &Bootstrap) -> anyhow::Result<Self> {
        let address = to.url.strip_prefix("http://").context("plain http only")?;
        let url = format!("ws://{address}/brain/{}/ws", to.tenant);
        let mut request = url.into_client_request()?;
        let map = request.headers_mut();
        map.insert("Authorization", format!("Bearer {}", to.token).parse()?);
        map.insert(headers::PROFILE, "foot".parse()?);
        map.insert(headers::CLIENT_VERSION, "0.0.0".parse()?);
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        // The default is 128 KiB for each connection: too much for thousands in one process.
        let config = WebSocketConfig::default().read_buffer_size(BUFFER_BYTES);
        let stream = MaybeTlsStream::Plain(stream);
        let (socket, _) = client_async_with_config(request, stream, Some(config)).await?;
        let mut client = Self { socket, next_id: 0, cursor: None, seen: Vec::new() };
        client.until(|frame| frame["type"] == "welcome").await?;
        Ok(client)
    }

    /// Sends a request and returns its reply; an `error` reply is an error.
    ///
    /// # Errors
    /// The service refuses, or the connection breaks.
    pub async fn ask(&mut self, kind: &str, data: Value) -> anyhow::Result<Value> {
        let reply = self.ask_raw(kind, data).await?;
        if reply["type"] == "error" {
            bail!("{kind} was refused: {reply}")
        } else {
            Ok(reply["data"].clone())
        }
    }

    /// Sends a request and returns its reply frame, whatever it is.
    ///
    /// # Errors
    /// The connection breaks.
    pub async fn ask_raw(&mut self, kind: &str, data: Value) -> anyhow::Result<Value> {
        let id = self.send(kind, data).await?;
        self.until(|frame| frame["replyTo"] == id.as_str()).await
    }

    /// Sends a message to the chat process and waits for the end of its turn, without looking into
    /// other frames: for benchmarks.
    ///
    /// # Errors
    /// The turn is not done, or the connection breaks.
    pub async fn turn(&mut self, message: &str) -> anyhow::Result<()> {
        self.send("process-steer", json!({"processName": "chat", "content": message})).await?;
        let closed = timeout(PATIENCE, self.text_with("\"type\":\"turn-closed\"")).await;
        let closed = closed.context("the turn does not end")??;
        ensure!(closed.contains("\"outcome\":\"DONE\""), "{closed}");
        Ok(())
    }

    /// The next text that contains this.
    async fn text_with(&mut self, part: &str) -> anyhow::Result<Utf8Bytes> {
        loop {
            match self.socket.next().await.context("the connection closed")?? {
                Message::Text(text) if text.contains(part) => return Ok(text),
                Message::Text(text) => {
                    ensure!(!text.contains("\"type\":\"error\""), "{text}");
                }
                Message::Close(reason) => bail!("closed: {reason:?}"),
                _ => {}
            }
        }
    }

    /// Sends a request and does not wait.
    ///
    /// # Errors
    /// The connection breaks.
    pub async fn send(&mut self, kind: &str, data: Value) -> anyhow::Result<String> {
        self.next_id += 1;
        let id = self.next_id.to_string();
        let frame =
            json!({"channel": "session", "payload": {"id": id, "type": kind, "data": data}});
        self.send_text(frame.to_string()).await?;
        Ok(id)
    }

    /// Sends any text.
    ///
    /// # Errors
    /// The connection breaks.
    pub async fn send_text(&mut self, text: String) -> anyhow::Result<()> {
        Ok(self.socket.send(Message::text(text)).await?)
    }

    /// Reads frames until one is wanted; keeps the others in [`Client::seen`].
    ///
    /// # Errors
    /// It does not come in time, or the connection closes.
    pub async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> anyhow::Result<Value> {
        let wait = async {
            loop {
                let frame = self.frame().await?;
                if wanted(&frame) {
                    return Ok(frame);
                }
                self.seen.push(frame);
            }
        };
        let result: anyhow::Result<Value> = match timeout(PATIENCE, wait).await {
            Ok(result) => result,
            Err(_) => bail!("no such frame in {PATIENCE:?}"),
        };
        result.with_context(|| format!("seen: {}", json!(self.seen)))
    }

    /// The next inner frame.
    async fn frame(&mut self) -> anyhow::Result<Value> {
        loop {
            match self.socket.next().await.context("the connection closed")?? {
                Message::Text(text) => {
                    let mut outer: Value = serde_json::from_str(&text)?;
                    let inner = outer["payload"].take();
                    if let Some(cursor) = inner["cursor"].as_str() {
                        self.cursor = Some(cursor.to_owned());
                    }
                    return Ok(inner);
                }
                Message::Close(reason) => bail!("closed: {reason:?}"),
                _ => {}
            }
        }
    }
}
