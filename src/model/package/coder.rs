//! Entropy coding of quantized weights.
//!
//! The codes of a tensor are coded with asymmetric numeral systems (Duda, 2013; range variant) under one static model:
//! how often each code occurs in the tensor. The coder is the `constriction` crate's; FORMAT.md has the formulas. A
//! tensor's codes are dealt out to [`LANES`] coders in turn, whose states do not wait for each other.

use constriction::stream::model::{ContiguousCategoricalEntropyModel, ContiguousLookupDecoderModel};
use constriction::stream::stack::AnsCoder;
use constriction::stream::{Decode, Encode};

use super::super::error::Fault;

/// Probabilities are multiples of 2^−14.
const PRECISION: usize = 14;
const TOTAL: u32 = 1 << PRECISION;
/// Coders that a tensor's codes are dealt out to.
pub(super) const LANES: usize = 4;
/// A coded tensor is at most this much shorter than its codes, so that a few bytes cannot claim a huge tensor.
const LARGEST_RATIO: usize = 1 << 16;

/// Codes, each less than `alphabet`, as bytes.
pub(super) fn encode(codes: &[u8], alphabet: usize) -> Vec<u8> {
    debug_assert!(alphabet <= 256 && codes.iter().all(|&code| usize::from(code) < alphabet));
    let frequencies = frequencies(codes, alphabet);
    let mut bytes: Vec<u8> = frequencies.iter().flat_map(|frequency| frequency.to_le_bytes()).collect();
    let present: Vec<u16> = frequencies.iter().copied().filter(|&frequency| frequency > 0).collect();
    if present.len() > 1 {
        // Numbers of the codes that occur.
        let mut numbers = [0u8; 256];
        let mut next = 0;
        for (number, _) in numbers.iter_mut().zip(&frequencies).filter(|(_, frequency)| **frequency > 0) {
            *number = next;
            next = next.wrapping_add(1);
        }
        let model =
            ContiguousCategoricalEntropyModel::<u16, Vec<u16>, PRECISION>::from_nonzero_fixed_point_probabilities(
                present, false,
            )
            .expect("frequencies sum to the total");
        let lanes: Vec<Vec<u32>> = (0..LANES)
            .map(|lane| {
                let mut coder = AnsCoder::<u32, u64>::new();
                let mine: Vec<u8> = codes.iter().skip(lane).step_by(LANES).copied().collect();
                for &code in mine.iter().rev() {
                    let number = usize::from(numbers[usize::from(code)]);
                    coder.encode_symbol(number, &model).expect("the code occurs, so the model has it");
                }
                let mut words = coder.into_compressed().unwrap_or_else(|never| match never {});
                // The coder is a stack: what was written last is read first.
                words.reverse();
                words
            })
            .collect();
        bytes.extend(lanes.iter().flat_map(|words| (words.len() as u32).to_le_bytes()));
        bytes.extend(lanes.iter().flatten().flat_map(|word| word.to_le_bytes()));
    }
    bytes.resize(bytes.len().max(codes.len().div_ceil(LARGEST_RATIO)), 0);
    bytes
}

/// Reads `count` codes and gives for each its entry of `values`, which is as long as the alphabet.
pub(super) fn decode(bytes: &[u8], count: usize, values: &[i8]) -> Result<Vec<i8>, Fault> {
    let alphabet = values.len();
    let truncated = |needed: usize| Fault::Truncated { needed: needed as u64, available: bytes.len() as u64 };
    if count > bytes.len().saturating_mul(LARGEST_RATIO) {
        let limit = bytes.len().saturating_mul(LARGEST_RATIO) as u64;
        return Err(Fault::Count { what: "number of weights", found: count as u64, limit });
    }
    let (table, rest) = bytes.split_at_checked(2 * alphabet).ok_or(truncated(2 * alphabet))?;
    let frequencies: Vec<u16> =
        table.as_chunks::<2>().0.iter().map(|&frequency| u16::from_le_bytes(frequency)).collect();
    let total: u32 = frequencies.iter().map(|&frequency| u32::from(frequency)).sum();
    if total != TOTAL && count > 0 {
        return Err(Fault::Count { what: "sum of frequencies", found: total.into(), limit: TOTAL.into() });
    }
    let mut present: Vec<u16> = Vec::with_capacity(alphabet);
    let mut meanings: Vec<i8> = Vec::with_capacity(alphabet);
    for (&frequency, &value) in frequencies.iter().zip(values).filter(|(frequency, _)| **frequency > 0) {
        present.push(frequency);
        meanings.push(value);
    }
    if present.len() <= 1 {
        return Ok(vec![meanings.first().copied().unwrap_or_default(); count]);
    }
    let model =
        ContiguousLookupDecoderModel::<u16, Vec<u16>, Box<[u16]>, PRECISION>::from_nonzero_fixed_point_probabilities(
            present, false,
        )
        .map_err(|()| Fault::Parse("frequencies are no distribution".to_owned()))?;

    let (lengths, mut rest) = rest.split_at_checked(4 * LANES).ok_or(truncated(2 * alphabet + 4 * LANES))?;
    let mut lanes = Vec::with_capacity(LANES);
    for &length in lengths.as_chunks::<4>().0 {
        let length = u32::from_le_bytes(length) as usize;
        let (words, after) =
            rest.split_at_checked(length.saturating_mul(4)).ok_or(truncated(length.saturating_mul(4)))?;
        rest = after;
        let words =
            words.as_chunks::<4>().0.iter().map(|&word| Ok::<u32, std::convert::Infallible>(u32::from_le_bytes(word)));
        let Ok(coder) = AnsCoder::<u32, u64, _>::from_reversed_compressed_iter(words) else {
            return Err(Fault::Parse("coded weights start with an empty word".to_owned()));
        };
        lanes.push(coder);
    }
    let Ok([mut a, mut b, mut c, mut d]) = <[_; LANES]>::try_from(lanes) else { unreachable!("one for each lane") };
    // One bound check for all: numbers of codes are below 256.
    let mut table = [0i8; 256];
    table[..meanings.len()].copy_from_slice(&meanings);
    let mut out = vec![0i8; count];
    let (whole, last) = out.as_chunks_mut::<LANES>();
    macro_rules! next {
        ($coder:ident) => {
            match $coder.decode_symbol(&model) {
                Ok(number) => table[number & 0xff],
                Err(_) => unreachable!("reading from memory cannot fail"),
            }
        };
    }
    for group in whole {
        *group = [next!(a), next!(b), next!(c), next!(d)];
    }
    for (lane, value) in last.iter_mut().enumerate() {
        *value = match lane {
            0 => next!(a),
            1 => next!(b),
            _ => next!(c),
        };
    }
    if [a.is_empty(), b.is_empty(), c.is_empty(), d.is_empty()].contains(&false) {
        return Err(Fault::Parse("coded weights do not end where they should".to_owned()));
    }
    Ok(out)
}

/// Occurrences in units of 1 / 2^14, at least one unit for each code that occurs. Their sum is exact.
fn frequencies(codes: &[u8], alphabet: usize) -> Vec<u16> {
    let mut counts = vec![0u64; alphabet];
    for &code in codes {
        counts[usize::from(code)] += 1;
    }
    let total = codes.len().max(1) as u64;
    let mut frequencies: Vec<u16> = counts
        .iter()
        .map(|&count| if count == 0 { 0 } else { ((count * u64::from(TOTAL) + total / 2) / total).max(1) as u16 })
        .collect();
    // What rounding left over goes where it changes the fewest bits: a unit more or less at the largest share.
    while !codes.is_empty() {
        let sum: u32 = frequencies.iter().map(|&frequency| u32::from(frequency)).sum();
        let difference = i64::from(TOTAL) - i64::from(sum);
        if difference == 0 {
            break;
        }
        let largest = frequencies.iter_mut().max().expect("there are codes");
        let step = difference.clamp(-i64::from(*largest / 2), i64::from(TOTAL));
        *largest = (i64::from(*largest) + step) as u16;
    }
    frequencies
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(alphabet: usize) -> Vec<i8> {
        (0..alphabet).map(|value| value as u8 as i8).collect()
    }

    fn round_trip(codes: &[u8], alphabet: usize) -> usize {
        let bytes = encode(codes, alphabet);
        let expected: Vec<i8> = codes.iter().map(|&code| code as i8).collect();
        assert_eq!(decode(&bytes, codes.len(), &values(alphabet)).unwrap(), expected);
        bytes.len()
    }

    #[test]
    fn size_is_the_entropy() {
        // Geometric: code k with probability 2^-(k+1).
        let codes: Vec<u8> = (1u32..1 << 18).map(|index| index.trailing_zeros().min(14) as u8).collect();
        let length = round_trip(&codes, 15);
        assert!((length as f64) < 2.002 * (1 << 18) as f64 / 8.0 + 80.0, "{length}");
    }

    proptest! {
        #[test]
        fn codes_come_back(codes in prop::collection::vec(0..16u8, 0..3000)) {
            round_trip(&codes, 16);
        }

        #[test]
        fn skewed_codes_come_back(common in 0..255u8, rare in prop::collection::vec((any::<u8>(), 0..5000usize), 0..9)) {
            let mut codes = vec![common; 5000];
            for (code, place) in rare {
                codes[place] = code;
            }
            round_trip(&codes, 256);
        }

        #[test]
        fn damaged_codes_are_a_fault_or_other_codes(
            codes in prop::collection::vec(0..15u8, 1..600),
            flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..9),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = encode(&codes, 15);
            for (index, value) in flips {
                let index = index.index(bytes.len());
                bytes[index] = value;
            }
            bytes.truncate(cut.index(bytes.len() + 1));
            if let Ok(decoded) = decode(&bytes, codes.len(), &values(15)) {
                prop_assert_eq!(decoded.len(), codes.len());
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), count in 0..5000usize) {
            let _ = decode(&bytes, count, &values(15));
        }
    }

    #[test]
    fn a_few_bytes_cannot_claim_a_huge_tensor() {
        assert!(matches!(decode(&[0; 60], 1 << 40, &values(15)), Err(Fault::Count { .. })));
        // All weights equal: next to no bytes, yet within the bound.
        assert!(round_trip(&vec![3; 10 << 20], 15) <= 160);
    }
}
