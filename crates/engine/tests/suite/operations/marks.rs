//! Changes that a switch may make to a cell that it forwards (TM 4.0 section 5.10.6).

use cellrate_engine::atm::cell::{Info, RmCell};
use cellrate_engine::kernel::Digest;

/// Header of a cell, and contents if it is an RM cell.
pub type Seen = (Info, Option<RmCell>);

/// Panics if a cell was changed in other ways than by setting EFCI of data, lowering ER, or setting
/// CI and NI of an RM cell.
pub fn allowed((info, rm): Seen, (after, told): Seen, digest: &mut Digest) {
    assert!(after.efci() || !info.efci(), "EFCI was cleared");
    let mut expected = info;
    if after.efci() {
        assert!(info.is_data(), "EFCI of an RM cell was set");
        expected.mark_efci();
    }
    assert_eq!(after, expected, "more than EFCI was changed");
    digest.add(u64::from(after.0));
    if let (Some(before), Some(after)) = (rm, told) {
        assert!(
            after.er >= 0.0 && after.er <= before.er,
            "ER went from {} to {}",
            before.er,
            after.er
        );
        assert!(
            after.ci >= before.ci && after.ni >= before.ni,
            "CI or NI was cleared"
        );
        assert_eq!(
            (after.ccr, after.mcr, after.bn),
            (before.ccr, before.mcr, before.bn)
        );
        digest.add(after.er.to_bits() ^ u64::from(after.ci) << 1 ^ u64::from(after.ni));
    }
}
