//! Swedish.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static SWEDISH: LanguageData = LanguageData {
    clock_words: Words("klockan kl"),
    conjunctions: Words("och eller men för eftersom fast att som när om medan där då så utan"),
    abbreviations: Abbreviations {
        always: Words("t.ex bl.a d.v.s dvs ca resp inkl exkl ev s.k fr.o.m t.o.m jfr prof dr St"),
        before_number: Words("nr s sid kap fig tel jan feb mars apr jun jul aug sept okt nov dec kl bil"),
        doubtful: Words("osv m.m m.fl etc mnkr milj kr st o.d f.Kr e.Kr"),
        spaced: &["t. ex.", "bl. a.", "s. k."],
        ..cldr::SV.abbreviations
    },
    starters: Words("\
        Alla Allt Att Av Bara Båda Dagen De Dem Den Denna Deras Dessa Dessutom Det Detta Du Där Därefter Därför Då Efter Eftersom En Enligt \
        Ett Fast Flera Fler Från För Först Före Han Hans Har Hennes Hon Hur Här I Idag Igår Inga Ingen Inte Istället Ja Jag Kan Man Med \
        Medan Men Mer Min Mot Många När Nej Ni Nu Någon Några Och Också Om På Redan Samtidigt Sedan Sen Ska Skulle Som Så Sådan Till Trots \
        Tre Två Under Ut Utan Vad Var Varför Varje Vi Vid Vilka Vilken Vill Våra Även Ändå Är Åt"),
    ..cldr::SV
};
