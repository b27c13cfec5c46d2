//! Cell-level simulation of closed-loop flow control under TCP. No files, threads, clocks or hash
//! maps: the same scenario and seed give the same bits on every platform.
#![no_std]

extern crate alloc;

pub mod atm;
pub mod component;
pub mod control;
pub mod credit;
pub mod custom;
pub mod discard;
pub mod endsystem;
pub mod kernel;
pub mod network;
pub mod tcp;
pub mod traffic;
