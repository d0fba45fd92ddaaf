//! A cache that is bounded in bytes and forgets what was used longest ago.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps values that can be made again. `V` is cheap to clone, an `Arc` as a rule.
#[derive(Debug)]
pub struct Cache<K, V> {
    bytes_max: usize,
    inner: Mutex<Inner<K, V>>,
}

#[derive(Debug)]
struct Inner<K, V> {
    held: HashMap<K, Held<V>>,
    /// From the use longest ago to the latest.
    uses: BTreeMap<u64, K>,
    next_use: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Held<V> {
    value: V,
    bytes: usize,
    used: u64,
}

impl<K: Clone + Eq + Hash, V: Clone> Cache<K, V> {
    /// An empty cache for values of so many bytes together.
    #[must_use]
    pub fn new(bytes_max: usize) -> Self {
        let inner = Inner { held: HashMap::new(), uses: BTreeMap::new(), next_use: 0, bytes: 0 };
        Self { bytes_max, inner: Mutex::new(inner) }
    }

    /// The value, which counts as used.
    pub fn get(&self, key: &K) -> Option<V> {
        self.lock().touch(key)
    }

    /// The value; where there is none, a new one of so many bytes.
    pub fn get_or_insert(&self, key: &K, bytes: usize, make: impl FnOnce() -> V) -> V {
        let mut inner = self.lock();
        if let Some(value) = inner.touch(key) {
            return value;
        }
        let value = make();
        inner.put(key.clone(), value.clone(), bytes);
        inner.shrink(self.bytes_max);
        value
    }

    /// Keeps a value, in place of an earlier one.
    pub fn insert(&self, key: K, value: V, bytes: usize) {
        let mut inner = self.lock();
        inner.put(key, value, bytes);
        inner.shrink(self.bytes_max);
    }

    /// Tells that a value has another size now. Unknown keys are ignored.
    pub fn weigh(&self, key: &K, bytes: usize) {
        let mut inner = self.lock();
        let Some(held) = inner.held.get_mut(key) else { return };
        let before = std::mem::replace(&mut held.bytes, bytes);
        inner.bytes = inner.bytes - before + bytes;
        inner.shrink(self.bytes_max);
    }

    /// Bytes of all values.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn lock(&self) -> MutexGuard<'_, Inner<K, V>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Inner<K, V> {
    fn touch(&mut self, key: &K) -> Option<V> {
        let held = self.held.get_mut(key)?;
        let before = std::mem::replace(&mut held.used, self.next_use);
        let value = held.value.clone();
        let key = self.uses.remove(&before).unwrap_or_else(|| key.clone());
        self.uses.insert(self.next_use, key);
        self.next_use += 1;
        Some(value)
    }

    fn put(&mut self, key: K, value: V, bytes: usize) {
        self.remove(&key);
        self.uses.insert(self.next_use, key.clone());
        self.held.insert(key, Held { value, bytes, used: self.next_use });
        self.bytes += bytes;
        self.next_use += 1;
    }

    fn remove(&mut self, key: &K) {
        if let Some(held) = self.held.remove(key) {
            self.uses.remove(&held.used);
            self.bytes -= held.bytes;
        }
    }

    /// Forgets values until the rest fits. The latest stays even if it is too large alone: its
    /// user would only make it again.
    fn shrink(&mut self, bytes_max: usize) {
        while self.bytes > bytes_max && self.held.len() > 1 {
            let Some((_, key)) = self.uses.pop_first() else { return };
            self.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_longest_ago_is_forgotten_first() {
        let cache = Cache::new(10);
        cache.insert("a", 1, 4);
        cache.insert("b", 2, 4);
        assert_eq!(cache.get(&"a"), Some(1));
        cache.insert("c", 3, 4);
        assert_eq!((cache.get(&"a"), cache.get(&"b"), cache.get(&"c")), (Some(1), None, Some(3)));
        assert_eq!(cache.bytes(), 8);
    }

    #[test]
    fn a_value_that_grows_pushes_others_out() {
        let cache = Cache::new(10);
        cache.insert("a", 1, 4);
        cache.insert("b", 2, 4);
        cache.weigh(&"b", 9);
        assert_eq!((cache.get(&"a"), cache.get(&"b"), cache.bytes()), (None, Some(2), 9));
        cache.insert("big", 3, 100);
        assert_eq!((cache.get(&"b"), cache.get(&"big"), cache.bytes()), (None, Some(3), 100));
        assert_eq!(cache.get_or_insert(&"big", 1, || 9), 3);
    }
}
