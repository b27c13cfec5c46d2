//! Free memory of the machine.

/// Bytes that are free for this process: as the system reports, or the rest of its control group's
/// limit.
pub fn available_bytes() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let system = read("/proc/meminfo").and_then(|text| of_system(&text));
    let group = read("/sys/fs/cgroup/memory.max")
        .zip(read("/sys/fs/cgroup/memory.current"))
        .and_then(|(most, now)| of_group(&most, &now));
    [system, group].into_iter().flatten().min()
}

fn of_system(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
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
    }
}
