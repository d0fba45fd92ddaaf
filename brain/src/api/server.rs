//! Runs the transports, and drains them.

use std::sync::Arc;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use super::{Services, rest, ws};

/// All paths of the service.
pub fn router(services: &Arc<Services>) -> Router {
    rest::router(services).merge(ws::router(services))
}

/// Serves until the services' tasks are told to stop; then takes no more connections, lets open
/// requests end, closes the WebSockets with a reason, and returns when the last one is gone.
///
/// # Errors
/// When the listener fails.
pub async fn serve(listener: TcpListener, services: Arc<Services>) -> std::io::Result<()> {
    let stop = services.tasks.stopping();
    let listener = listener.tap_io(|stream| {
        // Events are small and must not wait for more. Failing is harmless.
        drop(stream.set_nodelay(true));
    });
    let app = router(&services);
    axum::serve(listener, app).with_graceful_shutdown(stop.cancelled_owned()).await?;
    services.sockets.close();
    services.sockets.wait().await;
    Ok(())
}
