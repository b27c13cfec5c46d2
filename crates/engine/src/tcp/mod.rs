//! TCP: a sender and a receiver as state machines that get the time as an argument. A recovery policy (Reno,
//! CUBIC, BBR ...) sets the sender's window.

pub mod blocks;
pub mod closing;
pub mod config;
mod echo;
pub mod estimator;
pub mod handshake;
pub mod intervals;
mod listening;
mod phases;
pub mod receiver;
pub mod recovery;
pub mod scoreboard;
pub mod segment;
pub mod sender;
pub mod stamps;
pub mod ticks;
pub mod window;

pub use config::{Clock, TcpConfig};
pub use handshake::{Handshake, SynOptions};
pub use phases::Phases;
pub use receiver::{ReceiveOutcome, ReceiverStats, TcpReceiver};
pub use recovery::Recovery;
pub use segment::{DataFlags, OwnFin, Segment};
pub use sender::{SenderStats, TcpEvent, TcpSender};
pub use stamps::Stamps;
