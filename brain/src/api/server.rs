//! Runs the transports, and drains them.

use std::sync::Arc;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{Services, rest, ws};

/// All paths of the service.
pub fn router(services: &Arc<Services>) -> Router {
    rest::router(services).merge(ws::router(services))
}

/// Serves until `stop`; then takes no more connections, lets open requests end, and returns. The
/// WebSockets close with a reason when the services' tasks are told to stop, which waits for them.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    services: Arc<Services>,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let listener = listener.tap_io(|stream| {
        // Events are small and must not wait for more. Failing is harmless.
        drop(stream.set_nodelay(true));
    });
    let app = router(&services);
    axum::serve(listener, app).with_graceful_shutdown(stop.cancelled_owned()).await
}
