-- What every write of a lane reads and updates: small, so that it costs one page. The key index
-- stands apart and is never touched again.
CREATE TABLE lanes (
    id            INTEGER PRIMARY KEY,
    tenant        TEXT    NOT NULL,
    lane          TEXT    NOT NULL,
    session       TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    born          INTEGER NOT NULL,               -- counts the lanes of a session
    epoch         INTEGER NOT NULL DEFAULT 0,
    owner         TEXT,                           -- a boot
    tail          INTEGER NOT NULL DEFAULT 0,     -- last entry
    work          INTEGER NOT NULL DEFAULT 0,     -- queued messages of class work
    control       INTEGER NOT NULL DEFAULT 0,     -- queued messages of class control
    held          INTEGER NOT NULL DEFAULT 0,     -- claimed messages
    inbox_next    INTEGER NOT NULL DEFAULT 1,     -- place of the next message
    inbox_oldest  INTEGER NOT NULL DEFAULT 1,     -- every message before it is settled
    sent          INTEGER NOT NULL DEFAULT 0,     -- messages to lanes, ever
    receipts      BLOB    NOT NULL DEFAULT x'',   -- of the last commits
    status        TEXT    NOT NULL,               -- this and the next four are copies from the head
    open_turn     INTEGER,
    open          INTEGER NOT NULL DEFAULT 0,     -- 1: a turn is open and is not parked
    due_at        INTEGER,
    retained_from INTEGER NOT NULL,
    head          TEXT    NOT NULL
);
CREATE UNIQUE INDEX lanes_key ON lanes (tenant, lane);
CREATE UNIQUE INDEX lanes_name ON lanes (tenant, session, name);
CREATE UNIQUE INDEX lanes_born ON lanes (tenant, session, born);
-- For the sweep, which belongs to no tenant. An owned lane's turns don't touch these.
CREATE INDEX lanes_owner ON lanes (owner) WHERE owner IS NOT NULL;
CREATE INDEX lanes_waiting ON lanes (id) WHERE owner IS NULL AND (work > 0 OR control > 0 OR open = 1);
CREATE INDEX lanes_due ON lanes (due_at) WHERE owner IS NULL AND due_at IS NOT NULL;

CREATE TABLE lane_specs (
    tenant TEXT NOT NULL,
    lane   TEXT NOT NULL,
    spec   TEXT NOT NULL,
    PRIMARY KEY (tenant, lane)
) WITHOUT ROWID;

CREATE TABLE lane_log (
    tenant TEXT    NOT NULL,
    lane   TEXT    NOT NULL,
    seq    INTEGER NOT NULL,
    views  INTEGER NOT NULL,                      -- bits: 1 client, 2 chat
    entry  TEXT    NOT NULL,
    PRIMARY KEY (tenant, lane, seq)
) WITHOUT ROWID;

CREATE TABLE lane_inbox (
    tenant TEXT    NOT NULL,
    lane   TEXT    NOT NULL,
    seq    INTEGER NOT NULL,
    state  INTEGER NOT NULL,                      -- 0 queued, 1 claimed, from 2 on settled
    class  INTEGER NOT NULL,                      -- 0 control, 1 work
    turn   INTEGER,
    key    TEXT,
    body   TEXT    NOT NULL,
    PRIMARY KEY (tenant, lane, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX lane_inbox_key ON lane_inbox (tenant, lane, key) WHERE key IS NOT NULL;

CREATE TABLE lane_outbox (
    tenant   TEXT    NOT NULL,
    lane     TEXT    NOT NULL,
    n        INTEGER NOT NULL,                    -- counts what the lane sends
    receiver TEXT    NOT NULL,
    class    INTEGER NOT NULL,
    key      TEXT    NOT NULL,
    body     TEXT    NOT NULL,
    PRIMARY KEY (tenant, lane, n)
) WITHOUT ROWID;
