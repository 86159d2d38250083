//! Takes a model's files as they arrive.

use super::{Model, js_error};
use crate::model::package::{Bits, Card, ConvertOptions, Event, Reader, WeightsChecksum};
use crate::model::{Error, FileSource, MarianFiles, Tensor, Weights};
use crate::text::language::Language;
use crate::{LoadError, LoadOptions, MarianLoader, MarianSource, PackageLoader, TargetToken, Translator};
use sha2::{Digest, Sha256};
use wasm_bindgen::prelude::*;

/// Where files come from, in messages about several of them.
const PLACE: &str = "the model's files";

/// A JavaScript `Error` called `ModelError` with a message that names file, item and offset.
fn model_error(error: impl Into<LoadError>) -> JsValue {
    js_error("ModelError", &error.into())
}

/// A model that is arriving: one package, or Marian's files one after the other, each in pieces of any size.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Loader {
    target_token: Option<TargetToken>,
    arriving: Arriving,
    hash: Sha256,
    /// The hash of a package's bytes up to the section under way.
    good_hash: Sha256,
}

/// What arrives.
#[derive(Debug, Default)]
enum Arriving {
    #[default]
    Nothing,
    Package(Box<PackageLoader>),
    Marian(MarianLoader),
    /// A reader's own files.
    Own(Box<MarianFiles>),
}

#[wasm_bindgen]
impl Loader {
    /// Starts without files. `target_token` is what a model with several target languages calls the one that is wanted; none for that of
    /// the target language.
    ///
    /// # Errors
    /// A `TypeError`: no model has such a name for a language.
    #[wasm_bindgen(constructor)]
    pub fn new(target_token: Option<String>) -> Result<Self, JsValue> {
        let token = |name: String| {
            let expected = || format!("targetToken is {name:?}; expected what the model calls a language, such as deu");
            TargetToken::new(&name).ok_or_else(|| js_error("TypeError", &expected()))
        };
        Ok(Self { target_token: target_token.map(token).transpose()?, ..Self::default() })
    }

    /// Begins a package, which is unpacked while it arrives. What there was before is dropped. Messages use `name`.
    #[wasm_bindgen(js_name = beginPackage)]
    pub fn begin_package(&mut self, name: &str) {
        // What a first attempt left is freed before the second takes memory.
        *self = Self { target_token: self.target_token, ..Self::default() };
        let options = LoadOptions { target_token: self.target_token, ..LoadOptions::default() };
        self.arriving = Arriving::Package(Box::new(PackageLoader::new(name, &options)));
    }

    /// Begins one of Marian's files, of `size` bytes when unpacked; its name tells which part it is. An earlier file of that name is dropped.
    #[wasm_bindgen(js_name = beginFile)]
    pub fn begin_file(&mut self, name: &str, size: f64) {
        self.hash = Sha256::new();
        if !matches!(self.arriving, Arriving::Marian(_)) {
            self.arriving = Arriving::Marian(MarianLoader::new(&LoadOptions::default()));
        }
        if let Arriving::Marian(loader) = &mut self.arriving {
            loader.begin(name, Some(size as u64));
        }
    }

    /// Adds the next bytes of what was begun last. Marian's files may be compressed.
    ///
    /// # Errors
    /// A `ModelError`. A package can go on if the bytes from [`rewind`](Self::rewind) on are fetched again.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        let Self { arriving, hash, good_hash, .. } = self;
        match arriving {
            Arriving::Package(package) => {
                let before = package.taken();
                let result = package.push(bytes);
                // `good` lies before these bytes, or this many into them.
                if let Some(confirmed) = package.good().checked_sub(before) {
                    let (confirmed, rest) = bytes.split_at(confirmed as usize);
                    hash.update(confirmed);
                    *good_hash = hash.clone();
                    hash.update(rest);
                } else {
                    hash.update(bytes);
                }
                result.map_err(model_error)
            }
            Arriving::Marian(loader) => loader.push(bytes, |content| hash.update(content)).map_err(model_error),
            Arriving::Nothing | Arriving::Own(_) => Ok(()),
        }
    }

    /// Forgets the part of a package that no checksum has confirmed, and returns the offset of the next byte to push.
    pub fn rewind(&mut self) -> f64 {
        self.hash = self.good_hash.clone();
        match &mut self.arriving {
            Arriving::Package(package) => package.rewind() as f64,
            _ => 0.0,
        }
    }

    /// Ends what was begun last and returns the SHA-256 of its content in hexadecimal digits.
    ///
    /// # Errors
    /// A `ModelError`: a compressed file that ends too early.
    #[wasm_bindgen(js_name = end)]
    pub fn end(&mut self) -> Result<String, JsValue> {
        let Self { arriving, hash, .. } = self;
        if let Arriving::Marian(loader) = arriving {
            loader.end(|content| hash.update(content)).map_err(model_error)?;
        }
        Ok(hash.finalize_reset().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Takes those of a reader's own files that make up a Marian model, chosen by their `names`; `read` returns the bytes of
    /// one. `float` prefers float weights if there are both.
    ///
    /// # Errors
    /// A `ModelError`: missing and ambiguous files. Whatever `read` throws.
    pub fn choose(&mut self, names: Vec<String>, float: bool, read: &js_sys::Function) -> Result<(), JsValue> {
        let weights = if float { Weights::Float32 } else { Weights::Int8 };
        let mut source = OwnFiles { read, thrown: None };
        let files = MarianFiles::choose(PLACE, &names, weights, &mut source);
        let files = files.map_err(|error| source.thrown.unwrap_or_else(|| model_error(error)))?;
        self.arriving = Arriving::Own(Box::new(files));
        Ok(())
    }

    /// The model. `source` and `target` are the BCP 47 tags of the languages, for Marian's files: a package itself says which it is for.
    ///
    /// # Errors
    /// A `ModelError`.
    pub fn finish(self, source: &str, target: &str) -> Result<Model, JsValue> {
        let options = LoadOptions {
            source_language: Language::from_tag(source),
            target_language: Language::from_tag(target),
            target_token: self.target_token,
            ..LoadOptions::default()
        };
        let translator = match self.arriving {
            Arriving::Package(package) => package.finish(),
            Arriving::Marian(loader) => loader.finish(&options),
            Arriving::Own(files) => Translator::from_marian(&files, &options),
            Arriving::Nothing => MarianLoader::new(&options).finish(&options),
        };
        let translator = translator.map_err(model_error)?;
        for warning in translator.warnings() {
            web_sys::console::warn_1(&warning.to_string().into());
        }
        Ok(Model(translator))
    }

    /// Makes a package of Marian's files. `bits` is `log4`, `int8`, `float16` or `float32`; languages are BCP 47 tags. `progress` is
    /// called with the number of tensors done and the total.
    ///
    /// # Errors
    /// A `ModelError`: the files are not a model that the engine runs.
    #[wasm_bindgen(js_name = toPackage)]
    pub fn to_package(
        self,
        bits: &str,
        name: &str,
        source: &str,
        target: &str,
        progress: &js_sys::Function,
    ) -> Result<Vec<u8>, JsValue> {
        let bits = match bits {
            "int8" => Bits::Int8,
            "float16" => Bits::Float16,
            "float32" => Bits::Float32,
            _ => Bits::default(),
        };
        let card = Card {
            name: name.to_owned(),
            source_language: source.to_owned(),
            target_language: target.to_owned(),
            ..Card::default()
        };
        let Arriving::Own(files) = self.arriving else {
            return Err(js_error("TypeError", &"only a reader's own files can be packed"));
        };
        let tell = |done: usize, total: usize| {
            // The listener may be gone; the package is made all the same.
            let _ = progress.call2(&JsValue::NULL, &(done as f64).into(), &(total as f64).into());
        };
        let source = MarianSource::open(&files).map_err(model_error)?;
        let options = ConvertOptions { bits, card, ..source.convert_options() };
        source.convert(&options, |state| tell(state.done, state.total)).map_err(model_error)
    }
}

/// Unpacks a package without building an engine, for measuring; returns the number of values.
///
/// # Errors
/// A `ModelError`.
#[wasm_bindgen(js_name = unpackPackage)]
pub fn unpack_package(bytes: &[u8]) -> Result<usize, JsValue> {
    let mut values = 0;
    let mut reader = Reader::new(PLACE);
    let count = |event: Event<'_>| {
        if let Event::Tensor { tensor, .. } = event {
            values += match &tensor {
                Tensor::Float(tensor) => tensor.values.len(),
                Tensor::Int8(tensor) => tensor.values.len(),
            };
        }
        Ok::<_, Error>(())
    };
    reader.push(bytes, count).and_then(|()| reader.finish()).map_err(model_error)?;
    Ok(values)
}

/// The checksum of what a package's tensors unpack to, as `wanderwort inspect` prints it.
///
/// # Errors
/// A `ModelError`.
#[wasm_bindgen(js_name = weightsChecksum)]
pub fn weights_checksum(bytes: &[u8]) -> Result<String, JsValue> {
    let mut checksum = WeightsChecksum::default();
    let mut reader = Reader::new(PLACE);
    let add = |event: Event<'_>| {
        if let Event::Tensor { name, tensor } = event {
            checksum.add(name, &tensor);
        }
        Ok::<_, Error>(())
    };
    reader.push(bytes, add).and_then(|()| reader.finish()).map_err(model_error)?;
    Ok(format!("{:08x}", checksum.value()))
}

/// A reader's own files, read by JavaScript.
struct OwnFiles<'a> {
    read: &'a js_sys::Function,
    /// What reading threw.
    thrown: Option<JsValue>,
}

impl FileSource for OwnFiles<'_> {
    fn read(&mut self, name: &str) -> Result<Vec<u8>, Error> {
        let bytes = self.read.call1(&JsValue::NULL, &name.into());
        bytes.map(|bytes| js_sys::Uint8Array::from(bytes).to_vec()).map_err(|error| {
            self.thrown = Some(error);
            Error::Missing { place: PLACE.to_owned(), part: "content", advice: format!("choose {name} again") }
        })
    }
}
