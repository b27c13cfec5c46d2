//! An output port, as a control scheme in Python reads it.

use cellrate_engine::kernel::Ps;
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use super::attributes::unknown_attribute;
use super::meter::Meter;
use super::random::Random;

/// An output port under control. Rates are in cells/s, times in seconds, queue lengths in cells.
#[pyclass(module = "cellrate._core")]
pub struct Port {
    /// Rate of the link.
    #[pyo3(get)]
    pub rate: f64,
    pub now: Ps,
    pub queue: Option<u64>,
    pub meter: Meter,
    pub random: Random,
}

#[pymethods]
impl Port {
    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        Err(unknown_attribute(&slf.get_type(), name))
    }
    /// Number of cells in the controlled queue, the one in service included.
    ///
    /// Raises:
    ///     RuntimeError: The length of the queue is not known now, see `knows_queue`.
    #[getter]
    fn queue(&self) -> PyResult<u64> {
        self.queue.ok_or_else(|| {
            PyRuntimeError::new_err(
                "the queue is not known when a cell ends an interval; \
                 `queue_at_every_cell = True` in the class has it computed at every cell",
            )
        })
    }
    /// True if the queue length is known. It is not known at the end of an interval that a cell
    /// brought about, unless the class sets `queue_at_every_cell = True`.
    #[getter]
    fn knows_queue(&self) -> bool {
        self.queue.is_some()
    }
    /// Simulated time in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.now.as_secs_f64()
    }
    /// Generator of random numbers, `random.Random`. The seed follows from the seed of the run and the
    /// place of this port.
    #[getter]
    fn random(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.random.get(py)
    }
    /// Number of channels through the port; they are numbered from 0.
    #[getter]
    fn channels(&self) -> usize {
        self.meter.channels()
    }
    /// Length of the last interval in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.meter.last.seconds
    }
    /// ABR cells that arrived in the last interval.
    #[getter]
    fn cells(&self) -> u64 {
        self.meter.last.cells
    }
    /// Cells of other classes that arrived in the last interval. Cells whose queue has a lower strict priority than that
    /// of ABR do not count.
    #[getter]
    fn background(&self) -> u64 {
        self.meter.last.background
    }
    /// Number of channels of which at least one ABR cell arrived in the last interval.
    #[getter]
    fn active(&self) -> u64 {
        self.meter.last.active
    }
    /// Rate of the link that the other classes left free in the last interval, at least 0.
    #[getter]
    fn capacity_left(&self) -> f64 {
        if self.meter.last.seconds > 0.0 {
            (self.rate - self.meter.last.background as f64 / self.meter.last.seconds).max(0.0)
        } else {
            self.rate
        }
    }
    /// ABR cells of a channel that arrived in the last interval.
    ///
    /// Raises:
    ///     IndexError: There is no such channel.
    fn cells_of(&self, channel: usize) -> PyResult<u64> {
        self.meter.cells_of(channel).ok_or_else(|| {
            let last = self.meter.channels().saturating_sub(1);
            PyIndexError::new_err(format!("channel {channel}: channels are 0 to {last}"))
        })
    }
    /// Rate of a channel over the last interval, in cells/s.
    ///
    /// Raises:
    ///     IndexError: There is no such channel.
    fn rate_of(&self, channel: usize) -> PyResult<f64> {
        let cells = self.cells_of(channel)?;
        Ok(if cells == 0 {
            0.0
        } else {
            cells as f64 / self.meter.last.seconds
        })
    }
    /// Has `on_interval` called whenever an interval ends, and measures over these intervals.
    ///
    /// Args:
    ///     seconds: Longest interval; at least the time in which the link sends a cell, or a byte over Ethernet.
    ///     cells: Number of ABR cells after which the interval ends early, the last of them
    ///         included.
    ///     slots: Length in cell times of the link, instead of `seconds` and `cells`.
    ///
    /// Raises:
    ///     ValueError: A length is too short, or no length or too many lengths are given.
    #[pyo3(signature = (seconds = None, cells = None, slots = None))]
    fn every(
        &mut self,
        seconds: Option<f64>,
        cells: Option<u64>,
        slots: Option<u64>,
    ) -> PyResult<()> {
        let wrong = |what: String| Err(PyValueError::new_err(what));
        match (seconds, cells, slots) {
            (None, None, Some(slots)) if slots > 0 => self.meter.every_slots(slots),
            (Some(seconds), cells, None) if cells != Some(0) => {
                let least = 1.0 / self.rate;
                if seconds.is_nan() || seconds < least * (1.0 - 1e-9) {
                    return wrong(format!(
                        "an interval of {seconds:e} s is too short: the link needs {least:.4e} s for its smallest unit, a cell or a byte"
                    ));
                }
                let interval = Ps::from_secs_f64(seconds.clamp(0.0, 1e6));
                self.meter.every(interval, cells.unwrap_or(u64::MAX));
            }
            _ => {
                return wrong(
                    "`port.every` needs `seconds`, with or without `cells` above 0, or `slots` above 0"
                        .into(),
                );
            }
        }
        Ok(())
    }
}
