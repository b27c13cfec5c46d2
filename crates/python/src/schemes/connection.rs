//! A TCP connection, as a recovery in Python reads and changes it.

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::window::Window;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::attributes::unknown_attribute;
use super::random::Random;

/// The window of a TCP sender, and the contents of the last acknowledgement. Numbers are bytes.
#[pyclass(module = "cellrate._core")]
pub struct Connection {
    pub window: Window,
    pub now: Ps,
    /// Bytes that the acknowledgement newly acknowledges; 0 for a duplicate.
    #[pyo3(get)]
    pub acked: u64,
    /// Bytes sent and not acknowledged (FlightSize of RFC 5681).
    #[pyo3(get)]
    pub flight: u64,
    pub random: Random,
}

#[pymethods]
impl Connection {
    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        Err(unknown_attribute(&slf.get_type(), name))
    }
    /// Simulated time in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.now.as_secs_f64()
    }
    /// Generator of random numbers, `random.Random`. The seed follows from the seed of the run and the
    /// place of this connection.
    #[getter]
    fn random(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.random.get(py)
    }
    /// Congestion window in bytes.
    #[getter]
    fn cwnd(&self) -> u64 {
        self.window.cwnd
    }
    #[setter]
    fn set_cwnd(&mut self, bytes: f64) -> PyResult<()> {
        self.window.cwnd = whole("cwnd", bytes)?;
        Ok(())
    }
    /// Slow start threshold in bytes.
    #[getter]
    fn ssthresh(&self) -> u64 {
        self.window.ssthresh
    }
    #[setter]
    fn set_ssthresh(&mut self, bytes: f64) -> PyResult<()> {
        self.window.ssthresh = whole("ssthresh", bytes)?;
        Ok(())
    }
    /// Window in bytes that the receiver advertised last.
    #[getter]
    fn rwnd(&self) -> u64 {
        self.window.rwnd
    }
    /// Payload of a full segment in bytes.
    #[getter]
    fn mss(&self) -> u64 {
        self.window.mss
    }
    /// Half of the usable window in bytes, as whole segments, at least two: the ssthresh of 4.3BSD
    /// after a loss (RFC 2001 section 2, step 3).
    fn half(&self) -> u64 {
        self.window.half()
    }
    /// Grows the window as 4.3BSD does: slow start up to ssthresh, then congestion avoidance (RFC
    /// 2001 section 2, step 4).
    fn grow(&mut self) {
        self.window.grow_as_bsd();
    }
}

/// A number of bytes above 0; a fraction is cut off.
fn whole(what: &str, bytes: f64) -> PyResult<u64> {
    if (1.0..9e15).contains(&bytes) {
        return Ok(bytes as u64);
    }
    let message = format!("{what} cannot be {bytes}; allowed: bytes, 1 or more");
    Err(PyValueError::new_err(message))
}
