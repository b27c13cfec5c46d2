//! The GFR contract of a channel and its policer: the cells of whole frames, a minimum rate for frames (MCR), and the
//! frame-based GCRA that says which frames the minimum rate covers (TM 4.1 section 4.5.5 and appendix VI; ITU-T I.371
//! section 6.8).

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contract::Contract;
use super::gcra::VirtualScheduling;
use super::{Fine, PolicerCounts, Treatment};
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps, Rate, ServiceRate};
use crate::passing::Passing;

/// Treatment, by the network, of frames beyond the minimum rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GfrConformance {
    /// GFR.1: the network leaves CLP as the source has set it.
    #[serde(rename = "gfr-1")]
    One,
    /// GFR.2: the network tags all cells of such a frame with CLP = 1.
    #[default]
    #[serde(rename = "gfr-2")]
    Two,
}

/// GFR contract of a channel, to which the first switch of its path holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GfrConfig {
    /// Peak cell rate (PCR) of all cells.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this rate"))]
    pub pcr: Rate,
    /// Cell delay variation tolerance (CDVT) of PCR, which also adds to the tolerance of MCR.
    #[serde(default = "none")]
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this tolerance"))]
    pub cdvt: Ps,
    /// Minimum cell rate (MCR), which the network guarantees for frames with CLP = 0.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this rate"))]
    pub mcr: Rate,
    /// Maximum burst size (MBS): the tolerance of MCR is (MBS - 1) (1/MCR - 1/PCR).
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this size"))]
    pub mbs: Cells,
    /// Maximum frame size (MFS) in cells.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this size"))]
    pub mfs: Cells,
    /// Treatment of frames beyond MCR.
    #[serde(default)]
    pub conformance: GfrConformance,
}

fn none() -> Ps {
    Ps::ZERO
}

impl GfrConfig {
    /// PCR with CDVT, and MCR with MBS in place of SCR.
    pub fn contract(&self) -> Contract {
        Contract {
            pcr: self.pcr,
            cdvt: self.cdvt,
            scr: Some(self.mcr),
            mbs: Some(self.mbs),
        }
    }
    /// Findings about values that contradict each other or are out of range.
    pub fn check(&self) -> Vec<Finding> {
        let mut findings = self.contract().check();
        for finding in &mut findings {
            if finding.field == "scr" {
                finding.field = "mcr";
            }
        }
        if self.mfs.0 == 0 {
            findings.push(Finding::impossible("mfs", "must be at least 1 cell".into()));
        }
        findings
    }
    /// A finding if PDUs of `cells` cells are larger than MFS.
    pub fn check_frames(&self, cells: u64) -> Option<Finding> {
        (cells > self.mfs.0).then(|| {
            let message = format!(
                "{} are less than a PDU of {cells} cells, whose last cells are dropped",
                self.mfs
            );
            Finding::warning("mfs", message)
        })
    }
}

/// The frame of a channel that is under way.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Cells so far.
    cells: u64,
    /// CLP of the first cell.
    is_tagged: bool,
    /// True if MCR covers the frame.
    is_eligible: bool,
    /// True if a cell did not conform.
    is_cut: bool,
    /// True if a cell has passed.
    has_passed: bool,
}

/// The policer of one channel with a GFR contract.
///
/// A cell conforms if it conforms to PCR, has the CLP of its frame's first cell, and ends the frame or is not its MFS-th cell.
/// If a cell of a frame does not conform, this cell and all later cells of the frame are dropped. But the last cell passes if
/// a cell of the frame has passed, so that the receiver finds the end. The first cell decides whether MCR covers a frame with
/// CLP = 0.
#[derive(Clone, Debug)]
pub struct GfrPolicer {
    peak: VirtualScheduling,
    minimum: VirtualScheduling,
    mfs: u64,
    tags: bool,
    frame: Option<Frame>,
    counts: PolicerCounts,
}

impl GfrPolicer {
    /// A policer before the first cell. `units` converts a rate to units of service: [`ServiceRate::of_cells`].
    pub fn new(config: &GfrConfig, units: fn(Rate) -> ServiceRate) -> GfrPolicer {
        let contract = config.contract();
        let cdvt = Fine::of(config.cdvt);
        let increment = Fine::per_unit(units(config.mcr));
        let tolerance = increment
            .less(contract.peak_increment(units))
            .times(config.mbs.0.saturating_sub(1));
        GfrPolicer {
            peak: VirtualScheduling::new(contract.peak_increment(units), cdvt),
            minimum: VirtualScheduling::new(increment, tolerance.plus(cdvt)),
            mfs: config.mfs.0,
            tags: config.conformance == GfrConformance::Two,
            frame: None,
            counts: PolicerCounts::default(),
        }
    }
    /// Counts since the start of the run. A cell counts as conforming if MCR covers its frame, and this cell and all earlier
    /// cells of the frame conform.
    pub fn counts(&self) -> PolicerCounts {
        self.counts
    }
    /// Decides about a cell that arrives at `now`. `is_tagged` is true if the cell has CLP = 1.
    pub fn police(&mut self, now: Ps, passing: Passing, is_tagged: bool) -> Treatment {
        let ends = passing.ends_pdu;
        let mut frame = self.frame.unwrap_or(Frame {
            cells: 0,
            is_tagged,
            is_eligible: !is_tagged && self.minimum.conforms(now),
            is_cut: false,
            has_passed: false,
        });
        frame.cells += 1;
        let fits = ends || frame.cells < self.mfs;
        let conforms = self.peak.conforms(now) && is_tagged == frame.is_tagged && fits;
        frame.is_cut |= !conforms;
        let treatment = match frame {
            Frame {
                is_cut: true,
                has_passed,
                ..
            } if !(ends && has_passed) => Treatment::Drop,
            Frame {
                is_eligible: false,
                is_tagged: false,
                ..
            } if self.tags => Treatment::Tag,
            _ => Treatment::Pass,
        };
        if treatment != Treatment::Drop {
            self.peak.count(now, passing.units);
            if frame.is_eligible {
                self.minimum.count(now, passing.units);
            }
            frame.has_passed = true;
        }
        let is_covered = frame.is_eligible && !frame.is_cut;
        self.counts.conforming += u64::from(is_covered);
        self.counts.nonconforming += u64::from(!is_covered);
        self.counts.tagged += u64::from(treatment == Treatment::Tag);
        self.counts.dropped += u64::from(treatment == Treatment::Drop);
        self.frame = (!ends).then_some(frame);
        treatment
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;
    use crate::passing::Contents;

    /// PCR of a cell in 10 us, MCR of a cell in 40 us, MBS of 3 cells: the tolerance is 2 (40 - 10) = 60 us. MFS is 4.
    fn contract(conformance: GfrConformance) -> GfrConfig {
        GfrConfig {
            pcr: Rate::from_bps(42_400_000),
            cdvt: Ps::ZERO,
            mcr: Rate::from_bps(10_600_000),
            mbs: Cells(3),
            mfs: Cells(4),
            conformance,
        }
    }

    /// Treatment of cells at the given microseconds: `.` passes, `t` is tagged, `x` is dropped. In `cells`, `c` is a cell,
    /// `e` the end of a frame; `l` and `m` are the same with CLP = 1.
    fn treated(config: &GfrConfig, cells: &str, at: &[u64]) -> (String, PolicerCounts) {
        assert_eq!(cells.len(), at.len());
        let mut policer = GfrPolicer::new(config, ServiceRate::of_cells);
        let treat = |(kind, us): (char, &u64)| {
            let passing = Passing::new(Contents::Data, 1, "em".contains(kind));
            match policer.police(Ps::from_us(*us), passing, "lm".contains(kind)) {
                Treatment::Pass => '.',
                Treatment::Tag => 't',
                Treatment::Drop => 'x',
            }
        };
        let text = cells.chars().zip(at).map(treat).collect();
        (text, policer.counts())
    }

    #[test]
    fn the_first_cell_decides_whether_mcr_covers_a_frame() {
        // Frame 1 at 0, 10, 20: TAT of MCR is 120. Frame 2 begins at 30, before 120 - 60, and is tagged as a whole. Frame 3
        // begins at 60, exactly in time, and is covered: TAT is 200. Frame 4 at 80: tagged. Frame 4 does not count against
        // MCR, so frame 5 at 140 is covered.
        let two = contract(GfrConformance::Two);
        let at = [0, 10, 20, 30, 40, 60, 70, 80, 90, 140];
        let (text, counts) = treated(&two, "ccecececee", &at);
        assert_eq!(text, "...tt..tt.");
        assert_eq!((counts.conforming, counts.nonconforming), (6, 4));
        assert_eq!((counts.tagged, counts.dropped), (4, 0));
        // GFR.1 only counts.
        let (text, counts) = treated(&contract(GfrConformance::One), "ccecececee", &at);
        assert_eq!(text, "..........");
        assert_eq!((counts.conforming, counts.nonconforming), (6, 4));
        assert_eq!(counts.tagged, 0);
    }

    #[test]
    fn a_frame_of_the_source_with_clp_1_is_not_covered_and_does_not_count() {
        let two = contract(GfrConformance::Two);
        let (text, counts) = treated(&two, "llmcce", &[0, 10, 20, 30, 40, 50]);
        assert_eq!(text, "......");
        assert_eq!((counts.conforming, counts.tagged), (3, 0));
    }

    #[test]
    fn what_follows_a_cell_that_does_not_conform_is_dropped_but_the_end() {
        let two = contract(GfrConformance::Two);
        // 5 us is beyond PCR; 25 us would conform. The end passes. A frame whose first cell is beyond PCR is lost.
        assert_eq!(treated(&two, "cccece", &[0, 5, 25, 35, 36, 50]).0, ".xx.xx");
        // MFS is 4: the fourth cell must be the last.
        assert_eq!(treated(&two, "ccce", &[0, 10, 20, 30]).0, "....");
        assert_eq!(
            treated(&two, "ccccce", &[0, 10, 20, 30, 40, 50]).0,
            "...xx."
        );
        // CLP must stay that of the first cell.
        assert_eq!(treated(&two, "clce", &[0, 10, 20, 30]).0, ".xx.");
    }

    #[test]
    fn cdvt_and_mbs_are_tolerances() {
        let two = contract(GfrConformance::Two);
        // Frames of one cell in 10 us: three are covered, TAT 120 - 60 = 60. With MBS 4 the tolerance is 90 us, and four
        // are: TAT 160 - 90 = 70.
        let at = [0, 10, 20, 30, 40, 50, 60];
        assert_eq!(treated(&two, "eeeeeee", &at).0, "...ttt.");
        let larger = GfrConfig {
            mbs: Cells(4),
            ..two.clone()
        };
        assert_eq!(treated(&larger, "eeeeeee", &at).0, "....ttt");
        // CDVT of 30 us adds to the tolerances of PCR and MCR: four frames are covered, and two cells may come at once.
        let loose = GfrConfig {
            cdvt: Ps::from_us(30),
            ..two
        };
        assert_eq!(treated(&loose, "eeeee", &at[..5]).0, "....t");
        assert_eq!(treated(&loose, "ce", &[0, 0]).0, "..");
    }

    #[test]
    fn wrong_contracts_are_found() {
        let fields = |config: GfrConfig| {
            config
                .check()
                .iter()
                .map(|one| one.field)
                .collect::<Vec<_>>()
        };
        let good = contract(GfrConformance::One);
        assert!(fields(good.clone()).is_empty());
        assert_eq!(
            fields(GfrConfig {
                mcr: Rate::from_bps(50_000_000),
                ..good.clone()
            }),
            ["mcr"]
        );
        assert_eq!(
            fields(GfrConfig {
                mbs: Cells(0),
                ..good.clone()
            }),
            ["mbs"]
        );
        assert_eq!(
            fields(GfrConfig {
                mfs: Cells(0),
                ..good.clone()
            }),
            ["mfs"]
        );
        assert_eq!(
            good.check_frames(5).map(|finding| finding.field),
            Some("mfs")
        );
        assert_eq!(good.check_frames(4), None);
    }
}
