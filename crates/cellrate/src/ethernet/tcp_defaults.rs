//! TCP's defaults over Ethernet: those of today's hosts, in place of those of the papers on ATM.

use serde_json::Value;

use crate::scenario::document::{Entry, Item, Table, Value as Written, read};
use crate::scenario::source::Span;

/// Keys of `[tcp]` that have another default over Ethernet.
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

/// With time stamps, whose option takes 12 bytes of each packet.
const MSS_WITH_STAMPS: u64 = 1_448;

/// Adds the defaults to `[tcp]` of a document, where it has no value of its own, and the MSS with time stamps
/// to flows that turn them on.
pub fn add(root: &mut Table) {
    let has_own = |table: Option<&Item>| match table.map(|item| &item.value) {
        Some(Written::Table(tcp)) => tcp.get("mss").is_some(),
        _ => false,
    };
    let has_mss = has_own(root.get("tcp"));
    let flows = root.get_mut("flow").map(|item| &mut item.value);
    if let Some(Written::Array(flows)) = flows.filter(|_| !has_mss) {
        for flow in flows {
            let Written::Table(flow) = &mut flow.value else {
                continue;
            };
            if let Some(Written::Table(tcp)) = flow.get_mut("tcp").map(|item| &mut item.value)
                && is_stamped(tcp)
                && tcp.get("mss").is_none()
            {
                let defaults = defaults().entries.into_iter();
                let mss = defaults.filter(|entry| entry.key == "mss");
                mss.for_each(|entry| tcp.set(with_stamps(entry)));
            }
        }
    }
    if root.get("tcp").is_none() {
        let span = Span {
            text: 0,
            start: 0,
            end: 0,
        };
        let item = Item {
            value: Written::Table(Table::default()),
            span,
        };
        let key = "tcp".into();
        root.set(Entry { key, span, item });
    }
    let Some(Written::Table(tcp)) = root.get_mut("tcp").map(|item| &mut item.value) else {
        return;
    };
    let stamped = is_stamped(tcp);
    for entry in defaults().entries {
        if tcp.get(&entry.key).is_none() {
            let is_less = entry.key == "mss" && stamped;
            tcp.set(if is_less { with_stamps(entry) } else { entry });
        }
    }
}

fn is_stamped(tcp: &Table) -> bool {
    let stamps = tcp.get("timestamps").map(|item| &item.value);
    matches!(stamps, Some(Written::Boolean(true)))
}

/// The default MSS with time stamps.
fn with_stamps(mut mss: Entry) -> Entry {
    mss.item.value = Written::String(format!("{MSS_WITH_STAMPS} bytes"));
    mss
}

/// Writes the defaults into the schema.
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
