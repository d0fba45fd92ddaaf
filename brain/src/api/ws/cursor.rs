//! Where a client is in the streams of its session, as an opaque text.

use api_types::ids::{LaneId, Seq, SessionId};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Longest cursor, in characters: a session of 1,000 processes.
pub(super) const CURSOR_CHARS_MAX: usize = 48 * 1024;

/// Version of the encoding, and of the mapping from entries to events that `part` counts in.
const VERSION: u8 = 1;

/// A place in one lane's log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// All events of the entries up to here were sent.
    pub(super) seq: Seq,
    /// So many events of the next entry that has any were sent, too: an entry may make several,
    /// and a connection may end between them.
    pub(super) part: u16,
}

/// A place in each lane of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The session.
    pub(super) session: SessionId,
    /// Its lanes, in any order. A lane that is not here was made later.
    pub(super) places: Vec<(LaneId, Place)>,
}

impl Cursor {
    /// As text.
    pub(super) fn encode<'a>(
        session: &SessionId,
        places: impl Iterator<Item = (&'a LaneId, Place)>,
    ) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&bits(session.as_str()).to_be_bytes());
        for (lane, place) in places {
            bytes.extend_from_slice(&bits(lane.as_str()).to_be_bytes());
            bytes.extend_from_slice(&place.seq.0.to_be_bytes());
            bytes.extend_from_slice(&place.part.to_be_bytes());
        }
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a text that [`Cursor::encode`] made; `None` for any other.
    pub(super) fn decode(text: &str) -> Option<Self> {
        if text.len() > CURSOR_CHARS_MAX {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (&version, rest) = bytes.split_first()?;
        let (session, rest) = rest.split_first_chunk::<16>()?;
        if version != VERSION || rest.len() % 26 != 0 {
            return None;
        }
        let places = rest.chunks_exact(26).map(place).collect::<Option<Vec<_>>>()?;
        Some(Self { session: SessionId::from_bits(u128::from_be_bytes(*session)), places })
    }

    /// The place in this lane.
    pub(super) fn place(&self, lane: &LaneId) -> Option<Place> {
        self.places.iter().find(|(id, _)| id == lane).map(|(_, place)| *place)
    }
}

fn place(bytes: &[u8]) -> Option<(LaneId, Place)> {
    let (lane, rest) = bytes.split_first_chunk::<16>()?;
    let (seq, rest) = rest.split_first_chunk::<8>()?;
    let (part, _) = rest.split_first_chunk::<2>()?;
    let place = Place { seq: Seq(u64::from_be_bytes(*seq)), part: u16::from_be_bytes(*part) };
    Some((LaneId::from_bits(u128::from_be_bytes(*lane)), place))
}

/// The bits behind an id of the form `<prefix>_<32 hexadecimal digits>`.
fn bits(id: &str) -> u128 {
    let digits = id.rsplit('_').next().unwrap_or("");
    u128::from_str_radix(digits, 16).expect("an id ends with 32 hexadecimal digits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_written_is_read_back(
            session: u128,
            lanes in prop::collection::vec((any::<u128>(), any::<u64>(), any::<u16>()), 0..5),
        ) {
            let session = SessionId::from_bits(session);
            let places: Vec<_> = lanes
                .into_iter()
                .map(|(lane, seq, part)| (LaneId::from_bits(lane), Place { seq: Seq(seq), part }))
                .collect();
            let text = Cursor::encode(&session, places.iter().map(|(lane, place)| (lane, *place)));
            prop_assert_eq!(Cursor::decode(&text), Some(Cursor { session, places }));
        }

        #[test]
        fn any_other_text_is_refused_without_panic(text in ".{0,80}") {
            let _ = Cursor::decode(&text);
        }
    }

    #[test]
    fn a_text_of_another_version_is_refused() {
        assert_eq!(Cursor::decode(""), None);
        assert_eq!(Cursor::decode(&URL_SAFE_NO_PAD.encode([2; 17])), None);
        assert_eq!(Cursor::decode(&URL_SAFE_NO_PAD.encode([1; 18])), None);
        assert!(Cursor::decode(&URL_SAFE_NO_PAD.encode([1; 17])).is_some());
    }
}
