//! Dutch.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static DUTCH: LanguageData = LanguageData {
    clock_words: Words("uur"),
    conjunctions: Words("en of maar want omdat hoewel dat die wanneer als terwijl waar zodat dus"),
    abbreviations: Abbreviations {
        always: Words("\
            dhr mevr mw dr drs ir ing mr prof ds bijv bv ca d.w.z m.a.w o.a t.a.v i.v.m i.p.v m.b.t n.a.v resp incl excl evt zgn vgl gem max \
            St Sint enz.v"),
        before_number: Words("nr nrs art blz p pp fig afb hfst vol tel jan febr mrt apr aug sept okt nov dec"),
        doubtful: Words("enz etc e.d jl a.s Chr B.V N.V v.Chr n.Chr str plm mln mld"),
        ..cldr::NL.abbreviations
    },
    starters: Words("\
        Aan Achter Al Alle Alleen Alles Als Andere Anders Beide Bij Binnen Bovendien Daar Daarbij Daardoor Daarna Daarom Dan Dat De Deze Die \
        Dit Doch Door Drie Dus Echter Een Één Elk Elke En Er Ergens Eerst Geen Gisteren Haar Had Hebben Heeft Heel Hen Het Hier Hij Hoe \
        Hoewel Hun Iedereen Ik In Inmiddels Is Ja Je Jij Jullie Kan Kunnen Later Maar Mag Meer Men Met Mijn Misschien Moet Na Naast Nadat \
        Natuurlijk Nee Niemand Niet Niets Nog Nooit Nu Of Om Omdat Onder Ondanks Ons Onze Ook Op Over Sinds Sommige Soms Te Tegen Ten \
        Terwijl Tijdens Toch Toen Tot Tussen Twee U Uit Uw Vaak Van Vandaag Vanaf Veel Vervolgens Verder Volgens Voor Vooral Waar Waarom \
        Want Wanneer Waren Was Wat We Weer Welke Werd Wie Wij Word Wordt Ze Zelfs Zij Zijn Zo Zoals Zonder Zou"),
    ..cldr::NL
};
