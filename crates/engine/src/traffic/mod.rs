//! Sources of traffic: applications over TCP, and sources of raw cells (without TCP). Each source
//! is one file here, with its parameters in one serde struct, and one line in the registry below.

pub mod cbr;
mod changes;
pub mod exponential_on_off;
pub mod greedy;
pub mod messages;
pub mod mmdp;
pub mod mpeg2;
pub mod object_sizes;
pub mod on_off;
pub mod persistent;
pub mod piecewise;
mod played;
pub mod poisson;
pub mod rate_trace;
mod source;
pub mod transfer;
pub mod transport_stream;
pub mod www;

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::{Component, documentation};
use crate::kernel::{Ps, Stream};

pub use source::{Bursts, Load, Playing, PlaysFile, Source};

/// State of a source that generates raw cells (without TCP).
pub trait CellSource {
    /// Time at which the next cell is generated; `NEVER` if no cell is left.
    fn next(&self) -> Ps;
    /// Generates the cell of [`CellSource::next`].
    fn advance(&mut self);
    /// Generates the cells before `limit` one after the other, until `taker` refuses one.
    #[inline(always)]
    fn generate(&mut self, limit: Ps, taker: &mut impl TakesCells) {
        loop {
            let at = self.next();
            if at >= limit || !taker.takes(at) {
                return;
            }
            self.advance();
        }
    }
}

/// The receiver of generated cells. This is a trait, because a closure cannot be marked for inlining.
pub trait TakesCells {
    /// Accepts the cell generated at `at`, or returns false, with nothing changed.
    fn takes(&mut self, at: Ps) -> bool;
}

/// An application that writes to its TCP connection.
pub trait Application {
    /// Time of the application's next write; `NEVER` if no write is left.
    fn next(&self) -> Ps;
    /// Makes the next write. Returns its number of bytes.
    fn write(&mut self) -> u64;
    /// Notification that all written data have been acknowledged.
    fn on_all_acknowledged(&mut self, _now: Ps) {}
}

/// Facilities that a source needs from its end system.
#[derive(Clone, Debug)]
pub enum Demand {
    /// A TCP connection that transfers this number of bytes; `u64::MAX` for an endless transfer.
    Bytes(u64),
    /// A TCP connection with an application that writes data at certain times.
    Writes(Writes),
    /// Raw cells (without TCP), generated at certain times.
    Cells(Cells),
    /// Raw cells (without TCP); one cell always waits to be sent.
    Persistent,
}

/// Each entry names the enum variant, the key in a scenario, a description, its source and the type
/// of the parameters, which is a [`Source`]. Sources of raw cells and applications then name the
/// type of their state.
macro_rules! registry {
    (sources { $($variant:ident = $name:literal, $about:literal, $source:literal, $config:ty;)* }
     cells { $($cells:ident($state:ty);)* }
     applications { $($writes:ident($application:ty);)* }) => {
        /// A source and its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum SourceConfig {
            $(
                #[doc = $about]
                #[serde(rename = $name)]
                #[schemars(extend("x-source" = $source, "x-documentation" = documentation::<$config>()))]
                $variant($config),
            )*
        }

        impl SourceConfig {
            /// Key of the source in scenarios.
            pub fn name(&self) -> &'static str {
                match self { $(SourceConfig::$variant(_) => $name,)* }
            }
            /// Fault of the parameters, if there is one: the field, and the allowed values.
            pub fn check(&self) -> Option<(&'static str, String)> {
                match self { $(SourceConfig::$variant(config) => config.check(),)* }
            }
            /// Load that the source puts on the links of its path.
            pub fn load(&self) -> Load {
                match self { $(SourceConfig::$variant(config) => config.load(),)* }
            }
            /// Bursts of a source with a fixed period, see [`Source::bursts`]; `None` for other
            /// sources.
            pub fn bursts(&self) -> Option<Bursts> {
                match self { $(SourceConfig::$variant(config) => config.bursts(),)* }
            }
            /// True if the source is measured from its start to its end, see
            /// [`Source::MEASURED_WHOLE`].
            pub fn is_measured_whole(&self) -> bool {
                match self { $(SourceConfig::$variant(_) => <$config as Source>::MEASURED_WHOLE,)* }
            }
            /// True if the source sends over TCP.
            pub fn over_tcp(&self) -> bool {
                match self { $(SourceConfig::$variant(_) => <$config as Source>::OVER_TCP,)* }
            }
            /// True if the source can send packets instead of cells.
            pub fn sends_packets(&self) -> bool {
                match self { $(SourceConfig::$variant(_) => <$config as Source>::SENDS_PACKETS,)* }
            }
            /// State of the source with packets instead of cells, see [`Source::packets`].
            pub fn packets(&self, bits: u64, start: Ps, stream: Stream) -> Option<Cells> {
                match self { $(SourceConfig::$variant(config) => config.packets(bits, start, stream),)* }
            }
            /// The source as a player of a file; `None` for other sources.
            fn player(&self) -> Option<&dyn PlaysFile> {
                match self { $(SourceConfig::$variant(config) => config.player(),)* }
            }
            /// Facilities that the source needs from its end system, from `start` on. `stream` provides the source's random
            /// numbers.
            pub fn demand(&self, start: Ps, stream: Stream) -> Demand {
                match self { $(SourceConfig::$variant(config) => config.demand(start, stream),)* }
            }
        }

        /// State of a source of raw cells (without TCP).
        #[derive(Clone, Debug)]
        pub enum Cells {
            $(#[doc = "See its file."] $cells($state),)*
        }

        impl CellSource for Cells {
            #[inline]
            fn next(&self) -> Ps {
                match self { $(Cells::$cells(source) => source.next(),)* }
            }
            #[inline]
            fn advance(&mut self) {
                match self { $(Cells::$cells(source) => source.advance(),)* }
            }
            #[inline(always)]
            fn generate(&mut self, limit: Ps, taker: &mut impl TakesCells) {
                match self { $(Cells::$cells(source) => source.generate(limit, taker),)* }
            }
        }

        impl Cells {
            /// Replaces the parameters from `now` on by others of the same source. Cells whose
            /// times have already been drawn keep their times.
            pub fn change(&mut self, now: Ps, config: &SourceConfig) {
                match (self, config) {
                    (Cells::Cbr(source), SourceConfig::Cbr(config)) => source.change(now, config),
                    (Cells::OnOff(source), SourceConfig::OnOff(config)) => source.change(now, config),
                    (Cells::Poisson(source), SourceConfig::Poisson(config)) => source.change(now, config),
                    _ => {}
                }
            }
        }

        /// State of an application over TCP.
        #[derive(Clone, Debug)]
        pub enum Writes {
            $(#[doc = "See its file."] $writes($application),)*
        }

        impl Application for Writes {
            fn next(&self) -> Ps {
                match self { $(Writes::$writes(source) => source.next(),)* }
            }
            fn write(&mut self) -> u64 {
                match self { $(Writes::$writes(source) => source.write(),)* }
            }
            fn on_all_acknowledged(&mut self, now: Ps) {
                match self { $(Writes::$writes(source) => source.on_all_acknowledged(now),)* }
            }
        }

        /// Key, description and source of every kind of source.
        pub fn sources() -> &'static [Component] {
            &[$(Component { name: $name, about: $about, source: $source }),*]
        }
    };
}

registry! {
    sources {
    Greedy = "greedy", "infinite file transfer over TCP", "Kalyanaraman 1997, 8.5", greedy::GreedyConfig;
    Transfer = "transfer", "file transfer of a given size over TCP", "of our own", transfer::TransferConfig;
    Messages = "messages", "messages of exponential length over TCP, with exponential pauses", "Gerla et al. 1995, III",
        messages::MessagesConfig;
    Www = "www", "pages of a Web client over one persistent TCP connection", "Kalyanaraman 1997, 8.19; SPECweb96", www::WwwConfig;
    Cbr = "cbr", "raw cells at a constant rate", "TM 4.0: CBR", cbr::CbrConfig;
    OnOff = "on-off", "raw cells at a peak rate during the ON part of each period", "Kalyanaraman 1997, 8.16", on_off::OnOffConfig;
    ExponentialOnOff = "exponential-on-off", "raw cells at a peak rate during exponential ON periods", "Ajmone Marsan et al. 1997, 4",
        exponential_on_off::ExponentialOnOffConfig;
    Mmdp = "mmdp", "raw cells of several exponential ON-OFF sources on one line", "Gerla et al. 1995, III", mmdp::MmdpConfig;
    Mpeg2 = "mpeg2", "raw cells of MPEG-2 video streams with long-range dependent rates", "Kalyanaraman 1997, 8.17; Paxson 1997", mpeg2::Mpeg2Config;
    TransportStream = "transport-stream", "raw cells of an MPEG-2 transport stream from a file", "ISO/IEC 13818-1",
        transport_stream::TransportStreamConfig;
    RateTrace = "rate-trace", "raw cells at the rates of a file", "of our own", rate_trace::RateTraceConfig;
    Poisson = "poisson", "raw cells with exponential gaps", "of our own, for M/D/1", poisson::PoissonConfig;
    Persistent = "persistent", "raw cells, as many as the service lets through", "Ohsaki et al. 1995, II", persistent::PersistentConfig;
    }
    cells {
    Cbr(cbr::Cbr);
    OnOff(on_off::OnOff);
    // The state is in a box, so that the terminals of other sources need not have its size.
    Mmdp(alloc::boxed::Box<mmdp::Mmdp>);
    Mpeg2(alloc::boxed::Box<piecewise::Piecewise<piecewise::PeakBucket<mpeg2::Encoder>>>);
    Played(alloc::boxed::Box<piecewise::Piecewise<piecewise::PeakBucket<piecewise::Listed>>>);
    Poisson(poisson::Poisson);
    }
    applications {
    Messages(messages::Messages);
    Www(www::Www);
    }
}

impl SourceConfig {
    /// Bytes of a transfer over TCP or RoCE; `None` for other sources.
    pub fn transfers(&self) -> Option<u64> {
        match self {
            SourceConfig::Transfer(transfer) => Some(transfer.size.0),
            _ => None,
        }
    }
    /// True for a source that plays a file.
    pub fn plays_file(&self) -> bool {
        self.player().is_some()
    }
    /// The pieces of the file of a source that plays a file; a piece is a span of time with a constant rate.
    /// `None` for other sources. The file must have been read.
    pub fn content(&self) -> Option<&piecewise::Pieces> {
        self.player().map(PlaysFile::content)
    }
    /// True for a source that plays its file repeatedly.
    pub fn repeats(&self) -> bool {
        self.player().is_some_and(|player| player.playing().repeat)
    }
}
