//! Defaults of TCP over Ethernet: the values of today's hosts, in place of the values in the papers on ATM.

use cellrate_engine::tcp::TcpConfig;
use serde_json::Value;

use crate::scenario::document::{Entry, Table, Value as Written, read};

/// Keys of `[tcp]` with another default over Ethernet than over ATM.
const DEFAULTS: &str = r#"
recovery = "sack"           # RFC 6675
mss = "1460 bytes"          # MTU of 1,500 less the headers of IP and TCP
window = "1 MiB"
initial_window = 10         # RFC 6928
granularity = "1 ms"
initial_rto = "1 s"         # RFC 6298 (2.1)
min_rto = "200 ms"          # TCP_RTO_MIN of Linux
max_rto = "120 s"           # TCP_RTO_MAX of Linux
delayed_ack_interval = "40 ms"
"#;

fn defaults() -> Table {
    read(DEFAULTS, 0).unwrap_or_default()
}

/// The parameters of TCP over Ethernet for a scenario that sets none.
pub fn config() -> TcpConfig {
    let table = toml::Table::from(&defaults());
    table.try_into().unwrap_or_default()
}

/// MSS with timestamps, whose TCP option takes 12 bytes of each packet.
const MSS_WITH_STAMPS: u64 = 1_448;

/// Adds these defaults to `[tcp]` of the document `root` for keys that it lacks. Also adds the MSS with
/// timestamps to flows that switch timestamps on.
pub fn add(root: &mut Table) {
    let lacks_mss = |tcp: &Table| tcp.get("mss").is_none();
    if root.table_mut("tcp").is_none_or(|tcp| lacks_mss(tcp)) {
        let own = root
            .tables_mut("flow")
            .filter_map(|flow| flow.table_mut("tcp"));
        own.filter(|tcp| lacks_mss(tcp)).for_each(shorten_stamped);
    }
    if root.get("tcp").is_none() {
        root.put("tcp", Written::Table(Table::default()));
    }
    let Some(tcp) = root.table_mut("tcp") else {
        return;
    };
    if lacks_mss(tcp) {
        shorten_stamped(tcp);
    }
    for entry in defaults().entries {
        if tcp.get(&entry.key).is_none() {
            tcp.set(entry);
        }
    }
}

/// Sets the MSS to a value that leaves space for timestamps, if timestamps are on.
fn shorten_stamped(tcp: &mut Table) {
    let stamps = tcp.get("timestamps").map(|item| &item.value);
    if stamps == Some(&Written::Boolean(true)) {
        tcp.put("mss", Written::String(format!("{MSS_WITH_STAMPS} bytes")));
    }
}

/// Writes these defaults into the schema.
pub fn document(schema: &mut Value) {
    for Entry { key, item, .. } in defaults().entries {
        let value = match item.value {
            Written::String(text) => text.into(),
            Written::Integer(number) => i64::try_from(number).unwrap_or(0).into(),
            _ => continue,
        };
        schema["$defs"]["TcpConfig"]["properties"][&key]["default"] = value;
    }
}
