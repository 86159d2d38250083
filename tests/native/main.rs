//! Everything that runs natively with real models and files, as one program: each file of its own would link the engine again.

#[cfg(feature = "cli")]
mod floors;
#[cfg(feature = "documents")]
mod outside;
mod segment_cases;
mod shipped;
#[cfg(feature = "documents")]
mod shouting;

mod architectures;
#[cfg(feature = "cli")]
mod benchmarks;
mod capitals;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "documents")]
mod documents;
mod engine;
mod ensemble;
mod extremes;
mod golden;
mod heads;
#[cfg(feature = "documents")]
mod html;
#[cfg(feature = "cli")]
mod html_files;
mod int16;
mod integers;
#[cfg(all(unix, feature = "cli"))]
mod interruption;
mod kernels;
mod malformed_files;
mod marian_files;
mod markup;
mod memory;
#[cfg(feature = "cli")]
mod models;
#[cfg(all(unix, feature = "cli"))]
mod outputs;
mod package;
mod package_loading;
#[cfg(feature = "documents")]
mod pivot;
#[cfg(feature = "cli")]
mod processes;
mod prototype;
mod restoring;
#[cfg(feature = "cli")]
mod robustness;
mod segmentation;
#[cfg(all(unix, feature = "serve"))]
mod serve;
mod shapes;
mod signs;
mod stand_in;
mod structure;
#[cfg(feature = "cli")]
mod text_cases;
mod verbatim;
mod vocabulary;
