//! The command line of Wanderwort.
fn main() {}
