//! Which files make up a model, according to its settings (`decoder.yml`, `model.npz.decoder.yml`, `config.intgemm8bitalpha.yml`) or else
//! by their names.
//!
//! The choice works on names, so it serves a folder as well as files dropped on a page. Only an `.npz` that is not the only
//! possible model is opened, because such an archive may hold anything.

use std::io::Cursor;

use super::compression::{Compression, decompressed};
use super::error::Error;
use super::marian::npz_holds_model;
use super::settings::{DecoderOptions, ModelInfo, SHORTLIST_KEPT};
use super::shortlist::{Shortlist, Vocabularies};
use super::word_list;
use crate::text::vocab::Vocabulary;

/// A file's bytes and its name, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBytes {
    /// The file's name.
    pub name: String,
    /// Its content, compressed (gzip, Zstandard) or not.
    pub bytes: Vec<u8>,
}

/// The files of a Marian model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarianFiles {
    /// Weights and architecture, `.npz` or `.bin`.
    pub model: NamedBytes,
    /// SentencePiece vocabulary of the source language, or of both. If a list numbers its pieces, it is in the list's order
    /// ([`Vocabulary::with_words`]).
    pub source_vocabulary: NamedBytes,
    /// SentencePiece vocabulary of the target language; none if both share one.
    pub target_vocabulary: Option<NamedBytes>,
    /// Lexical shortlist, binary or text.
    pub shortlist: Option<NamedBytes>,
    /// Decoding settings, `decoder.yml` or the like.
    pub decoder: Option<NamedBytes>,
    /// What the model is called, `model_info.json`.
    pub info: Option<NamedBytes>,
}

/// Which weights to take where a folder has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Quantized ones (`.bin`).
    Int8,
    /// Float ones (`.npz`).
    Float32,
}

/// The files to choose among.
pub trait FileSource {
    /// A file's content.
    ///
    /// # Errors
    /// Whatever keeps it from being read.
    fn read(&mut self, name: &str) -> Result<Vec<u8>, Error>;

    /// Whether an `.npz` holds a model, see [`npz_holds_model`].
    ///
    /// # Errors
    /// Whatever keeps it from being read.
    fn holds_model(&mut self, name: &str) -> Result<bool, Error> {
        Ok(npz_holds_model(Cursor::new(self.read(name)?)))
    }
}

impl MarianFiles {
    /// Chooses the files of a model among `names` and reads them. `place`, the folder or a description of where the
    /// names come from, is named in errors.
    ///
    /// # Errors
    /// Missing and ambiguous files, and whatever `files` returns.
    pub fn choose(place: &str, names: &[String], weights: Weights, files: &mut impl FileSource) -> Result<Self, Error> {
        let choice = Choice { place, names, weights, models: possible_models(names, files)? };
        let mut named = |name: &str| Ok::<_, Error>(NamedBytes { name: name.to_owned(), bytes: files.read(name)? });
        let mut settings = Vec::new();
        for name in choice.settings() {
            let file = named(name)?;
            let options = DecoderOptions::parse(&file.name, &decompressed(&file.name, &file.bytes)?)?;
            settings.push((file, options));
        }
        let (decoder, options) = choice.fitting_settings(settings)?.unzip();
        let model = named(choice.model(options.as_ref())?)?;
        let (source, target) = choice.vocabularies(options.as_ref())?;
        let mut lists = Vec::new();
        for list in [Some(source), target].into_iter().flatten().filter_map(|pieces| pieces.list) {
            if lists.iter().all(|(name, _)| *name != list) {
                let file = named(list)?;
                lists.push((list, word_list::parse(&file.name, &decompressed(&file.name, &file.bytes)?)?));
            }
        }
        let mut vocabulary = |PiecesOf { model, list }| {
            let file = named(model)?;
            let Some((_, words)) = lists.iter().find(|(name, _)| Some(*name) == list) else { return Ok(file) };
            let bytes = Vocabulary::with_words(&file.name, &decompressed(&file.name, &file.bytes)?, words);
            Ok::<_, Error>(NamedBytes { name: file.name, bytes: bytes.map_err(Box::new)? })
        };
        let source_vocabulary = vocabulary(source)?;
        let target_vocabulary = target.map(vocabulary).transpose()?;
        let shortlist = choice.shortlist(options.as_ref())?.map(&mut named).transpose()?;
        let info = choice.matching(|name| name == MODEL_INFO).first().copied().map(&mut named).transpose()?;
        Ok(MarianFiles { model, source_vocabulary, target_vocabulary, shortlist, decoder, info })
    }

    /// The decoding settings; without a settings file, nothing is set.
    ///
    /// # Errors
    /// A file that is not such YAML.
    pub fn decoder_options(&self) -> Result<DecoderOptions, Error> {
        match &self.decoder {
            Some(file) => DecoderOptions::parse(&file.name, &decompressed(&file.name, &file.bytes)?),
            None => Ok(DecoderOptions::default()),
        }
    }

    /// The model's name and the languages it translates between; nothing without a file that gives them.
    ///
    /// # Errors
    /// A file that is not such JSON.
    pub fn model_info(&self) -> Result<ModelInfo, Error> {
        match &self.info {
            Some(file) => ModelInfo::parse(&file.name, &decompressed(&file.name, &file.bytes)?),
            None => Ok(ModelInfo::default()),
        }
    }

    /// Whether a file of this name, in a model's folder, may be a part of the model.
    pub fn may_hold(name: &str) -> bool {
        let stem = stem(name);
        let is_vocabulary = [".spm", ".model"].iter().any(|ending| stem.ends_with(ending));
        is_npz(stem)
            || is_bin(stem)
            || is_vocabulary
            || is_shortlist(name)
            || is_settings(stem)
            || is_list_of_words(stem)
    }

    /// Every file that is present, and the part it plays.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &NamedBytes)> {
        let parts = [
            ("model", Some(&self.model)),
            ("source vocabulary", Some(&self.source_vocabulary)),
            ("target vocabulary", self.target_vocabulary.as_ref()),
            ("shortlist", self.shortlist.as_ref()),
            ("settings", self.decoder.as_ref()),
            ("description", self.info.as_ref()),
        ];
        parts.into_iter().filter_map(|(part, file)| Some((part, file?)))
    }

    /// Reads the shortlist, if there is one, in either form. The words of a text form get their ids from `source_id` and
    /// `target_id`.
    ///
    /// # Errors
    /// Damaged files and those for other vocabularies.
    pub fn read_shortlist(
        &self,
        source_id: impl Fn(&str) -> Option<u32>,
        target_id: impl Fn(&str) -> Option<u32>,
        vocabularies: Vocabularies,
    ) -> Result<Option<Shortlist>, Error> {
        let Some(file) = &self.shortlist else { return Ok(None) };
        let bytes = decompressed(&file.name, &file.bytes)?;
        // The binary form's first byte cannot start a UTF-8 text.
        if std::str::from_utf8(&bytes).is_err() {
            return Shortlist::from_binary(&file.name, &bytes, vocabularies).map(Some);
        }
        let kept = self.decoder_options()?.shortlist.map(|shortlist| (shortlist.first, shortlist.best));
        let kept = kept.unwrap_or((SHORTLIST_KEPT, SHORTLIST_KEPT));
        Shortlist::from_text(&file.name, &bytes, source_id, target_id, kept, vocabularies).map(Some)
    }

    /// Chooses among the files of a folder.
    ///
    /// # Errors
    /// Missing, ambiguous and unreadable files.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn read_folder(folder: &std::path::Path, weights: Weights) -> Result<Self, Error> {
        let place = folder.display().to_string();
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable(folder))? {
            let entry = entry.map_err(unreadable(folder))?;
            if entry.path().is_file()
                && let Ok(name) = entry.file_name().into_string()
            {
                names.push(name);
            }
        }
        names.sort();
        Self::choose(&place, &names, weights, &mut Folder(folder))
    }
}

#[cfg(not(target_arch = "wasm32"))]
struct Folder<'a>(&'a std::path::Path);

#[cfg(not(target_arch = "wasm32"))]
impl FileSource for Folder<'_> {
    fn read(&mut self, name: &str) -> Result<Vec<u8>, Error> {
        let path = self.0.join(name);
        std::fs::read(&path).map_err(unreadable(&path))
    }

    fn holds_model(&mut self, name: &str) -> Result<bool, Error> {
        let path = self.0.join(name);
        Ok(npz_holds_model(std::fs::File::open(&path).map_err(unreadable(&path))?))
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn unreadable(path: &std::path::Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.display().to_string();
    move |source| Error::Io { path: path.clone(), source }
}

/// The name of the description in translateLocally and in the students' archives.
const MODEL_INFO: &str = "model_info.json";

/// The part of a path after the last separator, without the ending of a compressed file.
pub(super) fn stem(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match Compression::of_name(name) {
        Compression::None => name,
        Compression::Gzip | Compression::Zstd => name.rsplit_once('.').map_or(name, |(stem, _)| stem),
    }
}

fn is_shortlist(name: &str) -> bool {
    let name = stem(name);
    name.starts_with("lex") || name.contains(".s2t")
}

fn is_bin(name: &str) -> bool {
    name.ends_with(".bin") && !is_shortlist(name)
}

/// Whether a file of this name holds decoding settings. `model.npz.yml`, which Marian writes too, is about training.
fn is_settings(name: &str) -> bool {
    name == "config.yml" || name.ends_with(".decoder.yml") || (name.starts_with("config.") && name.ends_with(".yml"))
}

/// Whether a file of this name lists words with their numbers, as Marian's first vocabularies did.
fn is_list_of_words(name: &str) -> bool {
    [".yml", ".yaml", ".json"].iter().any(|ending| name.ends_with(ending))
}

/// Whether a model of this name has activation multipliers.
fn has_alphas(name: &str) -> bool {
    stem(name).contains("alpha")
}

fn is_npz(name: &str) -> bool {
    name.ends_with(".npz")
}

/// The names that can be the model: those that end like one, except archives of something else.
fn possible_models<'a>(names: &'a [String], files: &mut impl FileSource) -> Result<Vec<&'a str>, Error> {
    let names = names.iter().map(String::as_str).filter(|name| is_bin(stem(name)) || is_npz(stem(name)));
    let mut models: Vec<&str> = names.collect();
    // If the only one is not a model, the user is to be told what it lacks.
    if models.len() > 1 {
        let mut kept = Vec::new();
        for name in models {
            if !name.ends_with(".npz") || files.holds_model(name)? {
                kept.push(name);
            }
        }
        models = kept;
    }
    Ok(models)
}

/// A SentencePiece model, and the list that numbers its pieces if the model does not number them itself.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PiecesOf<'a> {
    model: &'a str,
    list: Option<&'a str>,
}

/// What a vocabulary is called in messages.
const VOCABULARY: &str = "vocabulary";

/// What marks the files of one language.
const SOURCE_MARKS: &[&str] = &["src", "source"];
const TARGET_MARKS: &[&str] = &["trg", "tgt", "target"];

struct Choice<'a> {
    place: &'a str,
    names: &'a [String],
    weights: Weights,
    /// The names that can be the model.
    models: Vec<&'a str>,
}

impl<'a> Choice<'a> {
    fn matching(&self, test: impl Fn(&str) -> bool) -> Vec<&'a str> {
        self.names.iter().map(String::as_str).filter(|name| test(stem(name))).collect()
    }

    /// A file named in the settings; paths in them are those of the machine that wrote them.
    fn named(&self, name: &str, part: &'static str) -> Result<&'a str, Error> {
        let exact = self.names.iter().find(|candidate| candidate.as_str() == name);
        match exact.or_else(|| self.names.iter().find(|candidate| stem(candidate) == stem(name))) {
            Some(found) => Ok(found),
            None => {
                let advice = format!("the decoding settings name `{name}`; add it or correct them");
                Err(Error::Missing { place: self.place.to_owned(), part, advice })
            }
        }
    }

    fn one(&self, part: &'static str, candidates: Vec<&'a str>) -> Result<Option<&'a str>, Error> {
        match candidates.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(only)),
            several => Err(Error::Ambiguous {
                place: self.place.to_owned(),
                part,
                candidates: several.iter().map(|&name| name.to_owned()).collect(),
                advice: "name one in a `decoder.yml`",
            }),
        }
    }

    /// Files of decoding settings. If there is a `decoder.yml`, the others are earlier or for other programs.
    fn settings(&self) -> Vec<&'a str> {
        let own = self.matching(|name| name == "decoder.yml");
        if own.is_empty() { self.matching(is_settings) } else { own }
    }

    fn fits(&self, model: &str) -> bool {
        match self.weights {
            Weights::Int8 => is_bin(stem(model)),
            Weights::Float32 => is_npz(stem(model)),
        }
    }

    /// Of several settings, those whose model is there and of the wanted kind; of these, those for a model with activation multipliers.
    fn fitting_settings(
        &self,
        mut settings: Vec<(NamedBytes, DecoderOptions)>,
    ) -> Result<Option<(NamedBytes, DecoderOptions)>, Error> {
        let there = |options: &DecoderOptions| {
            options.models.iter().all(|model| self.names.iter().any(|name| stem(name) == stem(model)))
        };
        let wanted = |options: &DecoderOptions| options.models.iter().any(|model| self.fits(model));
        let alphas = |options: &DecoderOptions| options.models.iter().any(|model| has_alphas(model));
        let tests: [&dyn Fn(&DecoderOptions) -> bool; 3] = [&there, &wanted, &alphas];
        for test in tests {
            if settings.len() > 1 && settings.iter().any(|(_, options)| test(options)) {
                settings.retain(|(_, options)| test(options));
            }
        }
        if settings.len() > 1 {
            return Err(Error::Ambiguous {
                place: self.place.to_owned(),
                part: "decoding settings",
                candidates: settings.into_iter().map(|(file, _)| file.name).collect(),
                advice: "call one of them `decoder.yml`",
            });
        }
        Ok(settings.pop())
    }

    fn model(&self, options: Option<&DecoderOptions>) -> Result<&'a str, Error> {
        const PART: &str = "model";
        let mut candidates: Vec<&str> = self.models.iter().copied().filter(|name| self.fits(name)).collect();
        if let Some([model]) = options.map(|options| options.models.as_slice())
            && (self.fits(model) || candidates.is_empty())
        {
            return self.named(model, PART);
        }
        if let Some(options) = options
            && options.models.len() > 1
        {
            return Err(Error::Unsupported {
                file: self.place.to_owned(),
                option: "models".to_owned(),
                value: options.models.join(", "),
                supported:
                    "a single model in a folder; those of an ensemble are given one by one (--model A --model B)"
                        .to_owned(),
            });
        }
        if candidates.is_empty() {
            candidates.clone_from(&self.models);
        }
        // Of two quantized files, the one with activation multipliers.
        if candidates.iter().any(|name| has_alphas(name)) {
            candidates.retain(|name| has_alphas(name));
        }
        self.one(PART, candidates)?.ok_or_else(|| Error::Missing {
            place: self.place.to_owned(),
            part: PART,
            advice: "a Marian model ends in `.bin` or `.npz`, with or without `.gz` or `.zst`, and holds `special:model.yml`"
                .to_owned(),
        })
    }

    fn vocabularies(&self, options: Option<&DecoderOptions>) -> Result<(PiecesOf<'a>, Option<PiecesOf<'a>>), Error> {
        let named = options.map_or(&[][..], |options| options.vocabularies.as_slice());
        let (source, target) = match named {
            [] => {
                // Beside such a list, SentencePiece models cut texts into its words: their own numbers mean nothing to the model.
                let list = self.matching(|name| is_list_of_words(name) && name.contains("vocab"));
                match self.one(VOCABULARY, list)? {
                    Some(list) => (self.listed(list, SOURCE_MARKS)?, self.listed(list, TARGET_MARKS)?),
                    None => self.pieces_by_names()?,
                }
            }
            [joint] => (self.pieces_named(joint, SOURCE_MARKS)?, self.pieces_named(joint, TARGET_MARKS)?),
            [source, target] => (self.pieces_named(source, SOURCE_MARKS)?, self.pieces_named(target, TARGET_MARKS)?),
            several => {
                return Err(Error::Unsupported {
                    file: self.place.to_owned(),
                    option: "vocabs".to_owned(),
                    value: several.join(", "),
                    supported: "one vocabulary, or one of the source and one of the target".to_owned(),
                });
            }
        };
        Ok((source, (target != source).then_some(target)))
    }

    /// The vocabulary that the settings name for the language whose files have one of these `marks`.
    fn pieces_named(&self, name: &str, marks: &[&str]) -> Result<PiecesOf<'a>, Error> {
        let found = self.named(name, VOCABULARY)?;
        if is_list_of_words(stem(found)) {
            self.listed(found, marks)
        } else {
            Ok(PiecesOf { model: found, list: None })
        }
    }

    /// What cuts the texts of a language into the words of a list.
    fn listed(&self, list: &'a str, marks: &[&str]) -> Result<PiecesOf<'a>, Error> {
        let models = self.matching(|name| name.ends_with(".spm"));
        let of_language = |name: &&str| marks.iter().any(|mark| stem(name).contains(mark));
        let marked: Vec<&str> = models.iter().copied().filter(of_language).collect();
        let model = self.one(VOCABULARY, if marked.is_empty() { models } else { marked })?;
        let missing = || Error::ListOfWords { place: self.place.to_owned(), file: list.to_owned() };
        Ok(PiecesOf { model: model.ok_or_else(missing)?, list: Some(list) })
    }

    fn pieces_by_names(&self) -> Result<(PiecesOf<'a>, PiecesOf<'a>), Error> {
        let spm = self.matching(|name| name.ends_with(".spm"));
        let pieces = |model| PiecesOf { model, list: None };
        let side = |marks: &[&str]| {
            let marked = spm.iter().filter(|name| marks.iter().any(|mark| stem(name).contains(mark)));
            marked.copied().collect::<Vec<_>>()
        };
        if let (&[source], &[target]) = (side(SOURCE_MARKS).as_slice(), side(TARGET_MARKS).as_slice()) {
            return Ok((pieces(source), pieces(target)));
        }
        match self.one(VOCABULARY, spm)? {
            Some(joint) => Ok((pieces(joint), pieces(joint))),
            None => Err(Error::Missing {
                place: self.place.to_owned(),
                part: VOCABULARY,
                advice: "a SentencePiece vocabulary ends in `.spm`, with or without `.gz` or `.zst`".to_owned(),
            }),
        }
    }

    fn shortlist(&self, options: Option<&DecoderOptions>) -> Result<Option<&'a str>, Error> {
        const PART: &str = "shortlist";
        match options {
            Some(options) => options.shortlist.as_ref().map(|shortlist| self.named(&shortlist.file, PART)).transpose(),
            None => {
                let binary = self.matching(|name| is_shortlist(name) && name.ends_with(".bin"));
                let any = if binary.is_empty() { self.matching(is_shortlist) } else { binary };
                self.one(PART, any)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FloatTensor, write_npz};
    use std::io::Write;

    fn choose(names: &[&str], weights: Weights, decoder: &str) -> Result<MarianFiles, Error> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        MarianFiles::choose("folder", &names, weights, &mut Settings(decoder))
    }

    /// Files of which only the settings matter.
    struct Settings<'a>(&'a str);

    impl FileSource for Settings<'_> {
        fn read(&mut self, name: &str) -> Result<Vec<u8>, Error> {
            Ok(if name.ends_with(".yml") { self.0.as_bytes().to_vec() } else { Vec::new() })
        }
    }

    #[test]
    fn files_are_told_by_their_names() {
        let names = ["lex.50.50.ende.s2t.bin.zst", "model.ende.bin.gz", "model.npz", "vocab.deen.spm.zst", "README.md"];
        let files = choose(&names, Weights::Int8, "").unwrap();
        assert_eq!(files.model.name, "model.ende.bin.gz");
        assert_eq!(files.source_vocabulary.name, "vocab.deen.spm.zst");
        assert_eq!(files.target_vocabulary, None);
        assert_eq!(files.shortlist.unwrap().name, "lex.50.50.ende.s2t.bin.zst");
        assert_eq!(choose(&names, Weights::Float32, "").unwrap().model.name, "model.npz");

        let separate = ["model.bin", "srcvocab.enja.spm", "trgvocab.enja.spm"];
        let files = choose(&separate, Weights::Float32, "").unwrap();
        assert_eq!(files.source_vocabulary.name, "srcvocab.enja.spm");
        assert_eq!(files.target_vocabulary.unwrap().name, "trgvocab.enja.spm");
        assert_eq!((files.model.name.as_str(), files.shortlist), ("model.bin", None));
    }

    #[test]
    fn settings_decide_where_there_are_some() {
        let yaml = "models: [/models/b.bin]\nvocabs: [v.spm, v.spm]\nshortlist: [lex.s2t, 20, 30, 0]\n\
                    beam-size: 4\nnormalize: 1\nmax-length-factor: 2.0\nmax-length-break: 128\n";
        let names = ["a.bin", "b.bin", "v.spm", "w.spm", "lex.s2t", "lex.bin", "decoder.yml"];
        let files = choose(&names, Weights::Int8, yaml).unwrap();
        assert_eq!((files.model.name.as_str(), files.source_vocabulary.name.as_str()), ("b.bin", "v.spm"));
        assert_eq!((files.target_vocabulary, files.shortlist.unwrap().name.as_str()), (None, "lex.s2t"));
        let shortlist = DecoderOptions::parse("decoder.yml", yaml.as_bytes()).unwrap().shortlist.unwrap();
        assert_eq!((shortlist.first, shortlist.best), (20, 30));
        let one = choose(&["m.bin", "v.spm", "w.spm", "decoder.yml"], Weights::Int8, "vocabs: [w.spm]").unwrap();
        assert_eq!((one.source_vocabulary.name.as_str(), one.target_vocabulary), ("w.spm", None));
        let three = choose(&["m.bin", "v.spm", "decoder.yml"], Weights::Int8, "vocabs: [v.spm, v.spm, v.spm]");
        assert!(matches!(three, Err(Error::Unsupported { option, .. }) if option == "vocabs"));
        let gone = choose(&["a.bin", "v.spm", "decoder.yml"], Weights::Int8, yaml).unwrap_err();
        assert!(gone.to_string().contains("`/models/b.bin`"), "{gone}");
    }

    /// Files with contents of their own.
    struct Contents<'a>(&'a [(&'a str, &'a [u8])]);

    impl FileSource for Contents<'_> {
        fn read(&mut self, name: &str) -> Result<Vec<u8>, Error> {
            let found = self.0.iter().find(|(candidate, _)| *candidate == name);
            Ok(found.map(|(_, bytes)| bytes.to_vec()).unwrap_or_default())
        }

        fn holds_model(&mut self, _: &str) -> Result<bool, Error> {
            Ok(true)
        }
    }

    fn choose_of(contents: &[(&str, &str)], weights: Weights) -> Result<MarianFiles, Error> {
        let contents: Vec<(&str, &[u8])> = contents.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
        choose_bytes(&contents, weights)
    }

    fn choose_bytes(contents: &[(&str, &[u8])], weights: Weights) -> Result<MarianFiles, Error> {
        let names: Vec<String> = contents.iter().map(|(name, _)| (*name).to_owned()).collect();
        MarianFiles::choose("folder", &names, weights, &mut Contents(contents))
    }

    #[test]
    fn published_folders_are_read() {
        // As students are published: several kinds of weights, each with its settings.
        let student = [
            ("config.intgemm8bit.yml", "models: [model.intgemm8.bin]\nvocabs: [vocab.spm, vocab.spm]\nbeam-size: 1\n"),
            (
                "config.intgemm8bitalpha.yml",
                "models: [model.intgemm.alphas.bin]\nvocabs: [vocab.spm, vocab.spm]\nbeam-size: 2\n",
            ),
            ("config.yml", "models: [model.npz]\nvocabs: [vocab.spm, vocab.spm]\nbeam-size: 3\n"),
            ("server.intgemm8bitalpha.yml", "models: [model.intgemm.alphas.bin]\nbeam-size: 9\n"),
            ("catalog-entry.yml", "name: bergamot\n"),
            ("model_info.json", r#"{"shortName": "en-de-tiny"}"#),
            ("model.npz", ""),
            ("model.intgemm8.bin", ""),
            ("model.intgemm.alphas.bin", ""),
            ("vocab.spm", ""),
            ("lex.s2t.gz", ""),
        ];
        let int8 = choose_of(&student, Weights::Int8).unwrap();
        assert_eq!(int8.model.name, "model.intgemm.alphas.bin");
        assert_eq!(int8.decoder_options().unwrap().decoding.beam_size, Some(2));
        assert_eq!(int8.model_info().unwrap().source_language.as_deref(), Some("en"));
        assert_eq!(int8.parts().count(), 4, "the settings name no shortlist");
        let float = choose_of(&student, Weights::Float32).unwrap();
        assert_eq!(float.model.name, "model.npz");
        assert_eq!(float.decoder_options().unwrap().decoding.beam_size, Some(3));

        // What Marian's training leaves, with the paths of its machine.
        let trained = [
            ("model.npz", ""),
            ("model.npz.yml", "learn-rate: 3\n"),
            (
                "model.npz.decoder.yml",
                "models: [/there/model.npz]\nvocabs: [/there/v.spm, /there/v.spm]\nnormalize: 0.6\n",
            ),
            ("v.spm", ""),
        ];
        let files = choose_of(&trained, Weights::Int8).unwrap();
        assert_eq!(files.decoder.as_ref().unwrap().name, "model.npz.decoder.yml");
        assert_eq!(files.decoder_options().unwrap().decoding.normalize, Some(0.6));

        let two =
            [("a.npz", ""), ("v.spm", ""), ("config.one.yml", "beam-size: 1"), ("config.two.yml", "beam-size: 2")];
        let error = choose_of(&two, Weights::Float32).unwrap_err().to_string();
        let expected =
            "config.one.yml, config.two.yml could each be the decoding settings; call one of them `decoder.yml`";
        assert_eq!(error, format!("folder: {expected}"));
    }

    #[test]
    fn lists_of_words_number_the_pieces_of_models() {
        let settings = ("decoder.yml", "models: [m.npz]\nvocabs: [opus.vocab.yml, opus.vocab.yml]\n");
        let read = |name: &str| {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/shapes").join(name);
            std::fs::read(path).unwrap()
        };
        let [source, target, list] = ["source.spm", "target.spm", "opus.vocab.yml"].map(read);
        let opus: [(&str, &[u8]); 5] = [
            (settings.0, settings.1.as_bytes()),
            ("m.npz", b""),
            ("opus.vocab.yml", &list),
            ("source.spm", &source),
            ("target.spm", &target),
        ];
        for files in [&opus[..], &opus[1..]] {
            let chosen = choose_bytes(files, Weights::Float32).unwrap();
            let read = |file: &NamedBytes| Vocabulary::from_bytes(&file.name, &file.bytes).unwrap();
            let target = chosen.target_vocabulary.expect("two");
            assert_eq!((chosen.source_vocabulary.name.as_str(), target.name.as_str()), ("source.spm", "target.spm"));
            assert!(read(&chosen.source_vocabulary).has_words_of(&read(&target)));
        }
        // Without models for the languages, nothing cuts a text.
        for files in [&opus[..3], &opus[1..3]] {
            let error = choose_bytes(files, Weights::Float32).unwrap_err();
            assert!(matches!(&error, Error::ListOfWords { file, .. } if file == "opus.vocab.yml"), "{error}");
            assert!(error.to_string().contains("SentencePiece"), "{error}");
        }
        // One model for both, and one that is damaged.
        let joint = [opus[0], opus[1], opus[2], opus[3]];
        assert_eq!(choose_bytes(&joint, Weights::Float32).unwrap().target_vocabulary, None);
        let damaged = [opus[0], opus[1], opus[2], (opus[3].0, &source[..100])];
        assert!(matches!(choose_bytes(&damaged, Weights::Float32), Err(Error::Vocabulary(_))));
        // A list that is left over from something else.
        let settings = ("decoder.yml", "models: [m.npz]\nvocabs: [v.spm, v.spm]\n");
        assert!(choose_of(&[settings, ("m.npz", ""), ("v.spm", ""), ("vocab.yml", "")], Weights::Float32).is_ok());
    }

    #[test]
    fn what_is_missing_or_ambiguous_is_named() {
        let error = choose(&["v.spm"], Weights::Int8, "").unwrap_err();
        assert!(matches!(error, Error::Missing { part: "model", .. }));
        let error = choose(&["a.bin", "b.bin", "v.spm"], Weights::Int8, "").unwrap_err();
        assert_eq!(error.to_string(), "folder: a.bin, b.bin could each be the model; name one in a `decoder.yml`");
        let error = choose(&["a.bin"], Weights::Int8, "").unwrap_err();
        assert!(matches!(error, Error::Missing { part: "vocabulary", .. }));
    }

    #[test]
    fn archives_without_a_configuration_are_no_models() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        let matrix = || FloatTensor { rows: 1, columns: 2, values: vec![1.0, 2.0] };
        let model = write_npz("type: transformer", &[("Wemb".to_owned(), matrix())]).unwrap();
        let mut tensors = zip::ZipWriter::new(Cursor::new(Vec::new()));
        tensors.start_file("Wemb.npy", zip::write::SimpleFileOptions::default()).unwrap();
        tensors.write_all(&model[..100]).unwrap();
        write("golden_tensors.npz", &tensors.finish().unwrap().into_inner());
        write("vocab.spm", b"");
        let read = |weights| MarianFiles::read_folder(folder.path(), weights).map(|files| files.model.name);

        // On its own it is the model, and opening it says what it lacks.
        assert_eq!(read(Weights::Float32).unwrap(), "golden_tensors.npz");
        // Beside another it is none, whichever weights are wanted.
        write("model.bin", b"");
        assert_eq!(read(Weights::Float32).unwrap(), "model.bin");
        write("model.npz", &model);
        assert_eq!(read(Weights::Float32).unwrap(), "model.npz");
        assert_eq!(read(Weights::Int8).unwrap(), "model.bin");
        // Settings that name the int8 file do not prevent floats from being chosen.
        write("other.bin", b"");
        assert!(read(Weights::Int8).is_err());
        write("decoder.yml", b"models: [model.bin]\nvocabs: [vocab.spm, vocab.spm]\n");
        assert_eq!(read(Weights::Float32).unwrap(), "model.npz");
        assert_eq!(read(Weights::Int8).unwrap(), "model.bin");
        // An archive that cannot be opened stays a candidate.
        write("broken.npz", &model[..model.len() / 2]);
        assert!(matches!(read(Weights::Float32), Err(Error::Ambiguous { candidates, .. }) if candidates.len() == 2));
    }

    #[test]
    fn the_prototypes_folder_is_complete() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/en-de.prototype");
        let files = MarianFiles::read_folder(&folder, Weights::Int8).unwrap();
        // `decoder.yml` names them as they are called when they are unpacked.
        assert_eq!(files.model.name, "model.ende.intgemm.alphas.bin.gz");
        assert!(files.target_vocabulary.is_none() && files.shortlist.is_some() && files.decoder.is_some());
    }
}
