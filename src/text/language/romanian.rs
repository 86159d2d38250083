//! Romanian.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static ROMANIAN: LanguageData = LanguageData {
    clock_words: Words("ora ore"),
    conjunctions: Words("și sau dar însă pentru că care când dacă deși unde iar deci"),
    abbreviations: Abbreviations {
        always: Words("dl dna dr prof ing av gen col Sf sf str bd dvs ex cca conf lect sec"),
        before_number: Words("nr art pag p vol cap fig alin lit tel"),
        doubtful: Words("etc S.A S.R.L î.Hr d.Hr mil mld jud com loc"),
        ..cldr::RO.abbreviations
    },
    starters: Words("\
        A Aceasta Această Aceste Acest Acesta Acum Al Altă Apoi Are Asta Astăzi Astfel Așa Atunci Au Ca Care Când Că Câteva Ce Cei Cel Cele \
        Cine Chiar Cu Cum Da Dacă De Deci Deoarece Deși Din Doar Doi După Dar Ea Ei El Ele Era Este Eu Fără Fiecare Ieri Iar În Înainte Încă \
        Însă Între Într La Le Lui Mai Mulți Mult Nici Nimeni Noi Nu O Odată Pe Pentru Peste Poate Primul Prin Până S Sa Se Să Și Spre Sub \
        Sunt Tot Totuși Toate Toți Trei Tu Un Una Unde Unii Va Voi Vor"),
    ..cldr::RO
};
