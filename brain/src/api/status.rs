//! The one mapping from error codes to what transports say. No handler picks a status.

use api_types::error::ErrorCode;
use axum::http::StatusCode;

/// A finer HTTP status for an error whose code alone would say too little to proxies and clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refinement {
    /// The code says it all.
    #[default]
    None,
    /// The conflict is with the request's `If-Match`.
    Precondition,
    /// The body is longer than the route's limit.
    BodyTooLarge,
    /// The path exists, the method does not.
    Method,
}

/// HTTP status of an error.
#[must_use]
pub fn http(code: ErrorCode, refinement: Refinement) -> StatusCode {
    match refinement {
        Refinement::None => plain(code),
        Refinement::Precondition => StatusCode::PRECONDITION_FAILED,
        Refinement::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Refinement::Method => StatusCode::METHOD_NOT_ALLOWED,
    }
}

fn plain(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::AlreadyExists | ErrorCode::Conflict => StatusCode::CONFLICT,
        ErrorCode::InvalidArgument => StatusCode::BAD_REQUEST,
        ErrorCode::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorCode::Forbidden => StatusCode::FORBIDDEN,
        ErrorCode::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::Timeout => StatusCode::GATEWAY_TIMEOUT,
        // Nobody reads it; it is for the log. nginx made 499 the custom.
        ErrorCode::Cancelled => StatusCode::from_u16(499).expect("499 is a status"),
        ErrorCode::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Close code of a WebSocket that ends because of an error: 4000 plus the HTTP status where the
/// fault is the client's, a registered code where it is ours.
#[must_use]
pub fn close(code: ErrorCode) -> u16 {
    match code {
        ErrorCode::NotFound => 4404,
        ErrorCode::AlreadyExists | ErrorCode::Conflict => 4409,
        ErrorCode::InvalidArgument => 4400,
        ErrorCode::Unauthenticated => 4401,
        ErrorCode::Forbidden => 4403,
        ErrorCode::TooManyRequests => 4429,
        ErrorCode::Timeout => 4408,
        ErrorCode::Cancelled => 4499,
        ErrorCode::Unavailable => 1013,
        ErrorCode::Internal => 1011,
    }
}

/// Close code for a service that goes away.
pub const CLOSE_GOING_AWAY: u16 = 1001;
/// Close code for a frame beyond the limit.
pub const CLOSE_TOO_BIG: u16 = 1009;
/// Close code at the client's wish.
pub const CLOSE_NORMAL: u16 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: ErrorCode, http_status: u16, close_code: u16) {
        assert_eq!(http(code, Refinement::None).as_u16(), http_status, "{code:?}");
        assert_eq!(close(code), close_code, "{code:?}");
    }

    #[test]
    fn each_code_has_a_status_and_a_close_code() {
        check(ErrorCode::NotFound, 404, 4404);
        check(ErrorCode::AlreadyExists, 409, 4409);
        check(ErrorCode::Conflict, 409, 4409);
        check(ErrorCode::InvalidArgument, 400, 4400);
        check(ErrorCode::Unauthenticated, 401, 4401);
        check(ErrorCode::Forbidden, 403, 4403);
        check(ErrorCode::TooManyRequests, 429, 4429);
        check(ErrorCode::Timeout, 504, 4408);
        check(ErrorCode::Cancelled, 499, 4499);
        check(ErrorCode::Unavailable, 503, 1013);
        check(ErrorCode::Internal, 500, 1011);
    }

    #[test]
    fn refinements_replace_the_status() {
        assert_eq!(http(ErrorCode::Conflict, Refinement::Precondition).as_u16(), 412);
        assert_eq!(http(ErrorCode::InvalidArgument, Refinement::BodyTooLarge).as_u16(), 413);
        assert_eq!(http(ErrorCode::InvalidArgument, Refinement::Method).as_u16(), 405);
    }
}
