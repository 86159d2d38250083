//! Czech.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static CZECH: LanguageData = LanguageData {
    clock_words: Words("hod hodin hodiny hodina"),
    conjunctions: Words("a i nebo ale avšak protože neboť že který která které když jestliže pokud ačkoli aby takže"),
    abbreviations: Abbreviations {
        always: Words("např tzv tj resp popř prof doc dr ing mgr mudr judr phdr bc ph sv cca vč zejm arch plk gen kpt ul nám tř"),
        before_number: Words("č čís str s kap obr tab odst čl písm roč sv tel sb hod"),
        doubtful: Words("atd apod aj mj r tis mil mld s.r.o a.s př.n.l n.l st"),
        spaced: &["př. n. l.", "s. r. o.", "t. j."],
        ..cldr::CS.abbreviations
    },
    starters: Words("\
        A Aby Ačkoli Ale Ani Asi Až Být Byl Byla Bylo Byly Co Další Dnes Do Dva I Já Jak Jako Jaký Je Jeho Její Jejich Jen Jenže Ještě \
        Jestliže Ji Již Jsem Jsou Kam Každý Kde Kdo Kdy Když Ke Kromě Která Které Který Mezi Má Mají Mnoho My Na Nad Například Nebo Nebyl \
        Nejprve Není Nic Nikdo O Od On Ona Oni Ono Pak Po Pod Podle Pokud Potom Poté Pouze Později Pro Proč Proto Protože Před Při Přesto S \
        Se Si Tak Také Takže Tam Tato Ten Tento Tedy Teď Těm Ti To Toho Tohle Tři Tu Ty Tyto U V Ve Včera Však Všichni Vše Všechny Vy Z Za \
        Zatím Ze Že"),
    ..cldr::CS
};
