//! Marian's binary container: any bytes, read to the end, as a whole and while they arrive.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wanderwort::model::{BinReader, Error, MarianModel, Unpacker};

fuzz_target!(|bytes: &[u8]| {
    let piece = 1 + bytes.first().copied().unwrap_or_default() as usize;
    let mut unpacked = Vec::new();
    let mut unpacker = Unpacker::new("model.bin", Some(1 << 24));
    let mut add = |content: &[u8]| {
        unpacked.extend_from_slice(content);
        Ok::<_, Error>(())
    };
    let whole = bytes.chunks(piece).try_for_each(|piece| unpacker.push(piece, &mut add));
    let whole = whole.and_then(|()| unpacker.finish(&mut add));
    let mut model = Vec::new();
    let read = MarianModel::open("model.bin", &unpacked).and_then(|opened| {
        opened.tensors(|name, tensor| {
            model.push((name.to_owned(), tensor));
            Ok::<_, Error>(())
        })?;
        Ok(opened.config().clone())
    });
    if whole.is_err() || unpacked.starts_with(b"PK") || unpacked.starts_with(&[0x1f, 0x8b]) {
        return;
    }
    let mut reader = BinReader::new("model.bin");
    let mut found = Vec::new();
    let pushed = unpacked.chunks(piece).try_for_each(|piece| {
        reader.push(piece, |name, tensor| {
            found.push((name.to_owned(), tensor));
            Ok::<_, Error>(())
        })
    });
    match (pushed.and_then(|()| reader.finish()), read) {
        (Ok(streamed), Ok(opened)) => assert!(streamed == opened && found == model),
        (Err(_), Err(_)) => {}
        (streamed, opened) => panic!("while it arrives {streamed:?}, as a whole {opened:?}"),
    }
});
