//! A link at a place of capture: the contents of its cells on each channel, and the PDUs that
//! arrive complete.

use std::collections::BTreeMap;

use cellrate_engine::atm::aal5::{Outcome, Reassembler};
use cellrate_engine::atm::cell::{Body, Kind};
use cellrate_engine::atm::rm;
use cellrate_engine::atm::{Crossing, Plan};
use cellrate_engine::net::ChannelId;

use super::aal5::{self, CELL_PAYLOAD};
use super::atm;
use super::channels::{self, Channel, Numbered};
use super::ends::Ends;
use super::error::CaptureError;
use super::packet::{self, Filling};
use super::tap::Tapped;
use super::{credit, payload};

/// Identifiers of all flows in packets and cells, and the options that extend their headers.
pub struct Flows {
    /// Identifiers of each flow (VPI/VCI, addresses, ports), in the order of the flows in the plan.
    pub ends: Vec<Ends>,
    fillings: Vec<Filling>,
    over_tcp: Vec<bool>,
}

impl Flows {
    /// The identifiers `ends` of all flows of a plan. Headers are prepared only for the flows for which
    /// `seen` is true.
    ///
    /// # Errors
    /// If headers of such a flow cannot be written.
    pub fn of(plan: &Plan, ends: Vec<Ends>, seen: impl Fn(usize) -> bool) -> Result<Flows, String> {
        let over_tcp: Vec<bool> = plan
            .flows
            .iter()
            .map(|flow| flow.source.over_tcp())
            .collect();
        let mut fillings = vec![Filling::default(); ends.len()];
        for (number, of) in ends
            .iter()
            .enumerate()
            .filter(|(number, _)| over_tcp[*number] && seen(*number))
        {
            let named = |message| {
                format!(
                    "`tcp.header_bytes` of `{}`: {message}",
                    plan.flows[number].name
                )
            };
            fillings[number] = Filling::of(of).map_err(named)?;
        }
        Ok(Flows {
            ends,
            fillings,
            over_tcp,
        })
    }
}

const TOO_MANY: &str =
    "a capture can distinguish 2^20 cells of a channel, but more are on their way at once";

/// A link that is captured, with the channels that cross it.
pub struct Place {
    /// The link, and the end from which it is observed.
    pub tapped: Tapped,
    passing: BTreeMap<ChannelId, Passing>,
    bare: Vec<u8>,
}

/// A channel on a captured link.
struct Passing {
    /// Number of this link among the tapped links of the channel, see [`Channel::tap`].
    cursor: usize,
    reassembler: Reassembler,
    /// Number of the PDU whose octets were encoded last.
    encoded: Option<u64>,
    octets: Vec<u8>,
    payload: usize,
}

/// A callback that receives the first four octets of a cell, and the 48 octets after the HEC.
pub type Write<'a> = &'a mut dyn FnMut([u8; 4], &[u8]);

/// State of the reassembly of a PDU after a cell.
pub enum Reassembled<'a> {
    /// The PDU is not complete yet.
    Nothing,
    /// The cell was the last of its PDU, but other cells of the PDU are missing.
    Damaged,
    /// The PDU is complete. The values are the identifiers of its flow, all octets with pad and
    /// trailer, and the number of octets before the pad.
    Whole(&'a Ends, &'a [u8], usize),
}

impl Place {
    /// The tapped link with all channels that cross it.
    pub fn new(tapped: Tapped, plan: &Plan, channels: &mut [Channel]) -> Place {
        let crossing = plan
            .channels()
            .filter(|channel| plan.path(*channel).contains(&tapped.link));
        let passing = crossing.map(|channel| {
            let cursor = channels[channel.index()].tap();
            (
                channel,
                Passing {
                    cursor,
                    reassembler: Reassembler::default(),
                    encoded: None,
                    octets: Vec::new(),
                    payload: 0,
                },
            )
        });
        Place {
            tapped,
            passing: passing.collect(),
            bare: Vec::new(),
        }
    }

    /// Makes the octets of a cell and passes them to `write`, if it is given. Returns the state of
    /// the cell's PDU.
    ///
    /// # Errors
    /// If more cells of the channel are in flight than there are cell numbers.
    pub fn take<'a>(
        &'a mut self,
        crossing: &Crossing,
        flows: &'a Flows,
        channels: &mut [Channel],
        write: Option<Write<'_>>,
    ) -> Result<Reassembled<'a>, CaptureError> {
        let Some(channel) = crossing.channel else {
            if let (Some(write), Some(Body::Credit(cell))) = (write, &crossing.body) {
                write(
                    atm::header(credit::VC, crossing.info),
                    &credit::payload(cell),
                );
            }
            return Ok(Reassembled::Nothing);
        };
        let flow = channel.flow();
        let header = atm::header(flows.ends[flow].vc, crossing.info);
        if let Some(Body::Rm(contents)) = &crossing.body {
            if let Some(write) = write {
                write(
                    header,
                    &rm::encode(contents, crossing.info.kind() == Kind::Brm),
                );
            }
            return Ok(Reassembled::Nothing);
        }
        if !flows.over_tcp[flow] {
            if let Some(write) = write {
                self.bare.clear();
                let begin = u64::from(crossing.info.number()) * CELL_PAYLOAD as u64;
                payload::write(
                    &mut self.bare,
                    flows.ends[flow].flow,
                    !channel.is_forward(),
                    begin,
                    CELL_PAYLOAD,
                );
                write(header, &self.bare);
            }
            return Ok(Reassembled::Nothing);
        }
        let passing = self
            .passing
            .get_mut(&channel)
            .expect("a channel keeps its way");
        passing.take(
            crossing,
            (channel, header),
            flows,
            &mut channels[channel.index()],
            write,
        )
    }
}

impl Passing {
    fn take<'a>(
        &'a mut self,
        crossing: &Crossing,
        (of_channel, header): (ChannelId, [u8; 4]),
        flows: &'a Flows,
        channel: &mut Channel,
        write: Option<Write<'_>>,
    ) -> Result<Reassembled<'a>, CaptureError> {
        let ended = match &crossing.body {
            Some(Body::Pdu(pdu)) => Some(pdu),
            _ => None,
        };
        // After the cell numbers have wrapped, the PDU with this number may not be the PDU that
        // ends here.
        let of = channel.pdu_of(self.cursor, crossing.info);
        let of = of.filter(|(_, begun)| ended.is_none_or(|pdu| pdu.segment == begun.segment));
        let of = of.ok_or_else(|| CaptureError::Request(TOO_MANY.into()))?;
        if let Some(write) = write {
            self.encode(of, of_channel, flows);
            let begin = channels::index(&of.1, crossing.info) as usize * CELL_PAYLOAD;
            write(header, &self.octets[begin..begin + CELL_PAYLOAD]);
        }
        let Some(pdu) = ended else {
            self.reassembler.on_cell(crossing.info);
            return Ok(Reassembled::Nothing);
        };
        Ok(match self.reassembler.on_eom(crossing.info, pdu) {
            Outcome::Corrupt | Outcome::Errored => Reassembled::Damaged,
            Outcome::Delivered(_) => {
                self.encode(of, of_channel, flows);
                Reassembled::Whole(&flows.ends[of_channel.flow()], &self.octets, self.payload)
            }
        })
    }

    /// Makes the octets of a PDU, unless it is the PDU that was encoded last.
    ///
    /// # Panics
    /// If the number of octets does not match the number of cells sent, which shows an error in the
    /// program.
    fn encode(&mut self, (number, pdu): Numbered, channel: ChannelId, flows: &Flows) {
        if self.encoded == Some(number) {
            return;
        }
        let (flow, backward) = (channel.flow(), !channel.is_forward());
        self.octets.clear();
        packet::write(
            &mut self.octets,
            &flows.ends[flow],
            flows.fillings[flow],
            backward,
            number as u16,
            &pdu.segment,
        );
        self.payload = self.octets.len();
        aal5::complete(&mut self.octets);
        let (octets, cells) = (self.octets.len(), usize::from(pdu.cells));
        assert_eq!(
            octets,
            cells * CELL_PAYLOAD,
            "a PDU of flow {flow} travels as {cells} cells and is written as {octets} octets"
        );
        self.encoded = Some(number);
    }
}
