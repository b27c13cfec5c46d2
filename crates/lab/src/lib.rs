//! The simulator behind the lab's page: runs that a user watches, rewinds and zooms into. The page
//! sends questions, see [`message`]; [`exports`] has the functions that it calls in WebAssembly.

mod atm;
pub mod curves;
mod ethernet;
pub mod exports;
pub mod message;
pub mod picture;
pub mod shown;
mod tracks;
pub mod watched;

#[cfg(test)]
mod tests;
