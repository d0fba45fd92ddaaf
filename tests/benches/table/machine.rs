//! The machine that was measured on, and the disk's own share.

use std::fs::File;
use std::io::Write;

use super::measure::{Row, Unit, repeat};

/// Writes of a page, each forced to the disk.
const SYNCS: usize = 300;

/// Cores, kernel, and what an fsync of a page costs where the stores lie.
pub(crate) fn line() -> anyhow::Result<String> {
    let cores = std::thread::available_parallelism()?;
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let row = Row::times("fsync of 4 KiB appended", Unit::Milliseconds, &syncs()?);
    Ok(format!("Machine: {cores} cores, Linux {}. The disk alone: {row}", kernel.trim()))
}

fn syncs() -> anyhow::Result<Vec<std::time::Duration>> {
    let folder = tempfile::tempdir()?;
    let mut file = File::create(folder.path().join("page"))?;
    let mut failed = None;
    let times = repeat(SYNCS, |_| {
        let written = file.write_all(&[7; 4096]).and_then(|()| file.sync_data());
        failed = failed.take().or(written.err());
    });
    failed.map_or(Ok(times), |error| Err(error.into()))
}

/// Processor time that a process has used, in seconds.
pub(crate) fn processor_seconds(pid: u32) -> anyhow::Result<f64> {
    /// `USER_HZ`: the same on all machines that Linux runs on today.
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / TICKS_PER_SECOND)
}

/// Resident memory of a process, in KiB.
pub(crate) fn resident_kib(pid: u32) -> anyhow::Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()).unwrap_or_default();
    Ok(number.parse()?)
}
