//! The tables, and how an older folder gets them.

use rusqlite::Connection;

use super::{documents, lanes, sessions, tenants};
use crate::port::{Error, Result};

/// Each step brings the schema from its index to the next number. Released steps never change;
/// new ones only add, so that two versions can be tried on one folder.
const STEPS: &[&str] = &[BASE, documents::SCHEMA, lanes::SCHEMA, tenants::SCHEMA, sessions::SCHEMA];

const BASE: &str = "
    CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO counters VALUES ('boot', 0);
";

/// Applies what is missing, all or nothing.
pub(super) fn migrate(conn: &Connection) -> Result<()> {
    let found: usize = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > STEPS.len() {
        return Err(Error::Unavailable {
            reason: format!(
                "the data folder has schema version {found}, this brain knows {}; run the newer brain, or restore a backup",
                STEPS.len()
            ),
        });
    }
    let tx = conn.unchecked_transaction()?;
    for step in &STEPS[found..] {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "user_version", STEPS.len())?;
    tx.commit()?;
    Ok(())
}

/// Adds one to the number of boots.
pub(super) fn count_boot(conn: &Connection) -> Result<u64> {
    let sql = "UPDATE counters SET value = value + 1 WHERE name = 'boot' RETURNING value";
    Ok(conn.query_row(sql, [], |row| row.get(0))?)
}
