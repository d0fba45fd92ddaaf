//! REST. One table of routes makes the router, the OpenAPI document and the test of authorisation.

mod call;
mod dispatch;
mod documents;
mod meta;
pub mod openapi;
mod recipes;
mod reply;
pub mod route;
mod sessions;
mod skills;

pub use call::{PAGE_ROWS_DEFAULT, PARAM_BYTES_MAX, REACH_TIME_MAX};
pub(super) use dispatch::error_response;
pub use dispatch::{QUERY_BYTES_MAX, router};

use route::Route;

/// All routes, by noun.
pub fn routes() -> impl Iterator<Item = &'static Route> {
    [meta::ROUTES, documents::ROUTES, skills::ROUTES, recipes::ROUTES, sessions::ROUTES]
        .into_iter()
        .flatten()
}
