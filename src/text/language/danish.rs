//! Danish.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static DANISH: LanguageData = LanguageData {
    clock_words: Words("klokken kl"),
    conjunctions: Words("og eller men fordi selvom at som der når hvis mens hvor da så"),
    abbreviations: Abbreviations {
        always: Words("hr fr dr prof skt bl.a f.eks dvs ca inkl ekskl evt fx jf mht vedr pga St"),
        before_number: Words("nr s kap fig stk tlf jan feb mar apr jun jul aug sept okt nov dec kl art"),
        doubtful: Words("osv mv m.m m.v m.fl etc mio mia kr pct A/S f.Kr e.Kr tlf str"),
        ..cldr::DA.abbreviations
    },
    starters: Words("\
        Alle Alt At Bagefter Begge Da De Den Denne Der Derefter Derfor Desuden Det Dette Disse Dog Du Efter Eller En Er Et Far Flere For \
        Fordi Fra Først Før Han Har Hans Havde Hendes Her Hun Hvad Hvem Hver Hvis Hvor Hvordan Hvorfor I Ifølge Igen Ikke Imidlertid Ingen \
        Ja Jeg Kan Man Mange Med Men Mens Mere Min Mod Måske Nej Nogle Nu Når Og Også Om Op Over På Samtidig Selv Selvom Siden Skal Som Så \
        Således Til Trods Tre Ud Under Var Ved Vi Vil Vores"),
    ..cldr::DA
};
