//! Lists of models: any bytes, whatever form they take themselves for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::model::catalogue::{Catalogue, Quality};

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut catalogue) = Catalogue::read("https://models.example/list.json", bytes) else { return };
    for model in &catalogue.models {
        assert!(model.files.iter().all(|file| !file.locations.is_empty() && !file.name.contains(['/', '\\'])));
    }
    let models = catalogue.models.len();
    catalogue.add(catalogue.clone());
    assert_eq!(catalogue.models.len(), models);
    let _ = catalogue.route("fr", "de", Quality::Small);
});
