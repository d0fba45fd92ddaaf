//! Writes a lane, and resolves writes whose answer was lost.

use std::sync::Arc;
use std::time::Duration;

use api_types::ids::{CommitId, Seq};

use super::entry::Entry;
use super::head::Head;
use super::inbox::Outcome;
use super::store::{LaneCommit, Lease, Outgoing, Own, Receipt};
use crate::port::Error;
use crate::runtime::IdGen;

/// Longest pause between tries while the store is away.
const RETRY_PAUSE_MAX: Duration = Duration::from_secs(2);

/// What a commit changes, besides its fence.
#[derive(Clone, Debug, Default)]
pub(super) struct Write {
    pub(super) entries: Vec<Entry>,
    pub(super) head: Option<Head>,
    pub(super) claim: Option<(Seq, Vec<Seq>)>,
    pub(super) settle: Vec<(Seq, Outcome)>,
    pub(super) outbox: Vec<Outgoing>,
}

/// Why a lane can't be written any more.
#[derive(Debug, thiserror::Error)]
pub(super) enum Lost {
    /// Someone else owns it now.
    #[error("the lane has another owner")]
    Fenced,
    /// The write itself is impossible: it breaks a limit of the store.
    #[error(transparent)]
    Refused(Error),
}

/// The owner's pen.
pub(super) struct Writer {
    own: Arc<dyn Own>,
    lease: Lease,
    tail: Seq,
    ids: Arc<IdGen>,
}

impl Writer {
    pub(super) fn new(own: Arc<dyn Own>, lease: Lease, tail: Seq, ids: Arc<IdGen>) -> Self {
        Self { own, lease, tail, ids }
    }

    /// Place of the last entry.
    pub(super) fn tail(&self) -> Seq {
        self.tail
    }

    /// Writes. While the store is away it waits and tries again: the lane does nothing else meanwhile.
    pub(super) async fn commit(&mut self, write: Write) -> Result<Seq, Lost> {
        let commit = LaneCommit {
            id: CommitId::from_bits(self.ids.bits()),
            expect: self.tail,
            entries: write.entries,
            head: write.head,
            claim: write.claim,
            settle: write.settle,
            outbox: write.outbox,
        };
        let mut pause = Duration::from_millis(50);
        loop {
            let result = match self.own.commit(&self.lease, commit.clone()).await {
                Err(Error::Unknown) => self.resolve(&commit.id).await,
                other => other.map(Some),
            };
            match result {
                Ok(Some(receipt)) => {
                    self.tail = receipt.tail;
                    return Ok(receipt.tail);
                }
                Ok(None) | Err(Error::Unknown | Error::Unavailable { .. }) => {
                    tracing::warn!(lane.id = %self.lease.lane, "the store is away; the commit is kept and tried again");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(RETRY_PAUSE_MAX);
                }
                Err(Error::Fenced { .. }) => return Err(Lost::Fenced),
                Err(error) => return Err(Lost::Refused(error)),
            }
        }
    }

    async fn resolve(&self, id: &CommitId) -> Result<Option<Receipt>, Error> {
        self.own.receipt(&self.lease, id).await
    }

    /// Gives the lane back.
    pub(super) async fn release(self) {
        if let Err(error) = self.own.release(self.lease.clone()).await {
            tracing::warn!(lane.id = %self.lease.lane, %error, "could not give the lane back; it is taken over later");
        }
    }
}
