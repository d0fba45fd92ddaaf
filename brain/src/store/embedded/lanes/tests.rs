use std::sync::Arc;

use crate::store::contract::lanes::lanes_contract;
use crate::store::embedded::{Embedded, OpenMode};

mod threaded {
    use super::*;

    async fn open() -> (Arc<Embedded>, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let store = Embedded::open(OpenMode::Folder(folder.path().into())).unwrap();
        (store, folder)
    }

    lanes_contract!(open);
}

mod in_memory {
    use super::*;

    async fn open() -> (Arc<Embedded>, ()) {
        (Embedded::open(OpenMode::InMemory).unwrap(), ())
    }

    lanes_contract!(open);
}
