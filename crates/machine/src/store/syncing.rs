//! A thread that syncs written results to the disk about once a second, while runs continue.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::disk::Located;

/// Time between two syncs, which limits how many results a power failure can destroy. A sync takes
/// milliseconds and a short run about twenty, so a sync after every run would slow a study down.
const PERIOD: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct State {
    unsynced: Option<(Arc<File>, PathBuf)>,
    failure: Option<io::Error>,
    syncing: bool,
    stopped: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut state = self.state();
        loop {
            state = self
                .changed
                .wait_while(state, |s| s.unsynced.is_none() && !s.stopped)
                .unwrap_or_else(PoisonError::into_inner);
            let waited = self
                .changed
                .wait_timeout_while(state, PERIOD, |s| !s.stopped);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if state.stopped {
                return;
            }
            if let Some((file, path)) = state.unsynced.take() {
                state.syncing = true;
                drop(state);
                let synced = sync(&file, &path);
                state = self.state();
                state.failure = state.failure.take().or(synced.err());
                state.syncing = false;
                self.changed.notify_all();
            }
        }
    }
}

fn sync(file: &File, path: &Path) -> io::Result<()> {
    file.sync_data()
        .at("results of the last second may be lost, cannot sync", path)
}

/// Remembers the file that needs a sync. The first call of [`Syncer::mark`] starts the thread.
#[derive(Debug, Default)]
pub struct Syncer {
    shared: Arc<Shared>,
    thread: Option<(u32, JoinHandle<()>)>,
}

impl Syncer {
    /// Returns the error of an earlier sync, if there was one. Each error is returned only once.
    pub fn check(&self) -> io::Result<()> {
        self.shared.state().failure.take().map_or(Ok(()), Err)
    }

    /// Marks `file` as not yet synced to the disk.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn mark(&mut self, file: &Arc<File>, path: &Path) -> io::Result<()> {
        let mut state = self.shared.state();
        if state.unsynced.is_none() {
            state.unsynced = Some((file.clone(), path.into()));
            self.shared.changed.notify_all();
        }
        drop(state);
        if self.thread.is_none() {
            let shared = self.shared.clone();
            let thread = std::thread::Builder::new()
                .name("cellrate-store".into())
                .spawn(move || shared.work());
            let thread = thread.at("cannot start the thread that syncs", path)?;
            self.thread = Some((std::process::id(), thread));
        }
        Ok(())
    }

    /// Syncs all marked files to the disk.
    ///
    /// # Errors
    /// If this sync fails, or if an earlier sync failed.
    pub fn sync(&self) -> io::Result<()> {
        let idle = self
            .shared
            .changed
            .wait_while(self.shared.state(), |s| s.syncing);
        let unsynced = idle.unwrap_or_else(PoisonError::into_inner).unsynced.take();
        let synced = unsynced.map_or(Ok(()), |(file, path)| sync(&file, &path));
        self.check().and(synced)
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        // After a fork, the child process does not have this thread.
        if let Some((process, thread)) = self.thread.take()
            && process == std::process::id()
        {
            self.shared.state().stopped = true;
            self.shared.changed.notify_all();
            // A panic of the thread is ignored, because the thread has nothing left to do.
            let _ = thread.join();
        }
    }
}
