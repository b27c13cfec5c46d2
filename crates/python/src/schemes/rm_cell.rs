//! RM cells and data cells, as a control scheme in Python reads and changes them.

use super::attributes::unknown_attribute;
use cellrate_engine::passing::{Passing, RateRecord};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// The error of a hook that kept a cell after the call for which the cell was valid.
fn gone(kind: &str) -> PyErr {
    PyRuntimeError::new_err(format!(
        "this {kind} has passed; it is valid only during the call of the hook that got it"
    ))
}

/// An RM cell that passes a port. The object is valid only during the call of the hook.
#[pyclass(module = "cellrate._core")]
pub struct RmCell {
    /// Number of the cell's channel at the port, from 0.
    #[pyo3(get)]
    pub channel: u32,
    pub cell: RateRecord,
    /// True during the call of the hook.
    pub is_here: bool,
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
        RmCell {
            channel: 0,
            cell,
            is_here: false,
        }
    }
    fn here(&mut self) -> PyResult<&mut RateRecord> {
        let is_here = self.is_here;
        is_here
            .then_some(&mut self.cell)
            .ok_or_else(|| gone("RM cell"))
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
    fn er(&mut self) -> PyResult<f64> {
        Ok(self.here()?.er)
    }
    #[setter]
    fn set_er(&mut self, rate: f64) -> PyResult<()> {
        if rate.is_nan() || rate < 0.0 {
            let message = format!("ER cannot be {rate}; allowed: a rate in cells/s, 0 or above");
            return Err(PyValueError::new_err(message));
        }
        let cell = self.here()?;
        cell.er = cell.er.min(rate); // TM 4.0 5.10.6 1(c)
        Ok(())
    }
    /// Current cell rate of the source in cells/s.
    #[getter]
    fn ccr(&mut self) -> PyResult<f64> {
        Ok(self.here()?.ccr)
    }
    /// Minimum cell rate of the channel in cells/s.
    #[getter]
    fn mcr(&mut self) -> PyResult<f64> {
        Ok(self.here()?.mcr)
    }
    /// Congestion indication: the source lowers its rate. A bit that is set stays set (TM 4.0
    /// section 5.10.6).
    #[getter]
    fn ci(&mut self) -> PyResult<bool> {
        Ok(self.here()?.ci)
    }
    #[setter]
    fn set_ci(&mut self, is_set: bool) -> PyResult<()> {
        self.here()?.ci |= is_set; // TM 4.0 5.10.6 1(b)
        Ok(())
    }
    /// No increase: the source does not raise its rate. A bit that is set stays set.
    #[getter]
    fn ni(&mut self) -> PyResult<bool> {
        Ok(self.here()?.ni)
    }
    #[setter]
    fn set_ni(&mut self, is_set: bool) -> PyResult<()> {
        self.here()?.ni |= is_set; // TM 4.0 5.10.6 1(b)
        Ok(())
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
    /// True during the call of the hook.
    pub is_here: bool,
}

impl DataCell {
    fn here(&mut self) -> PyResult<&mut Passing> {
        let is_here = self.is_here;
        is_here
            .then_some(&mut self.passing)
            .ok_or_else(|| gone("cell"))
    }
}

#[pymethods]
impl DataCell {
    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        Err(unknown_attribute(&slf.get_type(), name))
    }
    /// Explicit forward congestion indication. A bit that is set stays set (TM 4.0 section 5.10.6).
    #[getter]
    fn efci(&mut self) -> PyResult<bool> {
        Ok(self.here()?.is_marked())
    }
    #[setter]
    fn set_efci(&mut self, is_set: bool) -> PyResult<()> {
        let passing = self.here()?;
        if is_set {
            passing.mark(); // TM 4.0 5.10.6 1(a)
        }
        Ok(())
    }
    /// True for an RM cell, forward or backward.
    #[getter]
    fn is_rm(&mut self) -> PyResult<bool> {
        Ok(!self.here()?.is_data())
    }
    /// True if the cell ends an AAL5 PDU.
    #[getter]
    fn ends_pdu(&mut self) -> PyResult<bool> {
        let passing = self.here()?;
        Ok(passing.is_data() && passing.ends_pdu)
    }
}
