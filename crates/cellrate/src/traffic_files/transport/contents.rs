//! Programs and PIDs (packet identifiers) of a transport stream, and the selection of those that
//! are sent.

use std::collections::{BTreeMap, BTreeSet};

use super::packet::Packet;
use super::section::{Programs, Section, associations, program};
use super::{Broken, Choice, NULL_PID};

/// Packet identifier (PID) of the program association table.
const ASSOCIATIONS: u16 = 0;

/// Programs, PIDs and clocks that a pass over all packets has found.
#[derive(Debug, Default)]
pub struct Contents {
    /// Incomplete sections of program tables, by the PID that carries them.
    sections: BTreeMap<u16, Section>,
    /// PIDs of program maps, each with the numbers of the programs that it may describe.
    maps: BTreeMap<u16, BTreeSet<u16>>,
    programs: Programs,
    /// For each program, the PIDs that carried its clock one after the other, each with the offset
    /// in bytes of the packet from which on it carried the clock.
    clocks: BTreeMap<u16, Vec<(u64, u16)>>,
    /// Number of clock references on each PID.
    references: BTreeMap<u16, u64>,
}

/// The part of a stream that is sent.
#[derive(Debug, PartialEq, Eq)]
pub struct Selection {
    /// PIDs with the clock references, each with the offset in bytes of the packet from which on it
    /// carries them.
    pub clocks: Vec<(u64, u16)>,
    /// PIDs whose packets are sent. `None` if all packets are sent, because the stream describes no
    /// programs to choose from.
    pub pids: Option<BTreeSet<u16>>,
}

impl Contents {
    /// Records the contents of a packet.
    pub fn look_at(&mut self, packet: &Packet<'_>) {
        if packet.pcr.is_some() {
            *self.references.entry(packet.pid).or_default() += 1;
        }
        if packet.pid != ASSOCIATIONS && !self.maps.contains_key(&packet.pid) {
            return;
        }
        let sections = self
            .sections
            .entry(packet.pid)
            .or_default()
            .take(packet.payload, packet.starts_unit);
        for section in sections {
            self.learn(packet, &section);
        }
    }

    /// Records the contents of a section.
    fn learn(&mut self, packet: &Packet<'_>, section: &[u8]) {
        let on = packet.pid;
        if on == ASSOCIATIONS {
            for (number, pid) in associations(section) {
                self.maps.entry(pid).or_default().insert(number);
            }
        } else if let Some((number, mut found)) = program(section)
            && self.maps[&on].contains(&number)
        {
            let clocks = self.clocks.entry(number).or_default();
            if clocks.last().is_none_or(|(_, pid)| *pid != found.pcr_pid) {
                // The program's first clock PID counts from the beginning of the file.
                let from = if clocks.is_empty() { 0 } else { packet.byte };
                clocks.push((from, found.pcr_pid));
            }
            // Elementary streams that an earlier map of the program names belong to the program,
            // too.
            if let Some(before) = self.programs.remove(&number) {
                let is_new = |pid: &u16| !found.streams.contains(pid);
                let gone: Vec<u16> = before.streams.into_iter().filter(is_new).collect();
                found.streams.extend(gone);
            }
            self.programs.insert(number, found);
        }
    }

    /// The part of this stream that `choice` selects.
    pub fn select(&self, choice: &Choice) -> Result<Selection, Broken> {
        if self.references.values().all(|count| *count < 2) {
            let message =
                "the stream has no two clock references of one PID, so its rate is not known";
            return Err(Broken::asked("file", message, ""));
        }
        let number = match choice.program {
            None => self.only_program(choice)?,
            Some(number) => Some(
                u16::try_from(number)
                    .ok()
                    .filter(|n| self.programs.contains_key(n))
                    .ok_or_else(|| {
                        Broken::asked(
                            "program",
                            format!("there is no program {number}"),
                            self.told(),
                        )
                    })?,
            ),
        };
        let clocks = self.clocks_of(choice, number)?;
        let alone = self.programs.len() < 2;
        Ok(Selection {
            pids: number
                .filter(|_| !alone)
                .map(|number| self.pids_of(number, &clocks)),
            clocks,
        })
    }

    /// Number of the program that `choice` names, or else of the only program. `None` if the stream
    /// describes no program, or if `choice` names only a PID.
    fn only_program(&self, choice: &Choice) -> Result<Option<u16>, Broken> {
        let mut numbers = self.programs.keys();
        match (numbers.next(), numbers.next()) {
            (Some(_), Some(_)) if choice.pcr_pid.is_none() => Err(Broken::asked(
                "file",
                "the stream has several programs; choose one with `program`",
                self.told(),
            )),
            (Some(number), None) => Ok(Some(*number)),
            _ => Ok(None),
        }
    }

    fn clocks_of(&self, choice: &Choice, number: Option<u16>) -> Result<Vec<(u64, u16)>, Broken> {
        let always = |pid: u16| vec![(0, pid)];
        let enough = |pid: &u16| self.references.get(pid).is_some_and(|count| *count >= 2);
        if let Some(asked) = choice.pcr_pid {
            let found = u16::try_from(asked).ok().filter(enough);
            return found.map(always).ok_or_else(|| {
                Broken::asked(
                    "pcr_pid",
                    format!("PID {asked} has no two clock references"),
                    self.told(),
                )
            });
        }
        if let Some((number, program)) =
            number.and_then(|number| Some((number, self.programs.get(&number)?)))
        {
            let message = format!(
                "program {number} has no two clock references on its PID, {}",
                program.pcr_pid
            );
            let clocks = self.clocks.get(&number).cloned().unwrap_or_default();
            let is_known = clocks.iter().any(|(_, pid)| enough(pid));
            return Some(clocks).filter(|_| is_known).ok_or_else(|| {
                Broken::asked(
                    "file",
                    message,
                    format!("`pcr_pid` chooses another PID: {}", self.told()),
                )
            });
        }
        let mut pids = self.references.keys().copied().filter(enough);
        match (pids.next(), pids.next()) {
            (Some(pid), None) => Ok(always(pid)),
            _ => Err(Broken::asked(
                "file",
                "clock references are on several PIDs; choose one with `pcr_pid`",
                self.told(),
            )),
        }
    }

    fn pids_of(&self, number: u16, clocks: &[(u64, u16)]) -> BTreeSet<u16> {
        let maps = self
            .maps
            .iter()
            .filter(|(_, numbers)| numbers.contains(&number))
            .map(|(pid, _)| *pid);
        let streams = self.programs[&number].streams.iter().copied();
        maps.chain(streams)
            .chain([ASSOCIATIONS])
            .chain(clocks.iter().map(|(_, pid)| *pid))
            .filter(|pid| *pid != NULL_PID)
            .collect()
    }

    /// The programs and PIDs of the stream as a list for messages.
    fn told(&self) -> String {
        let list = |pids: &mut dyn Iterator<Item = &u16>| {
            let pids: Vec<String> = pids.map(u16::to_string).collect();
            pids.join(", ")
        };
        let program = |(number, program): (&u16, &super::section::Program)| {
            let streams = list(&mut program.streams.iter());
            format!(
                "program {number} has its clock on PID {} and streams on PIDs {streams}",
                program.pcr_pid
            )
        };
        let mut parts: Vec<String> = self.programs.iter().map(program).collect();
        parts.push(format!(
            "clock references are on PIDs {}",
            list(&mut self.references.keys())
        ));
        parts.join("; ")
    }
}
