//! RM cells and data cells, as a control scheme in Python reads and changes them.

use super::attributes::unknown_attribute;
use cellrate_engine::passing::{Passing, RateRecord};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An RM cell that passes a port. The object is valid only during the call of the hook.
#[pyclass(module = "cellrate._core")]
pub struct RmCell {
    /// Number of the cell's channel at the port, from 0.
    #[pyo3(get)]
    pub channel: u32,
    pub cell: RateRecord,
}

impl RmCell {
    /// A cell without contents, into which the cells of a port are copied.
    pub fn empty() -> RmCell {
        let cell = RateRecord {
            er: 0.0,
            ccr: 0.0,
            mcr: 0.0,
            ci: false,
            ni: false,
            bn: false,
        };
        RmCell { channel: 0, cell }
    }
}

#[pymethods]
impl RmCell {
    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        Err(unknown_attribute(&slf.get_type(), name))
    }
    /// Explicit rate in cells/s. A value that is set can only lower ER (TM 4.0 section 5.10.6); a
    /// higher value changes nothing.
    #[getter]
    fn er(&self) -> f64 {
        self.cell.er
    }
    #[setter]
    fn set_er(&mut self, rate: f64) -> PyResult<()> {
        if rate.is_nan() || rate < 0.0 {
            let message = format!("ER cannot be {rate}; allowed: a rate in cells/s, 0 or above");
            return Err(PyValueError::new_err(message));
        }
        self.cell.er = self.cell.er.min(rate); // TM 4.0 5.10.6 1(c)
        Ok(())
    }
    /// Current cell rate of the source in cells/s.
    #[getter]
    fn ccr(&self) -> f64 {
        self.cell.ccr
    }
    /// Minimum cell rate of the channel in cells/s.
    #[getter]
    fn mcr(&self) -> f64 {
        self.cell.mcr
    }
    /// Congestion indication: the source lowers its rate. A bit that is set stays set (TM 4.0
    /// section 5.10.6).
    #[getter]
    fn ci(&self) -> bool {
        self.cell.ci
    }
    #[setter]
    fn set_ci(&mut self, is_set: bool) {
        self.cell.ci |= is_set; // TM 4.0 5.10.6 1(b)
    }
    /// No increase: the source does not raise its rate. A bit that is set stays set.
    #[getter]
    fn ni(&self) -> bool {
        self.cell.ni
    }
    #[setter]
    fn set_ni(&mut self, is_set: bool) {
        self.cell.ni |= is_set; // TM 4.0 5.10.6 1(b)
    }
}

/// A cell under control that arrives at a port or leaves it. The object is valid only during the
/// call of the hook.
#[pyclass(module = "cellrate._core")]
pub struct DataCell {
    /// Number of the cell's channel at the port, from 0; -1 if the channel has no number there.
    #[pyo3(get)]
    pub channel: i64,
    pub passing: Passing,
}

#[pymethods]
impl DataCell {
    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        Err(unknown_attribute(&slf.get_type(), name))
    }
    /// Explicit forward congestion indication. A bit that is set stays set (TM 4.0 section 5.10.6).
    #[getter]
    fn efci(&self) -> bool {
        self.passing.is_marked()
    }
    #[setter]
    fn set_efci(&mut self, is_set: bool) {
        if is_set {
            self.passing.mark(); // TM 4.0 5.10.6 1(a)
        }
    }
    /// True for an RM cell, forward or backward.
    #[getter]
    fn is_rm(&self) -> bool {
        !self.passing.is_data()
    }
    /// True if the cell ends an AAL5 PDU.
    #[getter]
    fn ends_pdu(&self) -> bool {
        self.passing.is_data() && self.passing.ends_pdu
    }
}
