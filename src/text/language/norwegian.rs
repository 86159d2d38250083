//! Norwegian, in both written forms.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static BOKMAL: LanguageData = LanguageData {
    codes: Words("no nor nob"),
    clock_words: Words("klokken klokka kl"),
    conjunctions: Words("og eller men fordi selv at som når hvis mens der da så"),
    abbreviations: Abbreviations {
        always: Words("hr fr dr prof bl.a f.eks dvs ca inkl ekskl evt jf mht vedr pga St"),
        before_number: Words("nr s kap fig stk tlf jan feb mar apr jun jul aug sept okt nov des kl art"),
        doubtful: Words("osv mv m.m m.v m.fl etc mill mrd kr pst f.Kr e.Kr"),
        ..cldr::NB.abbreviations
    },
    starters: Words("\
        Alle Alt At Begge Da De Den Denne Der Deretter Derfor Dessuten Det Dette Disse Du Eller En Er Et Etter Flere For Fordi Fra Først Før \
        Han Har Hans Hadde Hennes Her Hun Hva Hvem Hver Hvis Hvor Hvordan Hvorfor I Ifølge Igjen Ikke Imidlertid Ingen Ja Jeg Kan Man Mange \
        Med Men Mens Mer Min Mot Nei Noen Nå Når Og Også Om Opp Over På Samtidig Selv Siden Skal Som Så Til Tross To Tre Under Ut Var Ved Vi \
        Vil Våre"),
    ..cldr::NB
};

pub(super) static NYNORSK: LanguageData = LanguageData {
    codes: Words("nno"),
    clock_words: Words("klokka kl"),
    abbreviations: BOKMAL.abbreviations,
    starters: Words(
        "Alle Alt At Begge Då Dei Den Denne Der Deretter Derfor Dessutan Det Dette Du Eg Ei Ein Eit Eller Er Etter Fleire For Fordi Frå Først Før Han \
        Har Hadde Ho Her I Ifølgje Ikkje Ingen Ja Kan Kva Kven Kvar Korleis Kvifor Mange Med Men Mens Meir Min Mot Nei Nokre No Når Og Også Om Opp \
        Over På Samtidig Sjølv Sidan Skal Som Så Til Trass To Tre Under Ut Var Ved Vi Vil Våre",
    ),
    ..cldr::NN
};
