//! The capture files of one tap (a place of capture).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use cellrate_engine::atm::aal5::Encapsulation;
use cellrate_engine::kernel::Ps;

use super::atm::{Vc, hec};
use super::pcap::{self, LinkType};
use super::tap::Format;
use super::{erf, packet};

/// Size of the write buffer in bytes.
const BUFFER: usize = 1 << 18;

/// A file that is being written, with counts of its contents.
pub struct Written {
    /// Format of the records.
    pub format: Format,
    /// Path of the file.
    pub path: PathBuf,
    /// Number of records written so far.
    pub records: u64,
    /// Number of octets written so far.
    pub octets: u64,
    file: BufWriter<File>,
}

/// A cell that passes a tap.
#[derive(Clone, Copy)]
pub struct CellSeen<'a> {
    /// Time at which the cell passes the tap.
    pub at: Ps,
    /// True if the cell leaves the tap's node, false if it arrives there.
    pub leaves: bool,
    /// First four octets of the cell.
    pub header: [u8; 4],
    /// The 48 octets of the cell after the HEC.
    pub payload: &'a [u8],
}

/// A PDU whose cells have all passed a tap.
#[derive(Clone, Copy)]
pub struct PduSeen<'a> {
    /// Time at which the last cell passes the tap.
    pub at: Ps,
    /// True if the PDU leaves the tap's node, false if it arrives there.
    pub leaves: bool,
    /// First four octets of the PDU's last cell.
    pub header: [u8; 4],
    /// Identifier of the channel.
    pub vc: Vc,
    /// Headers that come before the IP packet in the PDU.
    pub encapsulation: Encapsulation,
    /// Octets of the whole PDU, including pad and trailer.
    pub octets: &'a [u8],
    /// Number of octets of the PDU before the pad.
    pub payload: usize,
}

impl Written {
    /// Creates an empty capture file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(directory: &Path, stem: &str, format: Format) -> io::Result<Written> {
        let path = directory.join(format!("{stem}.{}", format.suffix()));
        let file = BufWriter::with_capacity(BUFFER, File::create_new(&path)?);
        let mut written = Written {
            format,
            path,
            records: 0,
            octets: 0,
            file,
        };
        match format {
            Format::Cells | Format::Pdus | Format::Erf => {}
            Format::Line => written.put(&[&pcap::file_header(LinkType::User0)])?,
            Format::SunAtm => written.put(&[&pcap::file_header(LinkType::SunAtm)])?,
            Format::Ip => written.put(&[&pcap::file_header(LinkType::Raw)])?,
        }
        Ok(written)
    }

    /// Writes a cell, if the format of the file contains cells.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn cell(&mut self, cell: &CellSeen<'_>) -> io::Result<()> {
        let &CellSeen {
            at,
            header,
            payload,
            ..
        } = cell;
        match self.format {
            Format::Cells | Format::Erf => {
                let octets = header.len() + payload.len();
                self.record(&[
                    &erf::header(at, erf::Type::Atm, interface(cell.leaves), octets),
                    &header,
                    payload,
                ])
            }
            Format::Line => {
                let octets = header.len() + 1 + payload.len();
                self.record(&[&pcap::header(at, octets), &header, &[hec(header)], payload])
            }
            Format::Pdus | Format::SunAtm | Format::Ip => Ok(()),
        }
    }

    /// Writes a PDU, if the format of the file contains PDUs.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn pdu(&mut self, pdu: &PduSeen<'_>) -> io::Result<()> {
        let &PduSeen {
            at,
            header,
            octets,
            payload,
            ..
        } = pdu;
        match self.format {
            Format::Pdus | Format::Erf => {
                let length = header.len() + octets.len();
                self.record(&[
                    &erf::header(at, erf::Type::Aal5, interface(pdu.leaves), length),
                    &header,
                    &octets[..length.min(erf::MOST) - header.len()],
                ])
            }
            Format::SunAtm => {
                let flags = sun_atm_flags(pdu.leaves, pdu.encapsulation);
                let [high, low] = pdu.vc.vci.to_be_bytes();
                let before = [flags, pdu.vc.vpi, high, low];
                self.record(&[
                    &pcap::header(at, before.len() + payload),
                    &before,
                    &octets[..payload],
                ])
            }
            Format::Ip => {
                let begin = if pdu.encapsulation == Encapsulation::LlcSnap {
                    packet::LLC_SNAP.len()
                } else {
                    0
                };
                self.record(&[&pcap::header(at, payload - begin), &octets[begin..payload]])
            }
            Format::Cells | Format::Line => Ok(()),
        }
    }

    fn record(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        self.records += 1;
        self.put(parts)
    }

    fn put(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        for part in parts {
            self.octets += part.len() as u64;
            self.file.write_all(part)?;
        }
        Ok(())
    }

    /// Flushes the buffer.
    ///
    /// # Errors
    /// If the buffer cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Number of the capture card's interface: one interface for each direction.
fn interface(leaves: bool) -> u8 {
    if leaves { 0 } else { 1 }
}

const FROM_HOST: u8 = 1 << 7;
const LLC_MULTIPLEXED: u8 = 2;

fn sun_atm_flags(leaves: bool, encapsulation: Encapsulation) -> u8 {
    let traffic = if encapsulation == Encapsulation::LlcSnap {
        LLC_MULTIPLEXED
    } else {
        0
    };
    traffic | if leaves { FROM_HOST } else { 0 }
}
