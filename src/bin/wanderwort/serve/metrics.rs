//! Figures for Prometheus. None contains anything of a text.

use crate::resources::memory;
use hyper::StatusCode;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answer {
    path: &'static str,
    status: u16,
}

/// What is counted and measured.
pub struct Metrics {
    registry: Registry,
    answers: Family<Answer, Counter>,
    seconds: Histogram,
    memory: Gauge,
    /// Characters that came to be translated.
    pub characters: Counter,
    /// Requests that were given up because the client had gone.
    pub cancelled: Counter,
    /// Open connections.
    pub connections: Gauge,
    /// Requests that are being answered.
    pub requests: Gauge,
    /// Characters that wait or are being translated, and four for each text.
    pub waiting: Gauge,
    /// Models in memory.
    pub models: Gauge,
    /// Bytes of their weights.
    pub model_bytes: Gauge,
    /// Models loaded so far.
    pub loads: Counter,
}

impl Metrics {
    pub fn new() -> Metrics {
        let metrics = Metrics {
            registry: Registry::default(),
            answers: Family::default(),
            seconds: Histogram::new(exponential_buckets(0.001, 2.0, 17)),
            memory: Gauge::default(),
            characters: Counter::default(),
            cancelled: Counter::default(),
            connections: Gauge::default(),
            requests: Gauge::default(),
            waiting: Gauge::default(),
            models: Gauge::default(),
            model_bytes: Gauge::default(),
            loads: Counter::default(),
        };
        let mut registry = Registry::with_prefix("wanderwort");
        registry.register("requests", "Answers by path and status", metrics.answers.clone());
        let help = "Time from a request's head to its answer";
        registry.register_with_unit("request", help, Unit::Seconds, metrics.seconds.clone());
        registry.register("characters", "Characters that came to be translated", metrics.characters.clone());
        let help = "Requests whose clients left before the answer";
        registry.register("cancelled_requests", help, metrics.cancelled.clone());
        registry.register("connections", "Open connections", metrics.connections.clone());
        registry.register("active_requests", "Requests that are being answered", metrics.requests.clone());
        let help = "Characters that wait or are being translated, and four for each text";
        registry.register("waiting_characters", help, metrics.waiting.clone());
        registry.register("models", "Models in memory", metrics.models.clone());
        registry.register("model_loads", "Models loaded so far", metrics.loads.clone());
        let help = "Weights of the models in memory";
        registry.register_with_unit("model", help, Unit::Bytes, metrics.model_bytes.clone());
        let help = "Memory of this process that is in use";
        registry.register_with_unit("resident_memory", help, Unit::Bytes, metrics.memory.clone());
        Metrics { registry, ..metrics }
    }

    /// Counts an answer.
    pub fn answered(&self, path: &'static str, status: StatusCode, time: Duration) {
        self.answers.get_or_create(&Answer { path, status: status.as_u16() }).inc();
        self.seconds.observe(time.as_secs_f64());
    }

    /// All figures, in the OpenMetrics text format.
    pub fn text(&self) -> String {
        self.memory.set(memory().unwrap_or(0) as i64);
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("a string takes all that is written");
        text
    }
}

/// Adds to a gauge until it is dropped.
pub struct Counted(Gauge, i64);

impl Counted {
    pub fn new(gauge: &Gauge, amount: i64) -> Counted {
        gauge.inc_by(amount);
        Counted(gauge.clone(), amount)
    }

    /// Adds so much more.
    pub fn add(&mut self, amount: i64) {
        self.0.inc_by(amount);
        self.1 += amount;
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec_by(self.1);
    }
}
