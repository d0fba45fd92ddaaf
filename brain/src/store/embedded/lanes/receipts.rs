//! Receipts of a lane's last commits, kept in its row: they cost no statement of their own.

use api_types::ids::{CommitId, Seq};

/// Receipts that a lane keeps. Its owner has one commit on its way at a time; whoever lost the
/// lane is told so instead of being told «no».
const KEPT: usize = 16;
/// 128 bits of the id, 64 of the tail.
const BYTES: usize = 24;

/// The receipts, oldest first.
pub(super) struct Receipts(Vec<u8>);

impl Receipts {
    pub(super) fn from_stored(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(super) fn stored(&self) -> &[u8] {
        &self.0
    }

    /// The log's tail after this commit.
    pub(super) fn tail(&self, id: &CommitId) -> Option<Seq> {
        let id = bits(id);
        let found = self.0.chunks_exact(BYTES).find(|one| one[..16] == id)?;
        let tail = found[16..].try_into().expect("a receipt ends with eight bytes");
        Some(Seq(u64::from_be_bytes(tail)))
    }

    pub(super) fn add(&mut self, id: &CommitId, tail: Seq) {
        let excess = (self.0.len() + BYTES).saturating_sub(KEPT * BYTES);
        self.0.drain(..excess.min(self.0.len()));
        self.0.extend(bits(id));
        self.0.extend(tail.0.to_be_bytes());
    }
}

fn bits(id: &CommitId) -> [u8; 16] {
    let digits = id.as_str().rsplit('_').next().unwrap_or_default();
    u128::from_str_radix(digits, 16).expect("an id ends with 32 hexadecimal digits").to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_are_kept() {
        let mut receipts = Receipts::from_stored(Vec::new());
        for n in 0..100 {
            receipts.add(&CommitId::from_bits(n.into()), Seq(n));
        }
        let receipts = Receipts::from_stored(receipts.stored().to_vec());
        for n in 0..100 {
            let kept = (n >= 84).then_some(Seq(n));
            assert_eq!(receipts.tail(&CommitId::from_bits(n.into())), kept, "{n}");
        }
        assert_eq!(receipts.stored().len(), KEPT * BYTES);
    }
}
