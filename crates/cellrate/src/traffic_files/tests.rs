use std::fs;
use std::path::Path;

use crate::scenario::Scenario;

/// A directory with a scenario whose only flow plays back `file`.
struct Case {
    directory: tempfile::TempDir,
    text: String,
}

impl Case {
    fn new(file: &str, content: &[u8], source: &str) -> Case {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(file), content).unwrap();
        let text = format!(
            "run = {{ duration = \"100 ms\" }}\n\
             topology = {{ template = \"single-switch\", link_rate = \"50 Mbit/s\", access = \"1 km\", bottleneck = \"1 km\" }}\n\
             flow = [{{ name = \"trace\", service = \"vbr\", source = {{ {source} }} }}]\n"
        );
        Case { directory, text }
    }
    fn parse(&self, overrides: &[&str]) -> Result<Scenario, String> {
        let path = self.directory.path().join("scenario.toml");
        let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
        Scenario::parse(&self.text, &path.display().to_string(), &overrides, None)
            .map(|checked| checked.scenario().clone())
            .map_err(|refusal| {
                refusal.rendered.replace(
                    &Path::new(self.directory.path()).display().to_string(),
                    "DIR",
                )
            })
    }
}

const TRACE: &str = r#"kind = "rate-trace", file = "rates.csv""#;

#[test]
fn a_resolved_scenario_belongs_to_the_content_of_its_files() {
    let case = Case::new(
        "rates.csv",
        b"duration (ms),rate (Mbit/s)\n10,4.24\n10,0\n",
        TRACE,
    );
    let scenario = case.parse(&[]).unwrap();
    let load = scenario.flows[0].source.load();
    assert_eq!(
        load,
        cellrate_engine::traffic::Load::Own {
            mean: 5_000.0,
            peak: 10_000.0,
            // In 10 ms, 5,000 cells/s above the mean bring 50 cells; one more may come at once.
            burst: 51,
        }
    );
    let resolved = crate::scenario::resolve(&scenario);
    let hash = resolved
        .split("sha256 = \"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert_eq!(hash.len(), 64);
    // A complete scenario reads back unchanged; it is refused if the file has changed.
    let same = format!("flow.trace.source.sha256={hash}");
    assert_eq!(
        crate::scenario::resolve(&case.parse(&[&same]).unwrap()),
        resolved
    );
    fs::write(
        case.directory.path().join("rates.csv"),
        "duration (ms),rate (Mbit/s)\n10,4.25\n10,0\n",
    )
    .unwrap();
    assert_ne!(
        crate::scenario::resolve(&case.parse(&[]).unwrap()),
        resolved
    );
    let refused = case.parse(&[&same]).unwrap_err();
    assert!(
        refused.contains("DIR/rates.csv is not the file that `sha256` names: its SHA-256 is "),
        "{refused}"
    );
    assert!(refused.contains("--set:1:26"), "{refused}");
}

/// Opening a pipe without a writer would wait forever; reading an endless device would fill the
/// memory.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_read() {
    for place in ["/dev/zero", "/tmp"] {
        let source = format!(r#"kind = "rate-trace", file = "{place}""#);
        let refused = Case::new("rates.csv", b"", &source).parse(&[]).unwrap_err();
        assert!(
            refused.contains(&format!("{place} is not a regular file")),
            "{refused}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_file_is_told_at_its_name() {
    let refused = |content: &[u8], source: &str, part: &str| {
        let refused = Case::new("rates.csv", content, source)
            .parse(&[])
            .unwrap_err();
        assert!(refused.contains(part), "{refused}");
        assert!(refused.contains("DIR/scenario.toml:3:"), "{refused}");
    };
    refused(
        b"",
        r#"kind = "rate-trace", file = "other.csv""#,
        "DIR/other.csv cannot be read: No such file",
    );
    refused(
        b"duration (ms),rate (Mbit/s)\n1,2\n1,x\n",
        TRACE,
        "DIR/rates.csv, line 3: `x Mbit/s` is not a rate",
    );
    refused(
        b"duration\xff",
        TRACE,
        "DIR/rates.csv, byte 8: this is not UTF-8 text",
    );
    refused(
        b"pictures",
        r#"kind = "transport-stream", file = "rates.csv""#,
        "DIR/rates.csv, byte 0: no packet begins here",
    );
    let without = format!("{TRACE}, random_phase = true");
    refused(
        b"duration (ms),rate (Mbit/s)\n1,2",
        &without,
        "`random_phase` needs `repeat = true`",
    );
    let low = format!("{TRACE}, repeat = true, peak = \"2 Mbit/s\"");
    refused(
        b"duration (ms),rate (Mbit/s)\n1,2",
        &low,
        "`peak` is not above the mean rate",
    );
    let fine = format!("{TRACE}, repeat = true");
    refused(
        b"duration (ps),rate (Mbit/s)\n1,2\n1,3",
        &fine,
        "the rate changes every 1 ps on average",
    );
    let program = r#"kind = "transport-stream", file = "rates.csv", program = 0"#;
    refused(b"", program, "1");
}

/// The transport stream of the example was made by an encoder.
#[test]
fn the_example_is_read() {
    let text = fs::read_to_string("../../examples/video.toml").unwrap();
    let checked = Scenario::parse(&text, "../../examples/video.toml", &[], None).unwrap();
    let flow = checked
        .scenario()
        .flows
        .iter()
        .find(|flow| flow.name == "pictures")
        .unwrap();
    let content = flow.source.content().unwrap();
    // Each packet takes four cells; the stream was encoded for four seconds.
    let packets = fs::metadata("../../examples/pictures.ts").unwrap().len() / 188;
    assert!(
        (content.cells() - 4.0 * packets as f64).abs() < 0.01,
        "{}",
        content.cells()
    );
    assert!(
        (3.9..4.2).contains(&content.lasts().as_secs_f64()),
        "{}",
        content.lasts()
    );
    assert!(content.peak().cells_per_second() > 1.5 * content.mean());
}
