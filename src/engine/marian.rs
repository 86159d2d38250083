//! From Marian's files, while they arrive, to a translator.

use super::load::{LoadError, LoadOptions};
use super::source::Rest;
use super::translator::Translator;
use crate::model::{BinReader, Error, FileSource, MarianFiles, Unpacker, npz_holds_model};
use crate::nn::NetworkBuilder;

/// Where files come from, in messages about several of them.
const PLACE: &str = "the model's files";

/// No more memory than this is reserved for a file before its bytes are there, whatever size was announced.
const MOST_RESERVED: u64 = 1 << 26;

/// Builds a translator from Marian's files as they come, one after the other, in pieces of any size, compressed or not.
///
/// A `.bin` file is unpacked tensor by tensor, and each is laid out for the kernels at once: neither the compressed nor the unpacked file is
/// ever held as a whole. Files of other kinds are small or, like `.npz`, not made to be read from the front.
///
/// ```
/// use wanderwort::{LoadOptions, MarianLoader, Translate, TranslateOptions};
///
/// let mut loader = MarianLoader::new(&LoadOptions::default());
/// for name in ["model.ende.intgemm.alphas.bin.gz", "vocab.ende.spm", "lex.50.50.ende.s2t.bin.gz"] {
///     let bytes = std::fs::read(format!("tests/data/en-de.prototype/{name}")).unwrap();
///     loader.begin(name, None);
///     for piece in bytes.chunks(10_000) {
///         loader.push(piece, |_| {})?;
///     }
///     loader.end(|_| {})?;
/// }
/// let translator = loader.finish(&LoadOptions::default())?;
/// assert_eq!(translator.translate("Where is the station?", &TranslateOptions::default()).text, "Wo ist der Bahnhof?");
/// # Ok::<(), wanderwort::LoadError>(())
/// ```
#[derive(Debug)]
pub struct MarianLoader {
    options: LoadOptions,
    files: Vec<Arriving>,
    unpacker: Option<Unpacker>,
}

#[derive(Debug)]
struct Arriving {
    name: String,
    /// Expected bytes of content.
    announced: Option<u64>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Bytes(Vec<u8>),
    Weights(Box<(BinReader, NetworkBuilder)>),
}

impl MarianLoader {
    /// Starts without files.
    pub fn new(options: &LoadOptions) -> Self {
        Self { options: *options, files: Vec::new(), unpacker: None }
    }

    /// Begins a file, of `size` bytes when unpacked if that is known; its name tells which part it is. An earlier file of that name is dropped.
    pub fn begin(&mut self, name: &str, size: Option<u64>) {
        self.files.retain(|file| file.name != name);
        self.unpacker = Some(Unpacker::new(name, size));
        let content = Content::Bytes(Vec::new());
        self.files.push(Arriving { name: name.to_owned(), announced: size, content });
    }

    /// Takes the next bytes of the file begun last, as they come. `see` is shown its content as it is unpacked.
    ///
    /// # Errors
    /// See [`LoadError`]. The file can be begun anew.
    pub fn push(&mut self, bytes: &[u8], mut see: impl FnMut(&[u8])) -> Result<(), LoadError> {
        let Self { options, files, unpacker } = self;
        let (Some(file), Some(unpacker)) = (files.last_mut(), unpacker) else { return Ok(()) };
        unpacker.push(bytes, |content| {
            see(content);
            file.take(content, options)
        })
    }

    /// Ends the file begun last.
    ///
    /// # Errors
    /// As [`push`](Self::push), and a file that ended too early.
    pub fn end(&mut self, mut see: impl FnMut(&[u8])) -> Result<(), LoadError> {
        let Self { options, files, unpacker } = self;
        let (Some(file), Some(unpacker)) = (files.last_mut(), unpacker.take()) else { return Ok(()) };
        unpacker.finish(|content| {
            see(content);
            file.take(content, options)
        })
    }

    /// The translator, when all files have arrived. Options that decide how weights are laid out count as they were when loading began.
    ///
    /// # Errors
    /// Missing and ambiguous files, and files that do not fit together.
    pub fn finish(self, options: &LoadOptions) -> Result<Translator, LoadError> {
        let Self { files, options: begun, .. } = self;
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        let mut arrived = Arrived(files);
        let chosen = MarianFiles::choose(PLACE, &names, begun.weights(), &mut arrived)?;
        let weights = arrived.0.into_iter().find(|file| file.name == chosen.model.name).map(|file| file.content);
        let Some(Content::Weights(weights)) = weights else { return Translator::from_marian(&chosen, options) };
        let (reader, builder) = *weights;
        let config = reader.finish()?;
        Rest::read(&chosen, &config)?.assemble(&chosen, &config, builder, options)
    }
}

impl Arriving {
    fn take(&mut self, bytes: &[u8], options: &LoadOptions) -> Result<(), LoadError> {
        let Self { name, announced, content } = self;
        match content {
            Content::Bytes(held) => {
                let before = held.len();
                held.extend_from_slice(bytes);
                let is_told_now = before < 8 && held.len() >= 8;
                if is_told_now && BinReader::reads(held) {
                    let held = std::mem::take(held);
                    let weights = (BinReader::new(name), options.network_builder());
                    *content = Content::Weights(Box::new(weights));
                    return self.build(&held);
                }
                if is_told_now {
                    // Memory in one piece saves copies; if there is none, the file may still fit as it grows.
                    let rest = announced.unwrap_or(0).min(MOST_RESERVED).saturating_sub(held.len() as u64);
                    let _ = held.try_reserve_exact(rest as usize);
                }
                Ok(())
            }
            Content::Weights(_) => self.build(bytes),
        }
    }

    fn build(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let Content::Weights(weights) = &mut self.content else { return Ok(()) };
        let (reader, builder) = &mut **weights;
        reader.push(bytes, |tensor, values| {
            builder.add(tensor, values).map_err(|source| LoadError::Network { file: self.name.clone(), source })
        })
    }
}

/// Files in memory, each of which is handed out once. Weights that are in the network already have no bytes.
struct Arrived(Vec<Arriving>);

impl Arrived {
    fn bytes(&mut self, name: &str) -> Option<&mut Vec<u8>> {
        let file = self.0.iter_mut().find(|file| file.name == name)?;
        match &mut file.content {
            Content::Bytes(bytes) => Some(bytes),
            Content::Weights(_) => None,
        }
    }
}

impl FileSource for Arrived {
    fn read(&mut self, name: &str) -> Result<Vec<u8>, Error> {
        Ok(self.bytes(name).map(std::mem::take).unwrap_or_default())
    }

    fn holds_model(&mut self, name: &str) -> Result<bool, Error> {
        Ok(self.bytes(name).is_some_and(|bytes| npz_holds_model(std::io::Cursor::new(bytes))))
    }
}
