//! Hungarian.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static HUNGARIAN: LanguageData = LanguageData {
    clock_words: Words("óra órakor"),
    conjunctions: Words("és vagy de mert hogy aki amely ha amikor míg bár pedig tehát"),
    abbreviations: Abbreviations {
        always: Words("pl ún ill dr prof özv ifj id kb vö ld stb.v"),
        before_number: Words("sz old o köt tel fej"),
        doubtful: Words("stb kft bt rt zrt nyrt u krt ker ford szerk"),
        ..cldr::HU.abbreviations
    },
    starters: Words("\
        A Addig Akkor Aki Ami Amikor Amíg Az Azért Azonban Azt Azután Bár Csak De Ebben Egy Én És Ez Ezek Ezen Ezért Ezután Ezzel Ha Hiszen \
        Hogy Hogyan Igen Ilyen Is Itt Ki Kicsit Később Legyen Majd Már Más Meg Mely Mert Mi Mikor Mind Minden Mindenki Mindez Mint Mivel \
        Most Ne Nem Néha Nincs Ő Ők Olyan Ott Pedig Persze Sajnos Se Senki Sőt Szerinte Számos Talán Te Tehát Ti Tovább Továbbá Utána Úgy \
        Vagy Valójában Van Végül Volt"),
    ..cldr::HU
};
