//! Places of captures and formats of their files.

use std::str::FromStr;

use cellrate_engine::net::LinkPlan;

use cellrate::scenario::suggest::{listed, nearest};

/// Format of a capture file, as the option of the tap names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Format ERF, with a record of type ATM for each cell.
    Cells,
    /// Format ERF, with a record of type AAL5 for each PDU.
    Pdus,
    /// Format ERF, with records of both types: each PDU follows its last cell.
    Erf,
    /// Format pcap with link type USER0: the 53 octets of each cell, including the HEC.
    Line,
    /// Format pcap with link type SUNATM: each PDU with VPI, VCI and direction.
    SunAtm,
    /// Format pcap with link type RAW: the IP packet of each PDU.
    Ip,
}

impl Format {
    /// All formats of capture files.
    pub const ALL: [Format; 6] = [
        Format::Cells,
        Format::Pdus,
        Format::Erf,
        Format::Line,
        Format::SunAtm,
        Format::Ip,
    ];
    /// Formats of a tap for which the user names no format. Together they contain the cells and the
    /// PDUs once as ERF, and the PDUs also in pcap files as SUNATM and as IP.
    pub const DEFAULT: [Format; 4] = [Format::Cells, Format::Pdus, Format::SunAtm, Format::Ip];

    /// Name of the format on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Cells => "cells",
            Format::Pdus => "pdus",
            Format::Erf => "erf",
            Format::Line => "line",
            Format::SunAtm => "sunatm",
            Format::Ip => "ip",
        }
    }

    /// Ending of the file's name after the name of the tap.
    pub const fn suffix(self) -> &'static str {
        match self {
            Format::Cells => "cells.erf",
            Format::Pdus => "pdus.erf",
            Format::Erf => "erf",
            Format::Line => "line.pcap",
            Format::SunAtm => "sunatm.pcap",
            Format::Ip => "ip.pcap",
        }
    }
}

/// A tap, a place of capture, as the user requests it: `POINT` or `POINT:FORMAT,FORMAT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tap {
    /// `A->B` for a link, observed where it leaves A; `A<->B` for both directions, observed at A;
    /// `A` for all links from and to A, observed at A.
    pub point: String,
    /// Formats to be written, without repetitions.
    pub formats: Vec<Format>,
}

impl FromStr for Tap {
    type Err = String;

    fn from_str(text: &str) -> Result<Tap, String> {
        let (point, formats) = text
            .split_once(':')
            .map_or((text, None), |(point, formats)| (point, Some(formats)));
        let mut formats = match formats {
            None => Format::DEFAULT.to_vec(),
            Some(names) => names
                .split(',')
                .map(format)
                .collect::<Result<Vec<Format>, String>>()?,
        };
        formats.sort_unstable();
        formats.dedup();
        Ok(Tap {
            point: point.trim().into(),
            formats,
        })
    }
}

fn format(name: &str) -> Result<Format, String> {
    let names = Format::ALL.map(Format::name);
    let found = Format::ALL
        .into_iter()
        .find(|format| format.name() == name.trim());
    found.ok_or_else(|| {
        let meant = meant(nearest(name, names));
        format!(
            "there is no capture format `{name}`{meant} formats: {}",
            listed(&names)
        )
    })
}

fn meant(near: Option<&str>) -> String {
    near.map_or(";".into(), |near| format!(", did you mean `{near}`?"))
}

/// A directed link that a tap captures, at the tap's node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tapped {
    /// Index of the link.
    pub link: usize,
    /// True if the link leaves the tap's node. The cells of such a link are recorded when they have
    /// left the node, the cells of other links when they have arrived.
    pub leaves: bool,
}

impl Tap {
    /// The taps, each with the links that it captures among `links`; `nodes` has the names of the nodes.
    ///
    /// # Errors
    /// If there is no such place, or two taps name the same place.
    pub fn with_links(
        taps: &[Tap],
        nodes: &[&str],
        links: &[LinkPlan],
    ) -> Result<Vec<(Tap, Vec<Tapped>)>, String> {
        let with_links = |(number, tap): (usize, &Tap)| {
            let mut before = taps[..number].iter();
            if before.any(|before| before.stem() == tap.stem()) {
                return Err(format!("`{}` is captured twice", tap.point));
            }
            Ok((tap.clone(), tap.links_among(nodes, links)?))
        };
        taps.iter().enumerate().map(with_links).collect()
    }

    /// The links that the tap captures among `links`; `nodes` has the names of the nodes.
    ///
    /// # Errors
    /// If there is no such place.
    fn links_among(&self, nodes: &[&str], links: &[LinkPlan]) -> Result<Vec<Tapped>, String> {
        let named = |name: &str| links.iter().position(|link| link.name == name);
        let leaving = |link| Tapped { link, leaves: true };
        if let Some(link) = named(&self.point) {
            return Ok(vec![leaving(link)]);
        }
        if let Some((here, there)) = self.point.split_once("<->") {
            let ways = [
                named(&format!("{here}->{there}")),
                named(&format!("{there}->{here}")),
            ];
            if let [Some(out), Some(back)] = ways {
                return Ok(vec![
                    leaving(out),
                    Tapped {
                        link: back,
                        leaves: false,
                    },
                ]);
            }
        }
        if let Some(node) = nodes.iter().position(|name| *name == self.point) {
            let touching = links
                .iter()
                .enumerate()
                .filter(|(_, link)| link.from == node || link.to == node);
            return Ok(touching
                .map(|(index, link)| Tapped {
                    link: index,
                    leaves: link.from == node,
                })
                .collect());
        }
        Err(self.not_found(nodes, links))
    }

    fn not_found(&self, nodes: &[&str], links: &[LinkPlan]) -> String {
        let links = links.iter().map(|link| link.name.as_str());
        let meant = meant(nearest(&self.point, nodes.iter().copied().chain(links)));
        format!(
            "there is no place `{}` to capture at{meant} a place is a node (all its links), `A->B` (what leaves A to B) or `A<->B` (both ways, seen at A); nodes: {}",
            self.point,
            listed(nodes)
        )
    }

    /// The common beginning of the names of the tap's files.
    pub fn stem(&self) -> String {
        self.point.replace("<->", "-and-").replace("->", "-to-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_read() {
        let tap: Tap = "A->B".parse().unwrap();
        assert_eq!(
            (tap.stem().as_str(), tap.formats.as_slice()),
            ("A-to-B", &Format::DEFAULT[..])
        );
        let tap: Tap = "A<->B:ip,line,ip".parse().unwrap();
        assert_eq!(
            (tap.point.as_str(), tap.stem().as_str()),
            ("A<->B", "A-and-B")
        );
        assert_eq!(tap.formats, [Format::Line, Format::Ip]);
    }

    #[test]
    fn a_format_that_is_none_is_refused() {
        let expected = "there is no capture format `cell`, did you mean `cells`? formats: `cells`, `pdus`, `erf`, `line`, `sunatm`, `ip`";
        assert_eq!("A:cell".parse::<Tap>(), Err(expected.into()));
        assert!("A:".parse::<Tap>().is_err());
    }
}
