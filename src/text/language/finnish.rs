//! Finnish.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static FINNISH: LanguageData = LanguageData {
    clock_words: Words("klo kello"),
    conjunctions: Words("ja tai mutta sillä koska vaikka että joka kun jos vaan sekä"),
    abbreviations: Abbreviations {
        always: Words("esim mm ns nk vrt ks n prof tri hra rva lkm"),
        before_number: Words("nro s ss luku kuva puh klo art"),
        doubtful: Words("jne yms ym tms mrd milj kpl eKr jKr Oy as toim"),
        ..cldr::FI.abbreviations
    },
    starters: Words("\
        Aluksi Asia Edelleen Ei Eikä Eivät En Ennen Että He Hän Hänen Ja Jo Joka Jokainen Jos Kaikki Kaksi Koska Kuitenkin Kukaan Kun Kuten \
        Lisäksi Me Mikä Miksi Miten Minä Mitä Monet Muita Mukaan Mutta Myös Myöhemmin Ne Niiden Niin Nyt Näin Nämä On Onko Sama Samalla Se \
        Sen Siellä Siinä Siitä Siksi Silloin Sinä Sitten Tai Te Toinen Tosin Tuolloin Tämä Tämän Tässä Usein Vaikka Vain Vasta Vielä Voi \
        Yksi"),
    ..cldr::FI
};
