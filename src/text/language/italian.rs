//! Italian.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static ITALIAN: LanguageData = LanguageData {
    clock_words: Words("h ora ore"),
    conjunctions: Words("e ed o ma però perché poiché che quando se mentre dove quindi"),
    abbreviations: Abbreviations {
        always: Words("sig sigg dott dr prof avv ing arch geom rag on sen mons card gen cap ten S st sta cfr p.es ca es"),
        before_number: Words("n nn nr art artt p pp pag pagg vol voll cap capp fig figg tel sec tav"),
        doubtful: Words("ecc Jr a.C d.C S.p.A S.r.l Soc F.lli ed sg segg int"),
        spaced: &["p. es."],
        ..cldr::IT.abbreviations
    },
    starters: Words("\
        A Ad Adesso Ai Al Alcuni Alla Allora Anche Ancora Anzi Appena Attualmente Bisogna C Che Chi Ci Ciò Come Con Così Da Dal Dalla \
        Davanti Degli Dei Del Della Di Dopo Dove Due Dunque Durante E È Ecco Ed Ella Era Essa Essi Fu Già Gli Ha Hanno I Ieri Il In Infatti \
        Infine Invece Io L La Lei Le Lo Loro Lui Ma Malgrado Me Mentre Mi Molti Molto Né Negli Nel Nella Nessuno Niente Noi Non Nonostante O \
        Ogni Oggi Oppure Ora Per Perché Però Più Poi Prima Proprio Può Qual Qualche Quando Quanto Quasi Quella Quelli Quello Questa Queste \
        Questi Questo Qui Quindi Se Secondo Sei Sembra Senza Si Sì Solo Sono Sotto Su Sua Sulla Suo Tra Tre Tu Tutti Tutto Un Una Uno Va Vi \
        Voi"),
    ..cldr::IT
};
