//! The recurrent encoder: stacks of layers that read forwards and backwards.
//!
//! What inputs contribute is one product for all pieces of all sentences. The steps follow one another, each with a row for every
//! sentence that has not ended, the longest first.

use super::Buffers;
use super::gru::{CandidateBias, Gru};
use crate::kernels::{Backend, elementwise};
use crate::model::{Config, EncoderKind, Recurrent};
use crate::nn::NetworkError;
use crate::nn::linear::Quantized;
use crate::nn::tensors::Tensors;
use crate::nn::workspace::{Workspace, sized};

/// A recurrent encoder.
#[derive(Debug)]
pub struct RecurrentEncoder {
    backend: Backend,
    forward: Vec<Layer>,
    backward: Vec<Layer>,
    /// Layers above both directions.
    upper: Vec<Layer>,
    alternating: bool,
    skip: bool,
    width: usize,
}

/// Cells one after the other; the first reads.
type Layer = Vec<Gru>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

impl RecurrentEncoder {
    pub(crate) fn take(tensors: &mut Tensors, config: &Config, recurrent: &Recurrent) -> Result<Self, NetworkError> {
        let both_ways = if recurrent.encoder == EncoderKind::BiUnidirectional { 1 } else { config.encoder_depth };
        let width = recurrent.dim;
        let mut layer = |inner: usize, prefix: &dyn Fn(usize) -> String| {
            let cell = |number| {
                let inner = (number == 1).then_some(inner);
                let outside = CandidateBias::OutsideReset;
                Gru::take(tensors, &prefix(number), inner, width, recurrent.layer_normalization, outside)
            };
            (1..=recurrent.encoder_cells).map(cell).collect::<Result<Layer, NetworkError>>()
        };
        let mut stack = |direction: &str| {
            let named = |number: usize| match number {
                1 => layer(config.dim, &|cell| match cell {
                    1 => format!("encoder_{direction}"),
                    _ => format!("encoder_{direction}_cell{cell}"),
                }),
                _ => layer(width, &|cell| format!("encoder_{direction}_l{number}_cell{cell}")),
            };
            (1..=both_ways).map(named).collect::<Result<Vec<_>, _>>()
        };
        let (forward, backward) = (stack("bi")?, stack("bi_r")?);
        let upper = (both_ways + 1..=config.encoder_depth).map(|number| {
            let inner = if number == both_ways + 1 { 2 * width } else { width };
            layer(inner, &|cell| format!("encoder_l{number}_cell{cell}"))
        });
        let upper = upper.collect::<Result<Vec<_>, _>>()?;
        let (backend, alternating) = (tensors.backend, recurrent.encoder == EncoderKind::Alternating);
        Ok(Self { backend, forward, backward, upper, alternating, skip: recurrent.skip, width })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.forward.iter().chain(&self.backward).chain(&self.upper).flatten().map(Gru::bytes).sum()
    }

    /// Transforms the workspace's rows, whose width changes.
    pub(crate) fn apply(&self, lengths: &[usize], workspace: &mut Workspace) {
        let Workspace { rows, quantized, recurrent: buffers, .. } = workspace;
        let count: usize = lengths.iter().sum();
        buffers.order.clear();
        buffers.order.extend(0..lengths.len());
        buffers.order.sort_unstable_by_key(|&sentence| (std::cmp::Reverse(lengths[sentence]), sentence));
        self.transduce(&self.backward, Direction::Backward, rows, lengths, buffers, quantized);
        std::mem::swap(&mut buffers.below, &mut buffers.other);
        self.transduce(&self.forward, Direction::Forward, rows, lengths, buffers, quantized);
        rows.clear();
        let other = buffers.other[..count * self.width].chunks_exact(self.width);
        for (forward, backward) in buffers.below.chunks_exact(self.width).zip(other) {
            rows.extend_from_slice(forward);
            rows.extend_from_slice(backward);
        }
        if !self.upper.is_empty() {
            self.transduce(&self.upper, Direction::Forward, rows, lengths, buffers, quantized);
            rows.clear();
            rows.extend_from_slice(&buffers.below[..count * self.width]);
        }
    }

    /// What a stack of layers makes of `rows`, left in `buffers.below`.
    fn transduce(
        &self,
        stack: &[Layer],
        mut direction: Direction,
        rows: &[f32],
        lengths: &[usize],
        buffers: &mut Buffers,
        quantized: &mut Quantized,
    ) {
        let count: usize = lengths.iter().sum();
        for (depth, layer) in stack.iter().enumerate() {
            let Buffers { inputs, below, above, .. } = &mut *buffers;
            let input = if depth == 0 { rows } else { &below[..count * self.width] };
            sized(above, count * self.width);
            layer[0].project(self.backend, input, quantized, sized(inputs, 3 * count * self.width));
            self.read(layer, direction, lengths, buffers, quantized);
            let Buffers { below, above, .. } = buffers;
            if self.skip && depth > 0 {
                elementwise::add(self.backend, &mut above[..count * self.width], &below[..count * self.width]);
            }
            std::mem::swap(below, above);
            if self.alternating {
                direction = match direction {
                    Direction::Forward => Direction::Backward,
                    Direction::Backward => Direction::Forward,
                };
            }
        }
    }

    /// All steps of one layer, from `buffers.inputs` to `buffers.above`.
    fn read(
        &self,
        layer: &Layer,
        direction: Direction,
        lengths: &[usize],
        buffers: &mut Buffers,
        quantized: &mut Quantized,
    ) {
        let Buffers { inputs, gathered, recurrent, states, above, order, starts, .. } = buffers;
        let width = self.width;
        starts.clear();
        let mut start = 0;
        for &length in lengths {
            starts.push(start);
            start += length;
        }
        states.clear();
        states.resize(lengths.len() * width, 0.0);
        let mut active = order.len();
        for step in 0.. {
            while active > 0 && lengths[order[active - 1]] <= step {
                active -= 1;
            }
            if active == 0 {
                break;
            }
            let place = |sentence: usize| match direction {
                Direction::Forward => starts[sentence] + step,
                Direction::Backward => starts[sentence] + lengths[sentence] - 1 - step,
            };
            gathered.clear();
            for &sentence in &order[..active] {
                gathered.extend_from_slice(&inputs[3 * width * place(sentence)..][..3 * width]);
            }
            let states = &mut states[..active * width];
            for (number, cell) in layer.iter().enumerate() {
                let projected = (number == 0).then_some(&gathered[..]);
                cell.step(self.backend, projected, states, recurrent, quantized);
            }
            for (&sentence, state) in order[..active].iter().zip(states.chunks_exact(width)) {
                above[width * place(sentence)..][..width].copy_from_slice(state);
            }
        }
    }
}
