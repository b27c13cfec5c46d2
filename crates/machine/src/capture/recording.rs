//! All taps (places of capture) of a run: they record the cells that the plain engine, which
//! handles one event at a time, reports, in the order in which the cells pass each tap.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::Path;

use cellrate_engine::atm::{Crossing, Observer, PduStart, Plan};
use cellrate_engine::kernel::Ps;

use super::channels::Channel;
use super::ends::Ends;
use super::error::CaptureError;
use super::files::{CellSeen, PduSeen, Written};
use super::place::{Flows, Place, Reassembled};
use super::tap::{Tap, Tapped};

/// A tap, and the files it has written.
pub struct Recorded {
    /// Place of the tap and formats of its files, as requested.
    pub tap: Tap,
    /// Files of the tap.
    pub files: Vec<Written>,
    /// Number of PDUs with missing cells; no file of PDUs contains them.
    pub damaged: u64,
    places: Vec<Place>,
    /// Cells that have not passed the tap yet, by time and then in the order in which they were
    /// reported.
    waiting: BTreeMap<(Ps, u64), Waiting>,
    told: u64,
}

/// A cell that will pass a tap, and the number of the captured link on which it will pass.
struct Waiting {
    place: usize,
    crossing: Crossing,
}

/// All taps of a run with the files that the taps write, while a run is captured.
pub struct Recording {
    /// The taps with the files they have written.
    pub taps: Vec<Recorded>,
    /// Identifiers of the flows in packets and cells.
    pub flows: Flows,
    channels: Vec<Channel>,
    /// For each link, the taps that record it, each with the number of the link within the tap.
    seen_by: Vec<Vec<(usize, usize)>>,
    span: Range<Ps>,
    failed: Option<CaptureError>,
}

impl Recording {
    /// Creates the empty capture files of the taps, each with its links, in a directory. `ends` has the
    /// identifiers of the plan's flows.
    ///
    /// # Errors
    /// If a flow's headers cannot be written, or a file cannot be written.
    pub fn new(
        (plan, ends): (&Plan, Vec<Ends>),
        taps: &[(Tap, Vec<Tapped>)],
        span: Range<Ps>,
        directory: &Path,
    ) -> Result<Recording, CaptureError> {
        let mut channels = Channel::of_all(plan);
        let mut seen_by = vec![Vec::new(); plan.links.len()];
        let mut recorded = Vec::new();
        for (number, (tap, links)) in taps.iter().enumerate() {
            for (place, tapped) in links.iter().enumerate() {
                seen_by[tapped.link].push((number, place));
            }
            let places = links
                .iter()
                .map(|tapped| Place::new(*tapped, plan, &mut channels))
                .collect();
            recorded.push((tap, places));
        }
        let is_seen = |flow: usize| {
            let flow = &plan.flows[flow];
            flow.forward
                .iter()
                .chain(&flow.backward)
                .any(|link| !seen_by[*link].is_empty())
        };
        let flows = Flows::of(plan, ends, is_seen).map_err(CaptureError::Request)?;
        let create = |(tap, places)| Recorded::new(tap, places, directory);
        let taps = recorded.into_iter().map(create).collect::<Result<_, _>>()?;
        Ok(Recording {
            taps,
            flows,
            channels,
            seen_by,
            span,
            failed: None,
        })
    }

    /// Writes the cells and PDUs that pass a tap before `until`; the engine must have reported all
    /// of them.
    ///
    /// # Errors
    /// If a file could not be written, or if cell numbers of a channel were ambiguous.
    pub fn settle(&mut self, until: Ps) -> Result<(), CaptureError> {
        for tap in 0..self.taps.len() {
            self.catch_up(tap, until);
        }
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Flushes all files.
    ///
    /// # Errors
    /// If a file could not be written.
    pub fn finish(&mut self) -> Result<(), CaptureError> {
        for file in self.taps.iter_mut().flat_map(|tap| &mut tap.files) {
            file.finish()
                .map_err(|error| CaptureError::File(file.path.clone(), error))?;
        }
        Ok(())
    }

    /// Writes the cells and PDUs that pass the tap number `tap` before `until`.
    fn catch_up(&mut self, tap: usize, until: Ps) {
        let Recording {
            taps,
            flows,
            channels,
            span,
            failed,
            ..
        } = self;
        let tap = &mut taps[tap];
        while let Some(first) = tap
            .waiting
            .first_entry()
            .filter(|first| first.key().0 < until)
        {
            let ((at, _), next) = first.remove_entry();
            if let Err(error) = tap.see(at, &next, span.contains(&at), flows, channels) {
                failed.get_or_insert(error);
            }
        }
    }
}

impl Observer for Recording {
    fn on_pdu(&mut self, pdu: &PduStart) {
        self.channels[pdu.channel.index()].begin(pdu);
    }

    fn on_cell(&mut self, crossing: &Crossing) {
        for number in 0..self.seen_by[crossing.link as usize].len() {
            let (tap, place) = self.seen_by[crossing.link as usize][number];
            self.catch_up(tap, crossing.left);
            let tap = &mut self.taps[tap];
            let at = if tap.places[place].tapped.leaves {
                crossing.left
            } else {
                crossing.arrives
            };
            tap.told += 1;
            tap.waiting.insert(
                (at, tap.told),
                Waiting {
                    place,
                    crossing: *crossing,
                },
            );
        }
    }
}

impl Recorded {
    fn new(tap: &Tap, places: Vec<Place>, directory: &Path) -> Result<Recorded, CaptureError> {
        let stem = tap.stem();
        let create = |format: &_| {
            Written::create(directory, &stem, *format).map_err(|error| {
                CaptureError::File(directory.join(format!("{stem}.{}", format.suffix())), error)
            })
        };
        let files = tap.formats.iter().map(create).collect::<Result<_, _>>()?;
        Ok(Recorded {
            tap: tap.clone(),
            files,
            damaged: 0,
            places,
            waiting: BTreeMap::new(),
            told: 0,
        })
    }

    fn see(
        &mut self,
        at: Ps,
        next: &Waiting,
        wanted: bool,
        flows: &Flows,
        channels: &mut [Channel],
    ) -> Result<(), CaptureError> {
        let Waiting {
            place,
            ref crossing,
        } = *next;
        let (place, files) = (&mut self.places[place], &mut self.files);
        let leaves = place.tapped.leaves;
        let mut result = Ok(());
        let mut last = [0; 4];
        let mut write = |header: [u8; 4], payload: &[u8]| {
            last = header;
            result = each(files, |file| {
                file.cell(&CellSeen {
                    at,
                    leaves,
                    header,
                    payload,
                })
            });
        };
        let brought = place.take(
            crossing,
            flows,
            channels,
            if wanted { Some(&mut write) } else { None },
        )?;
        result?;
        match brought {
            Reassembled::Nothing => {}
            Reassembled::Damaged => self.damaged += u64::from(wanted),
            Reassembled::Whole(ends, octets, payload) if wanted => {
                let (vc, encapsulation) = (ends.vc, ends.encapsulation);
                let pdu = PduSeen {
                    at,
                    leaves,
                    header: last,
                    vc,
                    encapsulation,
                    octets,
                    payload,
                };
                each(files, |file| file.pdu(&pdu))?;
            }
            Reassembled::Whole(..) => {}
        }
        Ok(())
    }
}

fn each(
    files: &mut [Written],
    mut write: impl FnMut(&mut Written) -> io::Result<()>,
) -> Result<(), CaptureError> {
    files.iter_mut().try_for_each(|file| {
        write(file).map_err(|error| CaptureError::File(file.path.clone(), error))
    })
}
