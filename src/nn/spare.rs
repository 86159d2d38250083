//! Memory of what has left, reused for what comes.

/// Takes the memory that fits best: the smallest with enough room, or else the largest, which then has to grow. So only as many become large as
/// had to be large at the same time, and not all of them in the end.
pub(crate) fn take<T>(spare: &mut Vec<T>, needed: usize, room: impl Fn(&T) -> usize) -> Option<T> {
    let rooms = || spare.iter().map(&room).enumerate();
    let fitting = rooms().filter(|(_, room)| *room >= needed).min_by_key(|(_, room)| *room);
    let (index, _) = fitting.or_else(|| rooms().max_by_key(|(_, room)| *room))?;
    Some(spare.swap_remove(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_that_is_enough() {
        let mut spare = vec![10, 30, 20];
        let mut take = |needed| take(&mut spare, needed, |room| *room);
        assert_eq!(take(15), Some(20));
        assert_eq!(take(40), Some(30));
        assert_eq!(take(0), Some(10));
        assert_eq!(take(0), None);
    }
}
