//! A block's tree in the numbers that JavaScript sends and receives.
//!
//! A node is four numbers: index of the element it is in or [`NONE`], kind ([`KINDS`]), start and end in the text, in UTF-16
//! code units. A place is four too: index of the source's node or [`NONE`] for a text node to be made, index of the element it is
//! in or [`NONE`], start and end in the translation.

use super::offsets::Units;
use crate::text::markup::{MarkupError, Node, NodeKind, Placed};

/// No node.
pub const NONE: u32 = u32::MAX;

/// Kinds of nodes by their numbers.
const KINDS: [NodeKind; 3] = [NodeKind::Element, NodeKind::Verbatim, NodeKind::Text];

/// The tree of a block. A border inside a surrogate pair moves before it.
///
/// # Errors
/// If a node is incomplete or of no known kind. Whether the nodes are a tree is for
/// [`check_tree`](crate::text::markup::check_tree) to say.
pub fn nodes(text: &str, numbers: &[u32]) -> Result<Vec<Node>, MarkupError> {
    let units = Units::new(text);
    let parse = |(index, node): (usize, &[u32])| {
        let error = |expected| MarkupError::Node { node: index, expected };
        let &[parent, kind, start, end] = node else {
            return Err(error("four numbers"));
        };
        let kind = *KINDS.get(kind as usize).ok_or(error("a kind from 0 to 2"))?;
        let parent = (parent != NONE).then_some(parent as usize);
        Ok(Node { parent, kind, range: units.byte(start)..units.byte(end) })
    };
    numbers.chunks(4).enumerate().map(parse).collect()
}

/// The places of a block's nodes in its translation.
pub fn places(translation: &str, placed: &[Placed]) -> Vec<u32> {
    let units = Units::new(translation);
    let index = |node: Option<usize>| node.map_or(NONE, |node| node as u32);
    let numbers = |place: &Placed| {
        [index(place.node), index(place.parent), units.at(place.range.start), units.at(place.range.end)]
    };
    placed.iter().flat_map(numbers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_in_code_units() {
        let text = "Ein 😀 größeres Haus";
        let numbers = [NONE, 2, 0, 4, NONE, 0, 4, 15, 1, 2, 4, 15, NONE, 1, 15, 20];
        let node = |parent, kind, range| Node { parent, kind, range };
        let expected = [
            node(None, NodeKind::Text, 0..4),
            node(None, NodeKind::Element, 4..19),
            node(Some(1), NodeKind::Text, 4..19),
            node(None, NodeKind::Verbatim, 19..24),
        ];
        assert_eq!(nodes(text, &numbers).unwrap(), expected);
    }

    #[test]
    fn a_border_in_a_surrogate_pair_moves_before_it() {
        let nodes = nodes("a😀b", &[NONE, 2, 0, 2, NONE, 2, 2, 4]).unwrap();
        assert_eq!([nodes[0].range.clone(), nodes[1].range.clone()], [0..1, 1..6]);
    }

    #[test]
    fn what_is_no_node_is_refused() {
        let error = |node, expected| Err(MarkupError::Node { node, expected });
        assert_eq!(nodes("a", &[NONE, 2, 0, 1, NONE, 2, 1]), error(1, "four numbers"));
        assert_eq!(nodes("a", &[NONE, 3, 0, 1]), error(0, "a kind from 0 to 2"));
    }

    #[test]
    fn places_go_in_code_units() {
        let placed =
            [Placed { node: Some(1), parent: None, range: 0..5 }, Placed { node: None, parent: Some(1), range: 5..7 }];
        assert_eq!(places("😀 äb", &placed), [1, NONE, 0, 3, NONE, 1, 3, 4]);
    }
}
