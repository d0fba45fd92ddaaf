//! Compiled templates, kept for the next turn.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use super::{SyntaxError, Template};

/// What a template costs beside its source, in bytes, as an estimate.
const OVERHEAD_BYTES: usize = 2_048;

/// A bounded store of compiled templates. The key is the caller's name for a source that never changes, such as a
/// document and its revision; the oldest entries leave first.
#[derive(Debug)]
pub struct Cache<K> {
    bytes_max: usize,
    entries: Mutex<Entries<K>>,
}

#[derive(Debug)]
struct Entries<K> {
    bytes: usize,
    by_key: HashMap<K, Entry>,
    by_age: VecDeque<K>,
}

#[derive(Debug)]
struct Entry {
    bytes: usize,
    compiled: Result<Arc<Template>, SyntaxError>,
}

impl<K: Eq + Hash + Clone> Cache<K> {
    /// A cache whose templates take about `bytes_max` bytes at most.
    pub fn new(bytes_max: usize) -> Cache<K> {
        let entries = Entries { bytes: 0, by_key: HashMap::new(), by_age: VecDeque::new() };
        Cache { bytes_max, entries: Mutex::new(entries) }
    }

    /// The template of `key`, compiled from `source` if it is not there. Failures are kept as well.
    ///
    /// # Errors
    /// The source is no template.
    pub fn get_or_compile(&self, key: &K, source: &str) -> Result<Arc<Template>, SyntaxError> {
        if let Some(entry) = self.lock().by_key.get(key) {
            return entry.compiled.clone();
        }
        // Not under the lock: two may compile the same source, which costs less than all waiting for one.
        let compiled = Template::compile(source).map(Arc::new);
        self.insert(
            key.clone(),
            Entry { bytes: source.len() * 2 + OVERHEAD_BYTES, compiled: compiled.clone() },
        );
        compiled
    }

    /// Number of templates held.
    pub fn len(&self) -> usize {
        self.lock().by_key.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn insert(&self, key: K, entry: Entry) {
        if entry.bytes > self.bytes_max {
            return;
        }
        let entries = &mut *self.lock();
        entries.bytes += entry.bytes;
        if let Some(replaced) = entries.by_key.insert(key.clone(), entry) {
            entries.bytes -= replaced.bytes;
        } else {
            entries.by_age.push_back(key);
        }
        while entries.bytes > self.bytes_max
            && let Some(oldest) = entries.by_age.pop_front()
        {
            entries.bytes -= entries.by_key.remove(&oldest).map_or(0, |entry| entry.bytes);
        }
    }

    /// Entries are whole at every point where a thread could have panicked.
    fn lock(&self) -> std::sync::MutexGuard<'_, Entries<K>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
