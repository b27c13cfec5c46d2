//! The cell: sixteen `Copy` bytes. RM cells, credit cells, last cells of a PDU and data cells with a sending time
//! have a body, which is stored separately.

pub use super::class::ServiceClass;
use crate::credit::CreditCell;
use crate::kernel::Ps;
use crate::net::unit::{Unit, Word};
pub use crate::passing::RateRecord as RmCell;
use crate::passing::{Contents, Passing};
use crate::tcp::Segment;

/// Number of service units that a cell takes on a line. Control schemes and discard policies count
/// in these units.
pub const CELL_UNITS: u32 = 1;

/// Kind of a cell. As on a real line, the payload type distinguishes RM cells from data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// User data (PT 0xx).
    Data = 0,
    /// Forward resource-management cell.
    Frm = 1,
    /// Backward resource-management cell.
    Brm = 2,
    /// Cell of credit control between neighbouring nodes, with a [`CreditCell`] as its body. The
    /// cell belongs to no channel.
    Credit = 3,
}

/// Header bits of a cell and the sender's sequence number of the cell, packed into 32 bits.
///
/// Bits 0-1 kind, 2 end of message (AAL5 EOM, SDU type 1), 3 EFCI, 4 CLP, 5 a [`Body`] follows. Bits 6-11
/// application bytes in the cell (0..=48), so that lost and delivered bytes can be counted anywhere. Bits 12-31
/// the cell's sequence number among the data cells of its channel, modulo 2^20.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Info(pub u32);

impl Info {
    const EOM: u32 = 1 << 2;
    const EFCI: u32 = 1 << 3;
    const CLP: u32 = 1 << 4;
    const BODY: u32 = 1 << 5;
    const PAYLOAD_SHIFT: u32 = 6;
    const NUMBER_SHIFT: u32 = 12;
    /// Modulus of the cell numbers.
    pub const NUMBERS: u32 = 1 << (32 - Self::NUMBER_SHIFT);

    /// A data cell with the given number, taken modulo [`Info::NUMBERS`].
    #[inline]
    pub const fn data(number: u32) -> Info {
        Info(number << Self::NUMBER_SHIFT)
    }
    /// The last cell of a PDU. A body must follow the cell: the [`Pdu`].
    #[inline]
    pub const fn end_of_message(number: u32) -> Info {
        Info(Self::data(number).0 | Self::EOM | Self::BODY)
    }
    /// An RM cell; `out_of_rate` sets CLP.
    #[inline]
    pub const fn rm(kind: Kind, out_of_rate: bool) -> Info {
        Info(kind as u32 | Self::BODY | if out_of_rate { Self::CLP } else { 0 })
    }
    /// A cell of credit control between neighbouring nodes.
    #[inline]
    pub const fn credit() -> Info {
        Info(Kind::Credit as u32 | Self::BODY)
    }
    /// A copy with `bytes` (at most 48) application bytes in the cell.
    #[inline]
    pub const fn with_payload(self, bytes: u32) -> Info {
        Info(self.0 | bytes << Self::PAYLOAD_SHIFT)
    }
    /// A copy with the sequence number of the next cell: one higher.
    #[inline]
    pub const fn following(self) -> Info {
        Info(self.0.wrapping_add(1 << Self::NUMBER_SHIFT))
    }
    /// Number of application bytes in the cell.
    #[inline]
    pub const fn payload(self) -> u32 {
        self.0 >> Self::PAYLOAD_SHIFT & 63
    }
    /// A copy with the bit that says that a [`Body`] follows the cell.
    #[inline]
    pub const fn with_body(self) -> Info {
        Info(self.0 | Self::BODY)
    }
    /// A copy without a [`Body::Stamp`]: the stamp exists only in the simulation, not on a real
    /// line.
    #[inline]
    pub const fn without_stamp(self) -> Info {
        if self.is_plain() {
            Info(self.0 & !Self::BODY)
        } else {
            self
        }
    }
    /// Kind of the cell.
    #[inline]
    pub const fn kind(self) -> Kind {
        match self.0 & 3 {
            0 => Kind::Data,
            1 => Kind::Frm,
            2 => Kind::Brm,
            _ => Kind::Credit,
        }
    }
    /// True for a cell of user data.
    #[inline]
    pub const fn is_data(self) -> bool {
        self.0 & 3 == 0
    }
    /// True if the cell ends an AAL5 PDU.
    #[inline]
    pub const fn is_eom(self) -> bool {
        self.0 & Self::EOM != 0
    }
    /// The EFCI bit of the cell (explicit forward congestion indication).
    #[inline]
    pub const fn efci(self) -> bool {
        self.0 & Self::EFCI != 0
    }
    /// The CLP bit of the cell (cell loss priority): 1 for out-of-rate RM cells and for cells that a
    /// policer has tagged.
    #[inline]
    pub const fn clp(self) -> bool {
        self.0 & Self::CLP != 0
    }
    /// A copy with CLP 1, as a policer tags a cell that does not conform to its contract.
    #[inline]
    pub const fn tagged(self) -> Info {
        Info(self.0 | Self::CLP)
    }
    /// True if a [`Body`] follows the cell.
    #[inline]
    pub const fn has_body(self) -> bool {
        self.0 & Self::BODY != 0
    }
    /// True for a data cell that does not end a PDU (a plain cell). No node acts on the contents of such a cell,
    /// so nodes may process such cells many at a time. The only possible body of such a cell is a stamp.
    #[inline]
    pub const fn is_plain(self) -> bool {
        self.0 & (3 | Self::EOM) == 0
    }
    /// True for a plain cell with a [`Body::Stamp`], its sending time.
    #[inline]
    pub const fn is_stamped(self) -> bool {
        self.0 & (3 | Self::EOM | Self::BODY) == Self::BODY
    }
    /// True for a plain cell that may be part of a burst of plain cells. If `STAMPED`, all cells of the burst
    /// have stamps; otherwise none has.
    #[inline(always)]
    pub const fn is_of_row<const STAMPED: bool>(self) -> bool {
        if STAMPED {
            self.is_stamped()
        } else {
            // A cell without a body is always plain.
            !self.has_body()
        }
    }
    /// Number of the cell among the data cells of its channel, modulo [`Info::NUMBERS`].
    #[inline]
    pub const fn number(self) -> u32 {
        self.0 >> Self::NUMBER_SHIFT
    }
    /// A copy with EFCI 0, as a source sends the cell (TM 4.0 source rule 12).
    #[inline]
    pub const fn without_efci(self) -> Info {
        Info(self.0 & !Self::EFCI)
    }
    /// The part of the cell that the control scheme and the discard policy of a port may read and mark.
    #[inline(always)]
    pub const fn passing(self) -> Passing {
        let contents = match self.kind() {
            Kind::Data => Contents::Data,
            Kind::Frm => Contents::Forward,
            // No control scheme sees a credit cell, because it belongs to no channel.
            Kind::Brm | Kind::Credit => Contents::Backward,
        };
        Passing::new(contents, CELL_UNITS, self.is_eom())
            .marked_if(self.efci())
            .tagged_if(self.clp())
    }
    /// A copy with EFCI set if the control scheme has marked `passing`.
    #[inline(always)]
    pub const fn marked_as(self, passing: Passing) -> Info {
        Info(self.0 | if passing.is_marked() { Self::EFCI } else { 0 })
    }
    /// Sets EFCI. A switch that forwards a cell never clears EFCI (TM 4.0 5.10.6).
    #[inline]
    pub fn mark_efci(&mut self) {
        self.0 |= Self::EFCI;
    }
}

/// A cell on a link or in a queue. `label` stands for the cell's VPI/VCI at the receiving node: an
/// index into the table of that node, which each node rewrites.
pub type Cell = Unit<Info>;

impl Word for Info {
    type Record = Body;

    #[inline(always)]
    fn has_record(self) -> bool {
        self.has_body()
    }
    #[inline(always)]
    fn is_plain(self) -> bool {
        Info::is_plain(self)
    }
    #[inline(always)]
    fn is_stamped(self) -> bool {
        Info::is_stamped(self)
    }
    #[inline(always)]
    fn stamp(sent: Ps) -> Body {
        Body::Stamp(sent)
    }
    #[inline(always)]
    fn stamp_in(body: &Body) -> Option<Ps> {
        match body {
            Body::Stamp(sent) => Some(*sent),
            _ => None,
        }
    }
}

/// The AAL5 CPCS-PDU that a last cell (EOM) ends, in place of the trailer with length and CRC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pdu {
    /// The TCP segment inside the PDU.
    pub segment: Segment,
    /// Time at which the last cell of the PDU left the source queue.
    pub sent: Ps,
    /// Number of the PDU's first cell, modulo [`Info::NUMBERS`].
    pub first: u32,
    /// Number of cells of the PDU.
    pub cells: u16,
    /// True if a switch on the path has refused a cell of the PDU. A real trailer has no such field. With this
    /// field, a PDU that loses cells at two switches is counted only once.
    pub hit: bool,
    /// True if a link has errored the payload of a cell of the PDU, which the CRC-32 of a real trailer finds. The error travels
    /// with the last cell.
    pub errored: bool,
}

impl Pdu {
    /// True if the data cell with the number `number` belongs to the PDU.
    pub fn holds(&self, number: u32) -> bool {
        number.wrapping_sub(self.first) % Info::NUMBERS < u32::from(self.cells)
    }
}

/// Data that follow a cell for which [`Info::has_body`] is true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    /// Contents of an RM cell.
    Rm(RmCell),
    /// The PDU that an EOM cell ends.
    Pdu(Pdu),
    /// Sending time of a data cell that does not end a PDU, present if cell delays are measured.
    Stamp(Ps),
    /// Contents of a credit cell.
    Credit(CreditCell),
}

impl Body {
    /// The body of the last cell of a PDU with an errored payload.
    pub fn errored(mut self) -> Body {
        if let Body::Pdu(pdu) = &mut self {
            pdu.errored = true;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_sixteen_bytes() {
        assert_eq!(size_of::<Cell>(), 16);
        assert_eq!(size_of::<Body>(), 48);
    }

    #[test]
    fn a_pdu_knows_its_cells_also_where_the_numbers_wrap() {
        let pdu = Pdu {
            segment: Segment::data(0, 1),
            sent: Ps::ZERO,
            first: Info::NUMBERS - 2,
            cells: 3,
            hit: false,
            errored: false,
        };
        let held = [
            Info::NUMBERS - 3,
            Info::NUMBERS - 2,
            Info::NUMBERS - 1,
            0,
            1,
        ]
        .map(|number| pdu.holds(number));
        assert_eq!(held, [false, true, true, true, false]);
    }

    #[test]
    fn info_keeps_its_fields_apart() {
        let mut info = Info::end_of_message(Info::NUMBERS - 1);
        assert!(info.is_data() && info.is_eom() && info.has_body() && !info.efci() && !info.clp());
        info.mark_efci();
        assert!(info.efci() && info.is_data());
        assert_eq!(info.number(), Info::NUMBERS - 1);
        let full = Info::data(5).with_payload(48);
        assert_eq!((full.payload(), full.number(), full.efci()), (48, 5, false));
        let probe = Info::rm(Kind::Frm, true);
        assert!(probe.kind() == Kind::Frm && probe.clp() && !probe.is_data());
    }
}
