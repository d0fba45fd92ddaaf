//! One request, authenticated, with getters that parse its parameters.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use api_types::error::ErrorCode;
use api_types::ids::{ProjectId, Revision};
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::route::Route;
use crate::api::Services;
use crate::api::error::{ApiError, Result};
use crate::ctx::OpCtx;
use crate::port::{PAGE_ROWS_MAX, Page};

/// Rows of a page whose caller names no limit.
pub const PAGE_ROWS_DEFAULT: u32 = 100;
/// Longest wait for a revision that a request demands: one that nobody ever writes must end.
pub const REACH_TIME_MAX: Duration = Duration::from_secs(5);
/// Time between two looks at a project's revision.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Longest value of a parameter that is free text, in bytes.
pub const PARAM_BYTES_MAX: usize = 2 * 1024;

/// One request.
pub struct Call {
    /// The services.
    pub services: Arc<Services>,
    /// Who asks, until when.
    pub ctx: OpCtx,
    /// The route.
    pub route: &'static Route,
    /// Parameters of the path, decoded.
    pub path: Vec<(String, String)>,
    /// Parameters of the query, decoded; each is known to the route and there once.
    pub query: Vec<(String, String)>,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Call {
    /// A parameter of the path.
    ///
    /// # Errors
    /// `InvalidArgument` that names the parameter.
    pub fn in_path<T: FromStr<Err: std::fmt::Display>>(&self, name: &str) -> Result<T> {
        let value = find(&self.path, name).unwrap_or_default();
        parse(name, value)
    }

    /// A parameter of the query.
    ///
    /// # Errors
    /// `InvalidArgument` that names the parameter, also when it is absent.
    pub fn required<T: FromStr<Err: std::fmt::Display>>(&self, name: &str) -> Result<T> {
        self.optional(name)?.ok_or_else(|| {
            ApiError::invalid(format!("the query lacks `{name}`")).because("missing_parameter")
        })
    }

    /// A parameter of the query that may be absent.
    ///
    /// # Errors
    /// `InvalidArgument` that names the parameter.
    pub fn optional<T: FromStr<Err: std::fmt::Display>>(&self, name: &str) -> Result<Option<T>> {
        debug_assert!(self.route.knows_query(name), "{} has no {name}", self.route.name);
        find(&self.query, name).map(|value| parse(name, value)).transpose()
    }

    /// The page that is asked for.
    ///
    /// # Errors
    /// `InvalidArgument` for a limit that is no number from 1 to 1,000.
    pub fn page(&self) -> Result<Page> {
        let limit = self.optional::<u32>("limit")?.unwrap_or(PAGE_ROWS_DEFAULT);
        if limit == 0 || limit > PAGE_ROWS_MAX {
            return Err(ApiError::invalid(format!(
                "`limit` is {limit}; it must be from 1 to {PAGE_ROWS_MAX}"
            ))
            .because("invalid_parameter"));
        }
        Ok(Page { after: self.optional("cursor")?, limit })
    }

    /// The project of the query: the caller may know of it, and it is as far as the request demands.
    ///
    /// # Errors
    /// `InvalidArgument`, `NotFound`, or `Timeout` when it does not get as far in time.
    pub async fn project(&self) -> Result<ProjectId> {
        let project = self.required("projectId")?;
        self.reach(&project).await?;
        Ok(project)
    }

    /// Waits until a project is as far as the request demands; the caller may know of it.
    ///
    /// # Errors
    /// As [`Call::project`].
    pub async fn reach(&self, project: &ProjectId) -> Result<()> {
        let least = self.at_least()?.unwrap_or_default();
        let documents = &self.services.documents;
        let reached = async {
            while documents.revisions(&self.ctx, project).await?.all < least {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            Ok(())
        };
        match tokio::time::timeout(REACH_TIME_MAX, self.ctx.bound(reached)).await {
            Ok(reached) => reached?,
            Err(_) => {
                let message = format!("project {project} has not reached revision {least} in time");
                Err(ApiError::new(ErrorCode::Timeout, message).because("revision_not_reached"))
            }
        }
    }

    /// The revision that the request demands.
    ///
    /// # Errors
    /// `InvalidArgument` for anything but a number.
    pub fn at_least(&self) -> Result<Option<Revision>> {
        let Some(text) = self.header("X-Vance-At-Least")? else { return Ok(None) };
        Ok(Some(Revision(parse("X-Vance-At-Least", text)?)))
    }

    /// A header as text.
    ///
    /// # Errors
    /// `InvalidArgument` when it is not readable.
    pub fn header(&self, name: &str) -> Result<Option<&str>> {
        let Some(value) = self.headers.get(name) else { return Ok(None) };
        let text = value.to_str().map_err(|_| {
            ApiError::invalid(format!("the header `{name}` has characters that are not ASCII"))
        })?;
        Ok(Some(text.trim()))
    }

    /// The revision of `If-Match`: `"7"`, `7`, or `*` for «whatever it is, but it must be there».
    ///
    /// # Errors
    /// `InvalidArgument` for anything else.
    pub fn if_match(&self) -> Result<Option<IfMatch>> {
        let Some(text) = self.header(header::IF_MATCH.as_str())? else { return Ok(None) };
        if text == "*" {
            return Ok(Some(IfMatch::Any));
        }
        let digits = text.trim_matches('"');
        let revision = parse("If-Match", digits)?;
        Ok(Some(IfMatch::Revision(Revision(revision))))
    }

    /// Whether `If-None-Match` names this revision.
    #[must_use]
    pub fn has(&self, revision: Revision) -> bool {
        let Some(text) = self.headers.get(header::IF_NONE_MATCH).and_then(|v| v.to_str().ok())
        else {
            return false;
        };
        let tag = super::reply::etag(revision);
        text.trim() == "*" || text.split(',').any(|t| t.trim().trim_start_matches("W/") == tag)
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// `InvalidArgument` with line, column and the path inside the body.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        let mut reader = serde_json::Deserializer::from_slice(&self.body);
        let value = serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| bad_json(&error.path().to_string(), error.inner()))?;
        reader.end().map_err(|error| bad_json(".", &error))?;
        Ok(value)
    }
}

/// What `If-Match` demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// That the thing exists.
    Any,
    /// That it is at this revision.
    Revision(Revision),
}

fn find<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

fn parse<T: FromStr<Err: std::fmt::Display>>(name: &str, value: &str) -> Result<T> {
    if value.len() > PARAM_BYTES_MAX {
        return Err(ApiError::invalid(format!("`{name}` is longer than {PARAM_BYTES_MAX} bytes"))
            .because("invalid_parameter"));
    }
    value.parse().map_err(|error: T::Err| {
        // The standard library's word for it helps nobody.
        let error = match error.to_string().as_str() {
            "invalid digit found in string" | "cannot parse integer from empty string" => {
                format!("{:?} is not a whole number", value.chars().take(40).collect::<String>())
            }
            text => text.to_owned(),
        };
        ApiError::invalid(format!("`{name}`: {error}")).because("invalid_parameter")
    })
}

fn bad_json(path: &str, error: &serde_json::Error) -> ApiError {
    // `.` is the whole, `?` a place that was not reached yet.
    let path = path.trim_end_matches(['.', '?']);
    let place = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
    ApiError::invalid(format!("the body is not the JSON that is expected: {place}{error}"))
        .because("invalid_json")
}
