"""Fluid model of DCQCN: fixed point, phase margin and critical delay of N equal flows at one port.

Zhu, Ghobadi, Misra and Padhye 2016 (CoNEXT), sections 3.1 to 3.3 and appendix A. A switch marks
with probability p, which rises from 0 at a queue of Kmin to p_max at Kmax. The receiver sends at
most one CNP for each CNP interval; the sender cuts its rate at each CNP and raises it by a timer
and a byte counter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from cellrate.theory.assumptions import (
    require,
    require_not_negative,
    require_positive,
    require_share,
    require_whole,
)
from cellrate.theory.formula import Formula, Numbers, plain, taking
from cellrate.theory.phase_margin import FREQUENCIES, Complex, as_complex, phase_margin

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Loop:
    """The loop in packets and seconds, with the paper's symbols.

    Attributes:
        n: Flows.
        c: Packets/s of the link.
        r_ai: Packets/s that an additive increase adds to the target rate.
        k_min: Kmin in packets.
        slope: Probability of a mark for each packet above Kmin.
        tau: CNP interval.
        tau_alpha: Interval of the timer that lowers alpha, tau'.
        t: Interval of the timer of increases, T.
        b: Packets of the byte counter, B.
        f: Events of fast recovery, F.
        g: Gain of alpha.
        packet_bytes: Bytes of a packet.
    """

    n: float
    c: float
    r_ai: float
    k_min: float
    slope: float
    tau: float
    tau_alpha: float
    t: float
    b: float
    f: float
    g: float
    packet_bytes: float

    @property
    def share(self) -> float:
        """Rate of a flow at the fixed point, R = C / N."""
        return self.c / self.n

    def events(self, p: Complex | float, rate: Complex | float) -> tuple[Complex, ...]:
        """a, b, c, d and e of the model (section 3.2) at a mark probability and a rate."""
        # n packets have no mark with probability (1 - p)^n = exp(-n spared).
        spared = -np.log1p(-np.asarray(p, complex))
        a = -np.expm1(-self.tau * rate * spared)
        # p / ((1 - p)^-n - 1) for n packets, in a form that does not overflow.
        in_bytes, in_time = self.b * spared, self.t * rate * spared
        by_bytes = p * np.exp(-in_bytes) / -np.expm1(-in_bytes)
        by_time = p * np.exp(-in_time) / -np.expm1(-in_time)
        c = by_bytes * np.exp(-self.f * in_bytes)
        e = by_time * np.exp(-self.f * in_time)
        return a, by_bytes, c, by_time, e

    @cached_property
    def fixed_mark_probability(self) -> float:
        """Root p* of a^2 alpha = tau^2 R_AI R (b + d) (c + e); NaN if none is found."""

        def excess(log_spared: float) -> float:
            spared = np.exp(log_spared)
            log_p = np.log(-np.expm1(-spared))
            packets = np.array([self.b, self.t * self.share]) * spared
            log_b_d = log_p - packets - np.log(-np.expm1(-packets))
            log_c_e = log_b_d - self.f * packets
            log_a = np.log(-np.expm1(-self.tau * self.share * spared))
            log_alpha = np.log(-np.expm1(-self.tau_alpha * self.share * spared))
            right = 2 * np.log(self.tau) + np.log(self.r_ai) + np.log(self.share)
            rises = np.logaddexp(*log_b_d) + np.logaddexp(*log_c_e)
            return float(2 * log_a + log_alpha - rises - right)

        # The excess grows with p from minus infinity to infinity.
        low, high = -200.0, 200.0
        if not excess(low) < 0 < excess(high):
            return float("nan")
        return float(-np.expm1(-np.exp(brentq(excess, low, high, xtol=1e-14))))

    def approximate_mark_probability(self) -> float:
        """The paper's p*, by a Taylor series for small p."""
        events = 1 / self.b + self.n / (self.t * self.c)
        cubed = self.r_ai * self.n**2 / (self.tau_alpha * self.c**2) * events**2
        return float(np.cbrt(cubed))

    def alpha(self, p: float) -> float:
        """Alpha at the fixed point: the probability of a mark within an interval tau'."""
        return float(-np.expm1(self.tau_alpha * self.share * np.log1p(-p)))

    def target_rate(self, p: float) -> float:
        """Target rate R_T at the fixed point, in packets/s."""
        a, _, c, _, e = self.events(p, self.share)
        return float((self.share * (1 + self.tau * self.r_ai * (c + e) / a)).real)

    def margin(self, p: float, delay: float) -> tuple[float, float]:
        """Phase margin in degrees and its frequency in rad/s, as appendix A has them."""
        gain = self._gain(p)
        return phase_margin(lambda s: gain(s) * np.exp(-s * delay))

    def _gain(self, p: float) -> Callable[[Complex], Complex]:
        """Transfer function without its delay; names are those of the authors' program."""
        rate, alpha, target = self.share, self.alpha(p), self.target_rate(p)
        events = 1 / self.b + 1 / (self.t * rate)
        h, k = 0.5 + events / 4, self.n * self.slope
        additive = 1 + 2 * self.f + events / 2
        aa = (-(rate**2) * alpha / 2 - h * rate * target + h * rate**2) * k
        bb = -p * rate * alpha / 2 - events * rate / 2 + h * p * rate
        cc = bb + events * target / 2 - h * p * target
        dd = -p * rate**2 * self.g * self.c * k / 2
        e0 = events * rate / 2 - h * p * rate
        ee = e0 * (p * rate + events * self.r_ai)
        ff = e0 * (-p * target + p * rate + events * self.r_ai - additive * self.r_ai * p)
        gg = e0 * (-rate * target + rate**2 - additive * self.r_ai * rate) * k

        def gain(s: Complex) -> Complex:
            x, y = self.n * s + self.g * self.c, s + p * rate
            numerator = x * y * (aa + s * bb) + y * dd + x * (s * ff + gg)
            return as_complex(numerator / (-s * s * x * y + x * y * s * cc + s * x * ee))

        return gain

    def critical_delay(self, p: float) -> float:
        """Least delay of marks with which the linearised model has a root on the imaginary axis.

        The linearisation is exact, about the exact fixed point. NaN if the loop is unstable without
        delay, infinite if it is stable with every delay.
        """
        now, late = self._linearised(p)
        if not (np.isfinite(now).all() and np.isfinite(late).all()):
            return float("nan")
        if np.linalg.eigvals(now + late).real.max() >= 0:
            return float("nan")
        axis = np.eye(4)

        def turns(omega: float) -> Complex:
            """Values of exp(-i omega delay) that solve the characteristic equation."""
            # The equation is quadratic in exp(-i omega delay), since two columns of `late` are not
            # zero.
            zero, plus, minus = (
                np.linalg.det(1j * omega * axis - now - late * turn) for turn in (0, 1, -1)
            )
            return as_complex(np.roots([(plus + minus) / 2 - zero, (plus - minus) / 2, zero]))

        def inside(omega: float) -> int:
            return int((np.abs(turns(omega)) < 1).sum())

        omegas = FREQUENCIES[::12]
        counts = [inside(omega) for omega in omegas]
        delays = []
        for index in np.flatnonzero(np.diff(counts)):
            low, high = omegas[index], omegas[index + 1]
            while high - low > 1e-13 * high:
                middle = (low + high) / 2
                if middle in (low, high):
                    break
                low, high = (middle, high) if inside(middle) == counts[index] else (low, middle)
            turn = min(turns(low), key=lambda value: abs(abs(value) - 1))
            delays.append(float(-np.angle(turn) % (2 * np.pi) / low))
        return min(delays, default=float("inf"))

    def _linearised(self, p: float) -> tuple[Floats, Floats]:
        """Jacobians of (R_C, R_T, alpha, q) by the present values and by the delayed values.

        Derivatives are taken by complex steps, exact to rounding.
        """
        fixed = np.array(
            [self.share, self.target_rate(p), self.alpha(p), self.k_min + p / self.slope]
        )

        def change(x: Complex, delayed: Complex) -> Complex:
            rate, target, alpha, _ = x
            marked = self.slope * (delayed[3] - self.k_min)
            a, b, c, d, e = self.events(marked, delayed[0])
            seen = -np.expm1(self.tau_alpha * delayed[0] * np.log1p(-marked))
            return np.array(
                [
                    -rate * alpha * a / (2 * self.tau) + (target - rate) * delayed[0] * (b + d) / 2,
                    -(target - rate) * a / self.tau + self.r_ai * delayed[0] * (c + e),
                    self.g / self.tau_alpha * (seen - alpha),
                    self.n * rate - self.c,
                ]
            )

        def jacobian(of: Callable[[Complex], Complex]) -> Floats:
            steps = np.diag(np.abs(fixed) * 1e-30)
            return np.array([of(fixed + 1j * step).imag / step.sum() for step in steps]).T

        constant = fixed.astype(complex)
        return jacobian(lambda x: change(x, constant)), jacobian(lambda x: change(constant, x))


@dataclass(frozen=True)
class Loops:
    """A DCQCN loop for each element of broadcast parameter arrays, and its feedback delay."""

    loops: npt.NDArray[np.object_]
    delays: Numbers

    def of_each(self, value: Callable[[Loop, float], float]) -> Numbers:
        """Applies a function of a loop and its feedback delay to all loops."""
        with np.errstate(all="ignore"):
            return plain(np.vectorize(value, otypes=[float])(self.loops, self.delays))


def loops_of(
    flows: Numbers,
    link_bits_per_second: Numbers,
    feedback_delay_seconds: Numbers = 4e-6,
    *,
    increase_bits_per_second: Numbers = 40e6,
    kmin_bytes: Numbers = 5e3,
    kmax_bytes: Numbers = 200e3,
    p_max: Numbers = 0.01,
    cnp_interval_seconds: Numbers = 50e-6,
    alpha_interval_seconds: Numbers = 55e-6,
    increase_interval_seconds: Numbers = 55e-6,
    counter_bytes: Numbers = 10e6,
    recovery_events: Numbers = 5,
    gain: Numbers = 1 / 256,
    packet_bytes: Numbers = 1000,
    beyond_p_max: bool = False,
) -> Loops:
    """Loops from numbers or arrays, which broadcast. Defaults are those of the paper's models.

    Args:
        flows: N, flows with data without end that cross the port.
        link_bits_per_second: C, rate of the link.
        feedback_delay_seconds: tau*, from a mark to the change of the rate at the port.
        increase_bits_per_second: R_AI, what an additive increase adds to the target rate.
        kmin_bytes: Kmin; shorter queues mark nothing.
        kmax_bytes: Kmax, the queue that marks with probability `p_max`.
        p_max: Largest probability of a mark up to Kmax.
        cnp_interval_seconds: tau, least interval between CNPs of a flow.
        alpha_interval_seconds: tau', after which alpha falls without a CNP.
        increase_interval_seconds: T, interval of the timer of increases.
        counter_bytes: B, bytes between increases.
        recovery_events: F, events of fast recovery before additive increase.
        gain: g, the weight of an event in alpha.
        packet_bytes: Bytes of a packet.
        beyond_p_max: Let the probability of a mark rise linearly above Kmax, too, as in the paper's
            figures. A real switch marks every packet above Kmax.

    Raises:
        AssumptionError: A value is outside the model, or the fixed point needs more marks than
            `p_max`.
    """
    require_positive(
        flows=flows,
        link_bits_per_second=link_bits_per_second,
        increase_bits_per_second=increase_bits_per_second,
        kmax_bytes=kmax_bytes,
        cnp_interval_seconds=cnp_interval_seconds,
        alpha_interval_seconds=alpha_interval_seconds,
        increase_interval_seconds=increase_interval_seconds,
        counter_bytes=counter_bytes,
        packet_bytes=packet_bytes,
    )
    require_not_negative(feedback_delay_seconds=feedback_delay_seconds, kmin_bytes=kmin_bytes)
    require_share(p_max=p_max, gain=gain)
    require_whole(1, recovery_events=recovery_events)
    kmin, kmax = np.asarray(kmin_bytes, float), np.asarray(kmax_bytes, float)
    require(kmin < kmax, "kmin_bytes", kmin_bytes, "must be below kmax_bytes")
    size = np.asarray(packet_bytes, float)
    loops = np.vectorize(Loop, otypes=[object])(
        np.asarray(flows, float),
        np.asarray(link_bits_per_second, float) / (8 * size),
        np.asarray(increase_bits_per_second, float) / (8 * size),
        kmin / size,
        np.asarray(p_max, float) / ((kmax - kmin) / size),
        cnp_interval_seconds,
        alpha_interval_seconds,
        increase_interval_seconds,
        np.asarray(counter_bytes, float) / size,
        recovery_events,
        gain,
        size,
    )
    found = Loops(loops, feedback_delay_seconds)
    if not beyond_p_max:
        marks = found.of_each(lambda loop, _: loop.fixed_mark_probability)
        allowed = (
            "the marking probability at the fixed point exceeds p_max; beyond_p_max "
            "(--beyond-p-max) allows it"
        )
        # NaN, for no root, is refused as a result beyond the range of numbers.
        require(~(np.asarray(marks) > np.asarray(p_max)), "flows", flows, allowed)
    return found


of_parameters = taking(loops_of)
of_the_rest = taking(loops_of, but="feedback_delay_seconds")


@of_the_rest
def dcqcn_mark_probability(loops: Loops) -> Numbers:
    """Probability p* of a mark at the fixed point, the root of the model's equation."""
    return loops.of_each(lambda loop, _: loop.fixed_mark_probability)


@of_the_rest
def dcqcn_approximate_mark_probability(loops: Loops) -> Numbers:
    """p* by the paper's Taylor series, (R_AI N^2 (1/B + N / (T C))^2 / (tau' C^2))^(1/3)."""
    return loops.of_each(lambda loop, _: loop.approximate_mark_probability())


@of_the_rest
def dcqcn_queue_bytes(loops: Loops) -> Numbers:
    """Queue at the fixed point, Kmin + p* (Kmax - Kmin) / p_max."""

    def queue(loop: Loop, _: float) -> float:
        return loop.packet_bytes * (loop.k_min + loop.fixed_mark_probability / loop.slope)

    return loops.of_each(queue)


@of_the_rest
def dcqcn_alpha(loops: Loops) -> Numbers:
    """DCQCN's alpha at the fixed point: 1 - (1 - p)^(tau' R).

    p is the marking probability, tau' the interval of alpha updates (s), R the rate (packets/s).
    """
    return loops.of_each(lambda loop, _: loop.alpha(loop.fixed_mark_probability))


@of_parameters
def dcqcn_phase_margin_degrees(loops: Loops) -> Numbers:
    """Phase margin by the paper's transfer function at its p*; the loop oscillates below 0."""
    return loops.of_each(lambda loop, d: loop.margin(loop.approximate_mark_probability(), d)[0])


@of_parameters
def dcqcn_crossover_radians_per_second(loops: Loops) -> Numbers:
    """Angular frequency at which the gain of the paper's transfer function is 1."""
    return loops.of_each(lambda loop, d: loop.margin(loop.approximate_mark_probability(), d)[1])


@of_parameters
def dcqcn_phase_margin_at_root_degrees(loops: Loops) -> Numbers:
    """Phase margin by the paper's transfer function at the exact p* instead of the paper's."""
    return loops.of_each(lambda loop, d: loop.margin(loop.fixed_mark_probability, d)[0])


@of_the_rest
def dcqcn_critical_delay_seconds(loops: Loops) -> Numbers:
    """Least feedback delay at which the exact linearisation is not stable (our computation).

    The paper's transfer function leaves terms out. About the exact fixed point, rates in exponents
    and marks are delayed by tau*, and the characteristic equation is solved on the imaginary axis.
    Numbers are not finite if the loop is unstable without delay or stable with every delay.
    """
    return loops.of_each(lambda loop, _: loop.critical_delay(loop.fixed_mark_probability))


SOURCE = "Zhu, Ghobadi, Misra and Padhye 2016"

FORMULAE = (
    Formula(
        name="dcqcn-fixed-point",
        about="marks, queue and alpha at the fixed point of DCQCN's fluid model",
        equation="a^2 alpha = tau^2 R_AI R (b + d) (c + e), q = Kmin + p (Kmax - Kmin) / p_max",
        source=f"{SOURCE}, section 3.2",
        results={
            "mark_probability": dcqcn_mark_probability,
            "approximate_mark_probability": dcqcn_approximate_mark_probability,
            "queue_bytes": dcqcn_queue_bytes,
            "alpha": dcqcn_alpha,
        },
    ),
    Formula(
        name="dcqcn-phase-margin",
        about="phase margin of DCQCN's loop by the paper's transfer function",
        equation="margin = 180 degrees + phase of L(i omega) where |L| = 1",
        source=f"{SOURCE}, section 3.3 and appendix A",
        results={
            "margin_degrees": dcqcn_phase_margin_degrees,
            "crossover_radians_per_second": dcqcn_crossover_radians_per_second,
            "margin_at_root_degrees": dcqcn_phase_margin_at_root_degrees,
        },
    ),
    Formula(
        name="dcqcn-critical-delay",
        about="least feedback delay with which DCQCN's fluid model is not stable",
        equation="det(i omega I - A - B exp(-i omega tau*)) = 0",
        source=f"ours, for the model of {SOURCE}, section 3.2",
        results={"delay_seconds": dcqcn_critical_delay_seconds},
    ),
)
