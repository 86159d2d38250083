//! The tree in the order of the translation.

use std::collections::HashSet;
use std::ops::Range;

use super::projection::Projection;
use super::units::{Unit, overlap};
use super::{NodeKind, Placed};

/// The siblings before and after.
type Neighbours = (Option<usize>, Option<usize>);

impl Projection<'_> {
    /// The tree in the order of the translation, with the text shared out to text nodes.
    pub fn order(&self) -> Vec<Placed> {
        let mut placed = Vec::with_capacity(self.nodes.len() + 8);
        // What is still to come, the next one last.
        let mut pending: Vec<Placed> = self.ordered_children(None);
        pending.reverse();
        while let Some(next) = pending.pop() {
            if let Some(node) = next.node.filter(|&node| self.nodes[node].kind == NodeKind::Element) {
                pending.extend(self.ordered_children(Some(node)).into_iter().rev());
            }
            placed.push(next);
        }
        placed
    }

    fn ordered_children(&self, parent: Option<usize>) -> Vec<Placed> {
        let children = &self.children[parent.map_or(0, |parent| parent + 1)];
        let within = self.range_of(parent);
        let (mut elements, texts): (Vec<usize>, Vec<usize>) =
            children.iter().copied().partition(|&child| self.nodes[child].kind != NodeKind::Text);
        elements.sort_by_key(|&element| (self.ranges[element].start, self.ranges[element].end, element));
        let mut runs = Vec::new();
        let mut sequence = Vec::new();
        let mut end = within.start;
        for &element in &elements {
            let range = self.ranges[element].clone();
            if end < range.start {
                sequence.push(Err(runs.len()));
                runs.push(end..range.start);
            }
            end = range.end.max(end);
            sequence.push(Ok(element));
        }
        if end < within.end {
            sequence.push(Err(runs.len()));
            runs.push(end..within.end);
        }
        // The sibling elements on both sides: of text nodes in the source, of runs in the translation.
        let mut neighbours = Vec::with_capacity(texts.len());
        for (index, &child) in children.iter().enumerate() {
            if self.nodes[child].kind == NodeKind::Text {
                let element = |index: usize| children.get(index).copied();
                neighbours.push((index.checked_sub(1).and_then(element), element(index + 1)));
            }
        }
        let beside: Vec<_> = (0..sequence.len())
            .filter(|&index| sequence[index].is_err())
            .map(|index| {
                let element = |index: usize| sequence.get(index).and_then(|item| item.ok());
                (index.checked_sub(1).and_then(element), element(index + 1))
            })
            .collect();
        let nodes = self.share_out(&runs, &beside, &texts, &neighbours);
        let mut used: HashSet<usize> = nodes.iter().flatten().copied().collect();
        let groups: Vec<Vec<usize>> = nodes
            .iter()
            .map(|text| text.map_or(Vec::new(), |text| self.take_group(children, text, &mut used)))
            .collect();
        // Text nodes that get nothing keep their places as far as possible: before the next node that came after them.
        let mut unused = texts.iter().copied().filter(|text| !used.contains(text)).peekable();
        let mut ordered = Vec::with_capacity(children.len() + 2);
        let mut place = within.start;
        for item in sequence {
            let pieces = match item {
                Ok(element) => vec![(Some(element), self.ranges[element].clone())],
                Err(run) if groups[run].is_empty() => vec![(None, runs[run].clone())],
                Err(run) => self.split(&runs[run], &groups[run]),
            };
            for (node, range) in pieces {
                while let Some(text) = unused.next_if(|&text| node.is_some_and(|node| text < node)) {
                    ordered.push(Placed { node: Some(text), parent, range: place..place });
                }
                place = range.end;
                ordered.push(Placed { node, parent, range });
            }
        }
        ordered.extend(unused.map(|text| Placed { node: Some(text), parent, range: place..place }));
        ordered
    }

    /// The adjacent text nodes among which the run of `text` is to be divided: itself, and those beside it that have no run. Marks them as
    /// used.
    fn take_group(&self, children: &[usize], text: usize, used: &mut HashSet<usize>) -> Vec<usize> {
        let at = children.partition_point(|&child| child < text);
        let joins = |child: &&usize| self.nodes[**child].kind == NodeKind::Text && !used.contains(*child);
        let before = children[..at].iter().rev().take_while(joins).count();
        let behind = children[at + 1..].iter().take_while(joins).count();
        let group = children[at - before..=at + behind].to_vec();
        used.extend(&group);
        group
    }

    /// Divides a run among adjacent text nodes, in their order, so that most of it stays in the node that it comes from and as few nodes with
    /// words as possible become empty: what a page appends to a text that shows nothing could not be told from what it writes anew.
    fn split(&self, run: &Range<usize>, group: &[usize]) -> Vec<(Option<usize>, Range<usize>)> {
        let source = |text: usize| &self.source[self.nodes[text].range.clone()];
        let texts: Vec<usize> = group.iter().copied().filter(|&text| !source(text).trim().is_empty()).collect();
        let first = self.units.partition_point(|unit| unit.range.start < run.start);
        let units = &self.units[first..self.units.partition_point(|unit| unit.range.start < run.end)];
        let (rows, columns) = (units.len(), texts.len());
        // The first unit of each node; a crafted page does not get a table of arbitrary size.
        let mut starts = vec![rows; columns + 1];
        if columns > 0 {
            starts[0] = 0;
        }
        if columns > 1 && rows.saturating_mul(columns) <= 4_000_000 {
            let stays = |unit: &Unit, text: usize| {
                let range = &self.nodes[text].range;
                let share = |(origin, weight): &(Range<usize>, f32)| {
                    weight * overlap(origin, range) as f32 / origin.len().max(1) as f32
                };
                unit.weight() * unit.origins.iter().map(share).sum::<f32>()
            };
            // best[r][c]: most of the first r units that stays in the first c nodes.
            let width = columns + 1;
            let mut best = vec![0.0f32; (rows + 1) * width];
            for row in 1..=rows {
                best[row * width] = f32::NEG_INFINITY;
                for column in 1..=columns {
                    let here = best[(row - 1) * width + column] + stays(&units[row - 1], texts[column - 1]);
                    best[row * width + column] = here.max(best[row * width + column - 1]);
                }
            }
            let (mut row, mut column) = (rows, columns);
            while column > 1 {
                if row == 0 || best[row * width + column] == best[row * width + column - 1] {
                    starts[column - 1] = row;
                    column -= 1;
                } else {
                    row -= 1;
                }
            }
            if rows >= columns {
                for column in 1..columns {
                    starts[column] = starts[column].max(starts[column - 1] + 1);
                }
                for column in (1..columns).rev() {
                    starts[column] = starts[column].min(starts[column + 1] - 1);
                }
            }
        }
        // White space stays on the side of a border where it was.
        let border = |column: usize| match (starts[column], column) {
            (_, 0) | (0, _) => run.start,
            (start, _) if start == rows => run.end,
            (start, _) if source(texts[column]).starts_with(char::is_whitespace) => units[start - 1].range.end,
            (start, _) if source(texts[column - 1]).ends_with(char::is_whitespace) => units[start].range.start,
            (start, _) => units[start - 1].range.end,
        };
        let mut pieces = Vec::with_capacity(group.len());
        let mut place = run.start;
        for &text in group {
            let column = texts.partition_point(|&other| other < text);
            let end = if texts.get(column) != Some(&text) && columns > 0 {
                place
            } else if column + 1 >= columns {
                run.end
            } else {
                border(column + 1).max(place)
            };
            pieces.push((Some(text), place..end));
            place = end;
        }
        pieces
    }

    /// For each run of text, a text node or none: both ascend, no node occurs twice, as many runs as possible get one, and most text is in the
    /// node it comes from.
    fn share_out(
        &self,
        runs: &[Range<usize>],
        beside: &[Neighbours],
        texts: &[usize],
        neighbours: &[Neighbours],
    ) -> Vec<Option<usize>> {
        let (rows, columns) = (runs.len(), texts.len());
        if rows == 0 || columns == 0 {
            return vec![None; rows];
        }
        // A crafted page does not get a table of arbitrary size: its runs are taken in order.
        if rows.saturating_mul(columns) > 4_000_000 {
            return (0..rows).map(|run| texts.get(run).copied()).collect();
        }
        let mut common = vec![0.0f32; rows * columns];
        for (row, run) in runs.iter().enumerate() {
            let blank = self.translation.text[run.clone()].trim().is_empty();
            let first = self.units.partition_point(|unit| unit.range.start < run.start);
            for unit in self.units[first..].iter().take_while(|unit| unit.range.start < run.end) {
                for (origin, weight) in &unit.origins {
                    let first = texts.partition_point(|&text| self.nodes[text].range.end <= origin.start);
                    for (column, &text) in texts.iter().enumerate().skip(first) {
                        let shared = overlap(origin, &self.nodes[text].range);
                        if shared == 0 {
                            break;
                        }
                        common[row * columns + column] += weight * shared as f32 / origin.len() as f32;
                    }
                }
            }
            for (column, &text) in texts.iter().enumerate() {
                let also_blank = self.source[self.nodes[text].range.clone()].trim().is_empty();
                let (same_before, same_after) =
                    (beside[row].0 == neighbours[column].0, beside[row].1 == neighbours[column].1);
                let signs = [blank == also_blank, same_before, same_after];
                common[row * columns + column] += signs.iter().filter(|sign| **sign).count() as f32;
            }
        }
        // best[r][c]: most runs matched, then most text, of the first r runs and c nodes.
        let width = columns + 1;
        let mut best = vec![(0u32, 0.0f32); (rows + 1) * width];
        let better = |a: (u32, f32), b: (u32, f32)| if b.0 > a.0 || b.0 == a.0 && b.1 > a.1 { b } else { a };
        for row in 1..=rows {
            for column in 1..=columns {
                let (matched, text) = best[(row - 1) * width + column - 1];
                let pair = (matched + 1, text + common[(row - 1) * columns + column - 1]);
                let without = better(best[(row - 1) * width + column], best[row * width + column - 1]);
                best[row * width + column] = better(without, pair);
            }
        }
        let mut nodes = vec![None; rows];
        let (mut row, mut column) = (rows, columns);
        while row > 0 && column > 0 {
            let value = best[row * width + column];
            if value == best[row * width + column - 1] {
                column -= 1;
            } else if value == best[(row - 1) * width + column] {
                row -= 1;
            } else {
                nodes[row - 1] = Some(texts[column - 1]);
                (row, column) = (row - 1, column - 1);
            }
        }
        nodes
    }
}
