//! Syncs written results to the disk about once a second, in parallel to the runs.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use super::disk::Located;

/// Period of the syncs, which bounds what a power failure may cost. A sync takes milliseconds, a
/// short run some twenty, so a sync after every run would slow a study down.
const PERIOD: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct State {
    /// The file that was written last.
    written: Option<(Arc<File>, PathBuf)>,
    failure: Option<io::Error>,
    /// The thread that will sync the file at the end of the period.
    waiting: Option<Thread>,
}

/// Syncs the file that was written last, in a thread that lives for a period.
#[derive(Debug, Default)]
pub struct Syncer(Arc<Mutex<State>>);

impl Syncer {
    /// Returns the error of an earlier sync, if there was one; each is returned only once.
    pub fn check(&self) -> io::Result<()> {
        state(&self.0).failure.take().map_or(Ok(()), Err)
    }

    /// Marks `file` as not yet synced.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn mark(&self, file: &Arc<File>, path: &Path) -> io::Result<()> {
        let mut now = state(&self.0);
        now.written = Some((file.clone(), path.into()));
        if now.waiting.is_none() {
            let shared = self.0.clone();
            let thread = std::thread::Builder::new()
                .name("cellrate-store".into())
                .spawn(move || sync_later(&shared));
            let thread = thread.at("cannot start the thread that syncs", path)?;
            now.waiting = Some(thread.thread().clone());
        }
        Ok(())
    }

    /// Syncs everything that was marked.
    ///
    /// # Errors
    /// If this sync fails, or an earlier one did.
    pub fn sync(&self) -> io::Result<()> {
        let written = state(&self.0).written.take();
        let synced = written.map_or(Ok(()), |(file, path)| sync(&file, &path));
        self.check().and(synced)
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        // The thread ends at once instead of at the end of the period. In a forked process there is
        // no thread, and the lock may be held for ever.
        if let Ok(now) = self.0.try_lock()
            && let Some(thread) = &now.waiting
        {
            thread.unpark();
        }
    }
}

/// Syncs the file at the end of the period, unless it has been synced by then.
fn sync_later(shared: &Mutex<State>) {
    std::thread::park_timeout(PERIOD);
    let mut now = state(shared);
    now.waiting = None;
    // The file stays marked: `Syncer::sync` syncs it once more and so waits for the end of this sync.
    let written = now.written.clone();
    drop(now);
    if let Some((file, path)) = written
        && let Err(error) = sync(&file, &path)
    {
        state(shared).failure.get_or_insert(error);
    }
}

fn state(shared: &Mutex<State>) -> MutexGuard<'_, State> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sync(file: &File, path: &Path) -> io::Result<()> {
    file.sync_data()
        .at("results of the last second may be lost, cannot sync", path)
}
