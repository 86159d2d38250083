use super::*;

fn data(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/data/compressed/{name}", env!("CARGO_MANIFEST_DIR"))).expect("test data")
}

fn unpack(packed: &[u8], piece: usize, size: Option<u64>) -> Result<Vec<u8>, Error> {
    let mut unpacker = Unpacker::new("file", size);
    let mut content = Vec::new();
    let mut give = |bytes: &[u8]| {
        content.extend_from_slice(bytes);
        Ok::<_, Error>(())
    };
    for piece in packed.chunks(piece) {
        unpacker.push(piece, &mut give)?;
    }
    unpacker.finish(&mut give)?;
    Ok(content)
}

/// The text that the gzip and Zstandard programs themselves packed.
fn text() -> Vec<u8> {
    let text = unpack(&data("text.gz"), usize::MAX, None).expect("it is whole");
    assert_eq!(text.len(), 300_009);
    text
}

#[test]
fn pieces_of_any_size_give_the_same() {
    let text = text();
    for name in ["text.gz", "text.zst"] {
        for piece in [1, 2, 3, 5, 17, 18, 4096, 1 << 20] {
            assert_eq!(unpack(&data(name), piece, None).unwrap(), text, "{name} in pieces of {piece}");
        }
    }
    for piece in [1, 7, 1 << 20] {
        assert_eq!(unpack(&text, piece, None).unwrap(), text);
    }
    for short in [&b""[..], b"a", b"abc", &[0x1f], &[0x28, 0xb5]] {
        assert_eq!(unpack(short, 1, None).unwrap(), short);
    }
}

#[test]
fn files_that_follow_each_other_are_one() {
    let text = text();
    for name in ["text.gz", "text.zst"] {
        let twice = [data(name), data(name)].concat();
        assert_eq!(unpack(&twice, 1000, None).unwrap(), [&text[..], &text].concat(), "{name}");
    }
    // A frame that is shorter than the longest header.
    let empty = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00];
    assert_eq!(unpack(&empty, 1, None).unwrap(), b"");
}

#[test]
fn what_is_cut_or_damaged_is_refused() {
    for name in ["text.gz", "text.zst"] {
        let packed = data(name);
        for cut in [4, 5, 10, 18, 1000, packed.len() / 2, packed.len() - 1] {
            assert!(unpack(&packed[..cut], 64, None).is_err(), "{name} cut at {cut}");
        }
        for at in [packed.len() / 3, packed.len() - 2] {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            assert!(unpack(&damaged, 64, None).is_err(), "{name} damaged at {at}");
        }
        let rubbish = [&packed[..], b"and more"].concat();
        assert!(unpack(&rubbish, 64, None).is_err() || name == "text.gz", "{name} with rubbish behind it");
    }
}

#[test]
fn nothing_larger_than_announced_comes_out() {
    for name in ["text.gz", "text.zst"] {
        assert!(unpack(&data(name), 999, Some(300_009)).is_ok());
        let error = unpack(&data(name), 999, Some(300_008)).unwrap_err();
        assert!(matches!(error, Error::Malformed { fault: Fault::Count { limit: 300_008, .. }, .. }), "{error}");
    }
}
