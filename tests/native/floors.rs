//! Cases that a model must pass, counted by category against floors.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Checks that the model shipped for `pair`, such as `en-de`, passes as many cases of `folder`'s `en-de.tsv` as its `en-de.floors.tsv` says, in each
/// category.
pub fn meets(pair: &str, folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let model = crate::shipped::model(pair);
    let mut command = Command::new(env!("CARGO_BIN_EXE_wanderwort"));
    command
        .args(["evaluate", "--failures", "--model"])
        .arg(&model)
        .arg("--checks")
        .arg(folder.join(format!("{pair}.tsv")));
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = String::from_utf8(output.stdout).expect("UTF-8");

    // The table stands at the end of the report: "names   12 of   16".
    let row = |line: &str| {
        let mut fields = line.split_whitespace();
        let (name, passed) = (fields.next()?, fields.next()?.parse::<usize>().ok()?);
        (fields.next() == Some("of")).then(|| (name.to_owned(), passed))
    };
    let passed: BTreeMap<String, usize> = report.lines().rev().map_while(row).collect();
    let floors: BTreeMap<String, usize> = std::fs::read_to_string(folder.join(format!("{pair}.floors.tsv")))
        .expect("floors")
        .lines()
        .map(|line| line.split_once('\t').expect("category, tab, floor"))
        .map(|(name, floor)| (name.to_owned(), floor.parse().expect("a number")))
        .collect();
    let names = |table: &BTreeMap<String, usize>| table.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&passed), names(&floors), "each category has a floor\n{report}");
    let below: Vec<_> = floors.iter().filter(|(name, floor)| passed[*name] < **floor).collect();
    assert!(below.is_empty(), "fewer pass than these floors: {below:?}\n{report}");
}
