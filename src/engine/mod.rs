//! Search, batching and the scheduler.
