//! The lines between the thread that reads and those that have them translated.

use crate::lines::Line;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// How long a window waits to fill once it has a line: input that trickles in is answered soon, and input that streams
/// in is translated in large windows.
const PATIENCE: Duration = Duration::from_millis(20);

/// The fewest bytes that one of several takers gets near the end: enough to fill batches.
const LEAST_SHARE: usize = 16 << 10;

/// A first-in first-out queue of lines that holds about `capacity` bytes of text.
pub struct LineQueue {
    capacity: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    lines: VecDeque<Line>,
    bytes: usize,
    closed: bool,
    /// Lines that were taken.
    taken: usize,
}

/// The bytes that a line counts for: its text, and what it takes to hold and answer an empty one.
fn cost(line: &Line) -> usize {
    line.text.len() + 64
}

impl LineQueue {
    /// A queue that takes lines while it holds fewer than `capacity` bytes.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, state: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the lock panics")
    }

    /// Appends a line, waiting for room.
    pub fn push(&self, line: Line) {
        let full = |state: &mut State| state.bytes >= self.capacity;
        let mut state = self.changed.wait_while(self.lock(), full).expect("no holder of the lock panics");
        state.bytes += cost(&line);
        state.lines.push_back(line);
        self.changed.notify_all();
    }

    /// Says that no more lines will come.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The next lines, about `bytes` bytes of them or fewer, at least one; waits for it. None at the end.
    pub fn take(&self, bytes: usize) -> Option<Vec<Line>> {
        self.take_share(bytes, 1).map(|(_, lines)| lines)
    }

    /// The same for one of several takers, with the number of lines before these. If less is left than all of them together would take, it is
    /// shared out in ever smaller parts, so that they finish together.
    pub fn take_share(&self, bytes: usize, takers: usize) -> Option<(usize, Vec<Line>)> {
        let mut state = loop {
            let empty = |state: &mut State| state.lines.is_empty() && !state.closed;
            let state = self.changed.wait_while(self.lock(), empty).expect("no holder of the lock panics");
            let wanted = bytes.saturating_mul(takers).min(self.capacity);
            let small = |state: &mut State| state.bytes < wanted && !state.closed && !state.lines.is_empty();
            let (state, _) =
                self.changed.wait_timeout_while(state, PATIENCE, small).expect("no holder of the lock panics");
            // Another taker may have taken them meanwhile.
            if !state.lines.is_empty() || state.closed {
                break state;
            }
        };
        let share = if takers == 1 { bytes } else { (state.bytes / takers).clamp(LEAST_SHARE.min(bytes), bytes) };
        let (first, mut window, mut taken) = (state.taken, Vec::new(), 0);
        while taken < share
            && let Some(line) = state.lines.pop_front()
        {
            taken += cost(&line);
            window.push(line);
        }
        state.bytes -= taken;
        state.taken += window.len();
        self.changed.notify_all();
        (!window.is_empty()).then_some((first, window))
    }
}

#[cfg(test)]
mod tests {
    use super::{LineQueue, cost};
    use crate::lines::{Ending, Line};
    use std::sync::Arc;
    use std::thread;

    fn line(i: usize) -> Line {
        Line { text: format!("line {i}"), ending: Ending::LineFeed }
    }

    #[test]
    fn keeps_order_and_bounds() {
        let capacity = 20 * cost(&line(0));
        let queue = Arc::new(LineQueue::new(capacity));
        let writer = thread::spawn({
            let queue = queue.clone();
            move || {
                (0..10_000).for_each(|i| queue.push(line(i)));
                queue.close();
            }
        });
        let mut next = 0;
        while let Some(window) = queue.take(capacity / 2) {
            assert!(window.len() <= 11 && queue.lock().bytes <= capacity + cost(&line(9_999)));
            for got in window {
                assert_eq!(got, line(next));
                next += 1;
            }
        }
        assert_eq!(next, 10_000);
        writer.join().expect("the writer ends");
        assert_eq!(queue.take(1), None);
    }

    #[test]
    fn several_takers_share_the_rest_and_leave_nothing() {
        let count = 20_000;
        let queue = Arc::new(LineQueue::new(64 << 20));
        (0..count).for_each(|i| queue.push(line(i)));
        queue.close();
        let takers: Vec<_> = (0..4)
            .map(|_| {
                let queue = queue.clone();
                thread::spawn(move || std::iter::from_fn(|| queue.take_share(1 << 30, 4)).collect::<Vec<_>>())
            })
            .collect();
        let mut taken: Vec<_> = takers.into_iter().flat_map(|taker| taker.join().expect("it ends")).collect();
        taken.sort_by_key(|(first, _)| *first);
        // A quarter each of what is left, in bytes: the first lines are shorter.
        assert!(taken.len() > 4 && taken[0].1.len() < count / 3, "{}", taken[0].1.len());
        let mut next = 0;
        for (first, lines) in taken {
            assert_eq!(first, next);
            assert!(lines.iter().enumerate().all(|(i, found)| *found == line(first + i)));
            next += lines.len();
        }
        assert_eq!(next, count);
    }

    #[test]
    fn a_single_line_is_not_kept_waiting() {
        let queue = LineQueue::new(1 << 20);
        queue.push(line(7));
        assert_eq!(queue.take(1 << 20), Some(vec![line(7)]));
    }
}
