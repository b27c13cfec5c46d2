//! Reads the files that sources play back, before a run.

pub mod pieces;
pub mod rate_table;
pub mod transport;

use std::fmt::Write;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::piecewise::Pieces;
use sha2::{Digest, Sha256};

use crate::scenario::problem::{Problem, place};
use crate::scenario::{Flow, Scenario};

/// Greatest length of a file, in bytes.
const LONGEST: u64 = 1 << 28;

/// Function that converts a Parquet file into the text of a CSV table; its error describes the
/// fault of the file.
pub type ParquetReader = Box<dyn Fn(&Path) -> Result<String, String> + Send + Sync>;

static PARQUET: OnceLock<ParquetReader> = OnceLock::new();

/// Registers the function that reads Parquet files, because this crate cannot read them itself.
/// Only the first call has an effect.
pub fn read_parquet_with(reader: ParquetReader) {
    let _ = PARQUET.set(reader);
}

/// The files in a directory that sources play back; each file is read once.
pub struct Files<'a> {
    directory: &'a Path,
    /// Sources whose files have been read, in pairs: the source as the scenario has it, and the
    /// source with the contents of its file.
    known: Vec<(SourceConfig, SourceConfig)>,
}

impl<'a> Files<'a> {
    /// Prepares to read files relative to `directory`.
    pub fn of(directory: &'a Path) -> Files<'a> {
        Files {
            directory,
            known: Vec::new(),
        }
    }

    /// Reads the files that the sources of `scenario` name. Returns the problems found.
    pub fn read_all(&mut self, scenario: &mut Scenario) -> Vec<Problem> {
        let flows = scenario.flows.iter_mut().enumerate();
        let read = |(index, flow): (usize, &mut Flow)| {
            let wrong = self.read(&mut flow.source).err()?;
            Some(wrong.at(index))
        };
        flows.filter_map(read).collect()
    }

    fn read(&mut self, source: &mut SourceConfig) -> Result<(), Wrong> {
        if !source.plays_file() {
            return Ok(());
        }
        if let Some((_, read)) = self.known.iter().find(|(unread, _)| unread == source) {
            source.clone_from(read);
            return Ok(());
        }
        let unread = source.clone();
        read_one(source, self.directory)?;
        self.known.push((unread, source.clone()));
        Ok(())
    }
}

/// Description of a fault in a file, and the key of the source to which the report points.
struct Wrong {
    key: &'static str,
    message: String,
    help: String,
}

impl Wrong {
    fn file(message: String) -> Wrong {
        Wrong {
            key: "file",
            message,
            help: String::new(),
        }
    }
    fn at(self, index: usize) -> Problem {
        Problem::error(
            place!["flow", index, "source", self.key],
            self.message,
            self.help,
        )
    }
}

fn read_one(source: &mut SourceConfig, directory: &Path) -> Result<(), Wrong> {
    match source {
        SourceConfig::RateTrace(trace) => {
            let path = directory.join(&trace.file);
            let bytes = bytes_of(&path, &mut trace.sha256)?;
            let text = table_text(&path, bytes)?;
            let table = rate_table::read(&text).map_err(|(line, message)| {
                Wrong::file(format!("{}, line {line}: {message}", path.display()))
            })?;
            trace.content = Some(Pieces::new(table));
        }
        SourceConfig::TransportStream(stream) => {
            let path = directory.join(&stream.file);
            let bytes = bytes_of(&path, &mut stream.sha256)?;
            let choice = transport::Choice {
                program: stream.program,
                pcr_pid: stream.pcr_pid,
                null_packets: stream.null_packets,
            };
            let stretches =
                transport::read(&bytes, &choice).map_err(|broken| broken.in_file(&path))?;
            let per_pdu = stream.packets_per_pdu.clamp(1, 300);
            let pieces = pieces::of_packets(&stretches, per_pdu)
                .map_err(|message| Wrong::file(format!("{}: {message}", path.display())))?;
            stream.content = Some(Pieces::new(pieces));
        }
        other => assert!(
            !other.plays_file(),
            "nothing reads the file of a source `{}`",
            other.name()
        ),
    }
    Ok(())
}

impl transport::Broken {
    fn in_file(self, path: &Path) -> Wrong {
        let place = self
            .byte
            .map_or(String::new(), |byte| format!(", byte {byte}"));
        Wrong {
            key: self.key,
            message: format!("{}{place}: {}", path.display(), self.message),
            help: self.help,
        }
    }
}

/// Returns the bytes of a file. Writes their hash to `sha256`, or compares it with the hash that is
/// already there.
fn bytes_of(path: &Path, sha256: &mut Option<String>) -> Result<Vec<u8>, Wrong> {
    let unread = |error: std::io::Error| Wrong {
        key: "file",
        message: format!("{} cannot be read: {error}", path.display()),
        help: "paths of files are relative to the scenario's directory".into(),
    };
    // The type is checked before the file is opened: opening a pipe waits for a writer, and a
    // device may be endless.
    let metadata = fs::metadata(path).map_err(unread)?;
    if !metadata.is_file() {
        return Err(Wrong::file(format!(
            "{} is not a regular file",
            path.display()
        )));
    }
    let mut bytes = Vec::new();
    // The read itself is limited, because the file may grow after its length was read, and some
    // files have no length.
    File::open(path)
        .and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes))
        .map_err(unread)?;
    if bytes.len() as u64 > LONGEST {
        let length = metadata.len().max(bytes.len() as u64);
        return Err(Wrong::file(format!(
            "{} has {length} bytes; at most {LONGEST} are read",
            path.display()
        )));
    }
    let mut found = String::new();
    for byte in Sha256::digest(&bytes) {
        let _ = write!(found, "{byte:02x}");
    }
    match sha256 {
        Some(wanted) if !wanted.eq_ignore_ascii_case(&found) => Err(Wrong {
            key: "sha256",
            message: format!(
                "{} is not the file that `sha256` names: its SHA-256 is {found}",
                path.display()
            ),
            help: "remove `sha256` to use the file as it is".into(),
        }),
        _ => {
            *sha256 = Some(found);
            Ok(bytes)
        }
    }
}

/// Returns the text of a file, see [`bytes_of`]. The error has the key at fault, a message and
/// advice.
pub(crate) fn text_of(
    path: &Path,
    sha256: &mut Option<String>,
) -> Result<String, (&'static str, String, String)> {
    bytes_of(path, sha256)
        .and_then(|bytes| {
            String::from_utf8(bytes)
                .map_err(|_| Wrong::file(format!("{} is not UTF-8 text", path.display())))
        })
        .map_err(|wrong| (wrong.key, wrong.message, wrong.help))
}

/// The text of a table, from a CSV or a Parquet file.
fn table_text(path: &Path, bytes: Vec<u8>) -> Result<String, Wrong> {
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or("");
    match (extension.to_ascii_lowercase().as_str(), PARQUET.get()) {
        ("parquet", Some(read)) => {
            read(path).map_err(|message| Wrong::file(format!("{}: {message}", path.display())))
        }
        ("parquet", None) => Err(Wrong::file(format!(
            "{}: Parquet files are read by the Python package",
            path.display()
        ))),
        _ => String::from_utf8(bytes).map_err(|error| {
            let byte = error.utf8_error().valid_up_to();
            Wrong::file(format!(
                "{}, byte {byte}: this is not UTF-8 text, and a rate trace is a CSV table",
                path.display()
            ))
        }),
    }
}

#[cfg(test)]
mod tests;
