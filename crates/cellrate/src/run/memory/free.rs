//! Free memory of the machine.

/// Bytes of memory that this process may still take. The least of: the free memory of the system,
/// the rest of the control group's limit, and the rest of the address space (`ulimit -v`).
pub fn available_bytes() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let system = read("/proc/meminfo").and_then(|text| of_system(&text));
    let group = read("/sys/fs/cgroup/memory.max")
        .zip(read("/sys/fs/cgroup/memory.current"))
        .and_then(|(most, now)| of_group(&most, &now));
    let space = read("/proc/self/limits")
        .zip(read("/proc/self/status"))
        .and_then(|(limits, status)| of_space(&limits, &status));
    [system, group, space].into_iter().flatten().min()
}

fn of_system(meminfo: &str) -> Option<u64> {
    kibibytes(meminfo, "MemAvailable:")
}

fn of_space(limits: &str, status: &str) -> Option<u64> {
    let space = |line: &&str| line.starts_with("Max") && line.contains("address");
    let limit = limits.lines().find(space)?;
    let most: u64 = limit.split_whitespace().nth(3)?.parse().ok()?;
    Some(most.saturating_sub(kibibytes(status, "VmSize:")?))
}

/// Bytes in the line that begins with `name`; the line states them in "kB", which means KiB.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

fn of_group(most: &str, now: &str) -> Option<u64> {
    let (most, now): (u64, u64) = (most.trim().parse().ok()?, now.trim().parse().ok()?);
    Some(most.saturating_sub(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_read_from_what_linux_says() {
        let meminfo =
            "MemTotal:       24625388 kB\nMemFree:         1 kB\nMemAvailable:   23948120 kB\n";
        assert_eq!(of_system(meminfo), Some(23_948_120 * 1024));
        assert_eq!(of_system("nothing"), None);
        assert_eq!(of_group("1000\n", "400\n"), Some(600));
        assert_eq!(of_group("max\n", "400\n"), None);
        let limit = |bytes| {
            format!(
                "Limit        Soft Limit  Hard Limit  Units\nMax address space    {bytes}  unlimited  bytes\n"
            )
        };
        let status = "Name:\tcellrate\nVmSize:\t   3 kB\n";
        assert_eq!(of_space(&limit("4096"), status), Some(1024));
        assert_eq!(of_space(&limit("unlimited"), status), None);
    }
}
