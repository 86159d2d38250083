//! English.

use super::cldr;
use super::data::{Abbreviations, FunctionWords, LanguageData, ShortForms, UnitWords, Words};

#[rustfmt::skip]
pub(super) static ENGLISH: LanguageData = LanguageData {
    units: UnitWords("\
        km/h: kilometres per, kilometers per, kph; kWh: kilowatt-hour, kilowatt hour; h: hour, hr; min: minute; °C: degree; °F: degree; %: percent, per cent; £: pound"),
    size_words: Words("k m bn mn hundred thousand million billion trillion dozen"),
    measures: Words("\
        Percent Euro Euros Dollar Dollars Pounds Liters Litre Litres Meter Meters Metre Metres Kilometers Tons Degrees Hours Minutes Seconds Years \
        Star Stars Miles Inches Watt Volt Times"),
    clock_words: Words("am pm a.m p.m o'clock o’clock"),
    conjunctions: Words("\
        and or but nor because although though while whereas which who that when where if unless until since so then"),
    function_words: FunctionWords {
        articles: Words("the a an"),
        prepositions: Words("\
            in on at of to from with by for about over under into onto through against without since until between before after during"),
        conjunctions: Words("and or but that than if"),
    },
    letters: "àáâäçèéêëìíîïñòóôöùúûüÿßœſ",
    capital_word: "i",
    abbreviations: Abbreviations {
        always: Words("\
            Mr Mrs Ms Mx Dr Drs Prof St Ste Mt Ft Rev Fr Gen Col Sgt Capt Lt Maj Cmdr Adm Brig Cpl Pvt Hon Pres Gov Sen Rep Supt Insp Msgr Messrs Mme \
            Mlle vs v cf viz e.g i.e eg ie E.g I.e ca approx Approx incl excl resp esp Assoc Asst Univ Dept c.f a.k.a q.v Cf Vs"),
        before_number: Words("\
            No Nos no nos Nr p pp Fig Figs fig figs Vol Vols vol vols Sec Secs sec Sect Ch ch Chap chap Art art Arts Eq Eqs eq Para para Pt Ex Op op \
            Tab Ref Refs ref App Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun ed Ed Rev ver Ver Tel \
            tel Ext ext min max c l ll n s"),
        doubtful: Words("\
            Inc Ltd Corp Co Bros Jr Sr Esq LLC a.m p.m A.M P.M Ave Blvd Rd Calif Mass Fla Va Ill Conn Penn Wash Ariz Colo est Est Intl Natl Mfg Hwy Sq \
            ft in lb lbs oz yd mi hr hrs al Ph.D M.Sc B.Sc LL.B D.Phil"),
        spaced: &["e. g.", "i. e.", "a. k. a."],
        suffixes: Words::NONE,
    },
    short_forms: ShortForms {
        before_number: &[
            ("p.", "page"), ("pp.", "pages"), ("Fig.", "Figure"), ("fig.", "figure"), ("Figs.", "Figures"), ("Tab.", "Table"), ("Vol.", "Volume"),
            ("vol.", "volume"), ("Ch.", "Chapter"), ("ch.", "chapter"), ("Sec.", "Section"), ("Sect.", "Section"), ("Eq.", "Equation"),
        ],
        after_number: &[("hrs.", "hours"), ("yrs.", "years")],
        anywhere: &[("incl.", "including"), ("excl.", "excluding")],
    },
    starters: Words("\
        A About According After Again All Also Although Among An And Another Any Are As At Because Before Both But By Can Could Despite Did Do Does \
        Don During Each Even Every Everyone Few Finally First For From Get Had Has Have He Her Here His How However I If In Instead Is It Its Just \
        Later Let Many May Maybe Meanwhile Moreover Most Much My Nevertheless New No Nobody Nor Not Nothing Now Of On Once One Only Or Other Others \
        Our Over People Perhaps Please See Several She Should Since So Some Someone Sometimes Soon Still Such Take That The Their Then There Therefore \
        These They This Those Though Three Through Thus To Today Tomorrow Two Under Unless Unlike Until Use Was We Were What When Where Whether Which \
        While Who Whose Why Will With Within Without Would Yes Yesterday Yet You Your"),
    ..cldr::EN
};
