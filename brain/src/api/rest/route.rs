//! What the table of routes says of each: enough to serve it, to describe it and to test it.

use futures::future::BoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::call::Call;
use super::reply::Reply;
use crate::api::error::Result;

/// Writes the schema of a type.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The schema of `T`, for tables.
pub fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Answers a call.
pub type Handler = fn(Call) -> BoxFuture<'static, Result<Reply>>;

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Reads.
    Get,
    /// Replaces.
    Put,
    /// Does.
    Post,
    /// Removes.
    Delete,
}

impl Verb {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }

    /// Whether nothing changes by it, so that it may be dropped half-way.
    #[must_use]
    pub fn is_read(self) -> bool {
        self == Self::Get
    }
}

/// Who may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone: probes and the description.
    Open,
    /// Whoever has a token of the path's tenant.
    Tenant,
}

/// Where a parameter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// Among the headers.
    Header,
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Where it stands.
    pub place: Place,
    /// Whether it must be there.
    pub required: bool,
    /// Its shape.
    pub schema: SchemaOf,
    /// What it means.
    pub about: &'static str,
}

impl Param {
    /// A parameter of the path.
    #[must_use]
    pub const fn path(name: &'static str, schema: SchemaOf, about: &'static str) -> Self {
        Self { name, place: Place::Path, required: true, schema, about }
    }

    /// A parameter of the query that must be there.
    #[must_use]
    pub const fn query(name: &'static str, schema: SchemaOf, about: &'static str) -> Self {
        Self { name, place: Place::Query, required: true, schema, about }
    }

    /// A header that may be there.
    #[must_use]
    pub const fn header(name: &'static str, schema: SchemaOf, about: &'static str) -> Self {
        Self { name, place: Place::Header, required: false, schema, about }
    }

    /// The same, not required.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.required = false;
        self
    }
}

/// What the request's body is.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// Nothing; a body is ignored unread.
    Nothing,
    /// JSON.
    Json {
        /// Its shape.
        schema: SchemaOf,
        /// Longest body, in bytes.
        bytes_max: usize,
    },
    /// Any bytes.
    Bytes {
        /// Longest body, in bytes.
        bytes_max: usize,
    },
}

impl Takes {
    /// Longest body, in bytes.
    #[must_use]
    pub fn bytes_max(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Json { bytes_max, .. } | Self::Bytes { bytes_max } => bytes_max,
        }
    }
}

/// What a successful answer is.
#[derive(Clone, Copy, Debug)]
pub enum Gives {
    /// 200 with JSON.
    Json(SchemaOf),
    /// 200 with the bytes of a body, or 304.
    Bytes,
    /// 204.
    Nothing,
}

/// One route.
pub struct Route {
    /// The method.
    pub verb: Verb,
    /// The path, parameters in braces.
    pub path: &'static str,
    /// Name of the operation.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Who may call.
    pub access: Access,
    /// Its parameters, but for the tenant.
    pub params: &'static [Param],
    /// Its request body.
    pub takes: Takes,
    /// Its answer.
    pub gives: Gives,
    /// What answers.
    pub handler: Handler,
}

impl Route {
    /// The noun of the route, which groups the description.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        let path = self.path.strip_prefix("/brain/{tenant}").unwrap_or(self.path);
        path.trim_start_matches('/').split('/').next().unwrap_or("")
    }

    /// What the query may carry.
    pub fn query_names(&self) -> impl Iterator<Item = &'static str> {
        self.params.iter().filter(|p| p.place == Place::Query).map(|p| p.name)
    }

    /// Whether the query may carry this key.
    #[must_use]
    pub fn knows_query(&self, key: &str) -> bool {
        self.query_names().any(|name| name == key)
    }
}

/// Parameters that several nouns share.
pub mod shared {
    use super::{Param, schema};
    use api_types::ids::ProjectId;

    /// The project.
    pub const PROJECT: Param = Param::query("projectId", schema::<ProjectId>, "The project.");
    /// The page's start.
    pub const CURSOR: Param =
        Param::query("cursor", schema::<String>, "Where the last page ended: its `nextCursor`.")
            .optional();
    /// The page's size.
    pub const LIMIT: Param =
        Param::query("limit", schema::<u32>, "Most rows of the page: 1 to 1000, default 100.")
            .optional();
    /// The write that the answer must show.
    pub const AT_LEAST: Param = Param::header(
        "X-Vance-At-Least",
        schema::<u64>,
        "Wait until the project is at this revision, then answer.",
    );
}
