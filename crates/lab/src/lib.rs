//! The engine behind a page: runs that are watched, rewound and looked at closely. The page asks by
//! messages, see [`message`]; [`exports`] hands these over the border of WebAssembly.

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
