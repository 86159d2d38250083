//! Waiting sentences, taken fairly from all clients.
//!
//! Each client has a queue of its own, by priority. The next sentence is that of the client that was served least, measured in source pieces:
//! a sentence of `n` pieces moves its client's place from `s` to `s + n`. A client that had nothing to do begins at the place of the client
//! being served now, so that idling earns no credit. This is start-time fair queueing (Goyal, Vin, Cheng, 1996).

use super::worker::Job;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// By priority (highest first), then by request, whose numbers count up, then by sentence.
type Place = (Reverse<i32>, u64, usize);

#[derive(Debug, Default)]
struct Client {
    /// Where its next sentence begins, in source pieces.
    start: u64,
    jobs: BTreeMap<Place, Job>,
}

/// Waiting sentences, see the module.
#[derive(Debug, Default)]
pub struct Queue {
    clients: HashMap<u64, Client>,
    /// Where the sentence that was taken last began.
    now: u64,
    length: usize,
}

impl Queue {
    /// Number of sentences.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Adds a client's sentences. Among one client's, higher priorities go first.
    pub fn add(&mut self, client: u64, priority: i32, jobs: impl IntoIterator<Item = Job>) {
        let client = self.clients.entry(client).or_default();
        if client.jobs.is_empty() {
            client.start = client.start.max(self.now);
        }
        let before = client.jobs.len();
        client.jobs.extend(jobs.into_iter().map(|job| ((Reverse(priority), job.request, job.index), job)));
        self.length += client.jobs.len() - before;
    }

    /// The next sentence.
    pub fn pop(&mut self) -> Option<Job> {
        let waiting = self.clients.iter_mut().filter(|(_, client)| !client.jobs.is_empty());
        let (_, client) = waiting.min_by_key(|(id, client)| (client.start, **id))?;
        let (_, job) = client.jobs.pop_first()?;
        self.length -= 1;
        self.now = client.start;
        client.start += job.source.len() as u64;
        if client.jobs.is_empty() {
            // A client that is ahead of the others is remembered until they have caught up.
            self.clients.retain(|_, client| !client.jobs.is_empty() || client.start > self.now);
        }
        Some(job)
    }

    /// Drops a request's sentences.
    pub fn cancel(&mut self, request: u64) {
        for client in self.clients.values_mut() {
            let before = client.jobs.len();
            client.jobs.retain(|(_, other, _), _| *other != request);
            self.length -= before - client.jobs.len();
        }
    }

    /// Moves a request to another place among its client's requests.
    pub fn set_priority(&mut self, request: u64, priority: i32) {
        for client in self.clients.values_mut() {
            let moved: Vec<Place> = client.jobs.keys().filter(|(_, other, _)| *other == request).copied().collect();
            for place in moved {
                if let Some(job) = client.jobs.remove(&place) {
                    client.jobs.insert((Reverse(priority), place.1, place.2), job);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn jobs(request: u64, count: usize, pieces: usize) -> Vec<Job> {
        let job = |index| Job {
            request,
            index,
            source: vec![0; pieces],
            candidates: Arc::from([]),
            limit: 0,
            prefix: Vec::new(),
        };
        (0..count).map(job).collect()
    }

    /// The requests in the order in which their sentences are taken.
    fn order(queue: &mut Queue) -> Vec<u64> {
        std::iter::from_fn(|| queue.pop()).map(|job| job.request).collect()
    }

    #[test]
    fn clients_share_by_pieces() {
        let mut queue = Queue::default();
        queue.add(1, 0, jobs(10, 4, 20));
        queue.add(2, 0, jobs(20, 4, 10));
        assert_eq!(queue.len(), 8);
        assert_eq!(order(&mut queue), [10, 20, 20, 10, 20, 20, 10, 10]);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn who_comes_late_is_next_and_no_more() {
        let mut queue = Queue::default();
        queue.add(1, 0, jobs(10, 6, 10));
        for _ in 0..3 {
            queue.pop();
        }
        queue.add(2, 0, jobs(20, 3, 10));
        assert_eq!(order(&mut queue), [20, 10, 20, 10, 20, 10]);
    }

    #[test]
    fn one_after_the_other_gains_nothing() {
        let mut queue = Queue::default();
        queue.add(1, 0, jobs(10, 4, 10));
        queue.add(2, 0, jobs(20, 1, 40));
        assert_eq!([queue.pop(), queue.pop()].map(|job| job.map(|job| job.request)), [Some(10), Some(20)]);
        // The long sentence is paid for although the client has left in between.
        queue.add(2, 0, jobs(21, 1, 40));
        assert_eq!(order(&mut queue), [10, 10, 10, 21]);
    }

    #[test]
    fn priorities_order_what_one_client_wants() {
        let mut queue = Queue::default();
        queue.add(1, 0, jobs(10, 2, 10));
        queue.add(1, 1, jobs(11, 1, 10));
        queue.add(2, -5, jobs(20, 1, 10));
        queue.set_priority(10, 2);
        assert_eq!(order(&mut queue), [10, 20, 10, 11]);
    }

    #[test]
    fn what_is_cancelled_is_gone() {
        let mut queue = Queue::default();
        queue.add(1, 0, jobs(10, 2, 10));
        queue.add(1, 0, jobs(11, 1, 10));
        queue.cancel(10);
        assert_eq!(queue.len(), 1);
        assert_eq!(order(&mut queue), [11]);
    }
}
