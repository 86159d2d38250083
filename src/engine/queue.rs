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

/// Where a request's sentences wait, and how many of them.
#[derive(Debug)]
struct Waiting {
    client: u64,
    priority: i32,
    sentences: usize,
}

/// Waiting sentences, see the module.
#[derive(Debug, Default)]
pub struct Queue {
    clients: HashMap<u64, Client>,
    /// Requests are found here: who leaves with many of them must not have everybody's sentences searched for each.
    requests: HashMap<u64, Waiting>,
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
        let Self { clients, requests, now, length } = self;
        let queue = clients.entry(client).or_default();
        if queue.jobs.is_empty() {
            queue.start = queue.start.max(*now);
        }
        for job in jobs {
            let waiting = requests.entry(job.request).or_insert(Waiting { client, priority, sentences: 0 });
            waiting.sentences += 1;
            *length += 1;
            queue.jobs.insert((Reverse(priority), job.request, job.index), job);
        }
    }

    /// The next sentence.
    pub fn pop(&mut self) -> Option<Job> {
        let waiting = self.clients.iter_mut().filter(|(_, client)| !client.jobs.is_empty());
        let (_, client) = waiting.min_by_key(|(id, client)| (client.start, **id))?;
        let (_, job) = client.jobs.pop_first()?;
        self.length -= 1;
        if let Some(waiting) = self.requests.get_mut(&job.request) {
            waiting.sentences -= 1;
            if waiting.sentences == 0 {
                self.requests.remove(&job.request);
            }
        }
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
        if let Some(waiting) = self.requests.remove(&request) {
            self.length -= waiting.sentences;
            self.take(request, &waiting);
        }
    }

    /// Moves a request to another place among its client's requests.
    pub fn set_priority(&mut self, request: u64, priority: i32) {
        let Some(before) = self.requests.remove(&request) else { return };
        let jobs = self.take(request, &before);
        if let Some(client) = self.clients.get_mut(&before.client) {
            client.jobs.extend(jobs.into_iter().map(|job| ((Reverse(priority), request, job.index), job)));
        }
        self.requests.insert(request, Waiting { priority, ..before });
    }

    /// Takes a request's sentences out of its client's queue.
    fn take(&mut self, request: u64, waiting: &Waiting) -> Vec<Job> {
        let Some(client) = self.clients.get_mut(&waiting.client) else { return Vec::new() };
        let priority = Reverse(waiting.priority);
        let places = client.jobs.range((priority, request, 0)..=(priority, request, usize::MAX));
        let places: Vec<Place> = places.map(|(place, _)| *place).collect();
        places.iter().filter_map(|place| client.jobs.remove(place)).collect()
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
        assert!(queue.requests.is_empty());
        // What has begun is forgotten; a request that was moved is found where it is.
        queue.add(1, 0, jobs(12, 3, 10));
        queue.add(1, 0, jobs(13, 2, 10));
        queue.pop();
        queue.set_priority(13, 5);
        queue.cancel(13);
        queue.cancel(12);
        assert_eq!((queue.len(), queue.pop().map(|job| job.request)), (0, None));
    }

    #[test]
    fn a_request_is_found_among_many() {
        // Were all sentences searched for each request, these would be ten thousand million steps.
        let mut queue = Queue::default();
        for request in 0..100_000 {
            queue.add(request % 3, 0, jobs(request, 1, 1));
        }
        for request in 0..100_000 {
            queue.set_priority(request, 1);
            queue.cancel(request);
        }
        assert_eq!(queue.len(), 0);
    }
}
