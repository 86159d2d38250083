// Written by generate.mjs; do not edit.
//
// Forms of numbers, dates, quotations and lists, words of units and sizes, letters, and abbreviations of the languages of which pySBD has none
// here: Unicode Common Locale Data Repository 48.2.0 (segments 46.1.0), Copyright © 1991-2025 Unicode, Inc., Unicode License v3
// (SPDX: Unicode-3.0, https://www.unicode.org/license.txt).
// Other abbreviations: pySBD 0.3.4, Copyright © 2019 Nipun Sadvilkar, MIT License.

//! What the Unicode Common Locale Data Repository says about languages.

use super::data::{
    Abbreviations, CurrencyForm, DateForm, DateOrder, LanguageData, NumberForm, Quotes, UnitWords, Words,
};
use super::script::Script;
use super::unknown::UNKNOWN;

#[rustfmt::skip]
pub(super) const AR: LanguageData = LanguageData {
    tag: "ar",
    codes: Words("ara arb"),
    script: Script::Arabic,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '”', close: '“', inner_open: '’', inner_close: '‘', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: كغم, كيلوغر; g: غرام; ml: ملتر, مليلتر; km: كم, كيلومت; cm: سم, سنتيمت; GB: غ.ب, غيغابا; °C: درجة مئوية; %: ٪, بالمائ; €: يورو; $: دولار"),
    size_words: Words("ألف آلاف مليار مليون ترليون ملايين"),
    conjunctions: Words("أو"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words("إلخ جم سم كج كلم"), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const AZ: LanguageData = LanguageData {
    tag: "az",
    codes: Words("aze azj"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("g: qram; cm: santim; GB: giqaba; °C: dərəcə; %: faiz; €: avro; £: funtu"),
    size_words: Words("k min mln mlrd trln milyon milyard trilyon"),
    conjunctions: Words("və yaxud"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "çöüğİışə",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const BE: LanguageData = LanguageData {
    tag: "be",
    codes: Words("bel"),
    script: Script::Cyrillic,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '«', close: '»', inner_open: '„', inner_close: '“', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: кг, кілагр; g: г; ml: мл, мілілі; km: км, кіламе; cm: см, сантым; GB: гб, гігаба; °C: градус; %: працэн; €: еўра; $: долар; £: фунт"),
    size_words: Words("млн тыс млрд трлн тысяч мільён мільярд трыльён"),
    conjunctions: Words("і ці"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const BG: LanguageData = LanguageData {
    tag: "bg",
    codes: Words("bul"),
    script: Script::Cyrillic,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '“', inner_open: '„', inner_close: '“', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: килогр; g: грам; ml: милили; km: киломе; cm: сантим; GB: гигаба; °C: градус; %: процен; €: евро; $: долар; £: лира, лири"),
    size_words: Words("млн хил млрд трлн милион хиляди милиард трилион"),
    conjunctions: Words("и или"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words("акад ал бр бул вж вкл вм вр ген гр дж дм доц др ем заб зам инж кв кг км кор куб лв мин млн млрд мм напр пл полк проф рис св сек см сп срв ст стр табл тел ул фиг ха хил чл"), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const BN: LanguageData = LanguageData {
    tag: "bn",
    codes: Words("ben"),
    script: Script::Bengali,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '০', least_grouped: 4, group_size: 2, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: কেজি, কিলোগ্; g: গ্রাম; ml: মিলিলি; km: কিমি, কিলোমি; cm: সেমি, সেন্টি; GB: গিগাবা; °C: ডিগ্রী; %: শতাংশ; €: ইউরো; $: ডলার; £: পাউন্ড"),
    size_words: Words("কো লা শত হা লাখ কোটি হাজার"),
    conjunctions: Words("এবং বা"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const BS: LanguageData = LanguageData {
    tag: "bs",
    codes: Words("bos"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ". ", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("°C: stepen; %: procen; £: funta, funte, funti"),
    size_words: Words("bil mil hilj mlrd bilion milion milijarda milijarde milijardi"),
    conjunctions: Words("i ili"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "ćčđšž",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const CA: LanguageData = LanguageData {
    tag: "ca",
    codes: Words("cat"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '«', close: '»', inner_open: '“', inner_close: '”', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: quilog; ml: mil·li; km: quilòm; cm: centím; °C: graus, grau celsius; %: per cent; $: dòlar; £: lliura, lliure"),
    size_words: Words("b k m km bilió miler milió bilions milions"),
    conjunctions: Words("i o"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "ºàáâãäåæçèéêëìíîïñòóôöøùúûüÿāăēĕīĭŀōŏœūŭ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const CS: LanguageData = LanguageData {
    tag: "cs",
    codes: Words("ces cze"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '“', inner_open: '‚', inner_close: '‘', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ". ", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("°C: stupeň, stupni, stupní, stupně, stupňů; £: liber, libra, libry"),
    size_words: Words("bil mil mld tis tisíc bilion milion miliard"),
    conjunctions: Words("nebo"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáâãäåæçèéêëìíîïñòóôöøùúûüýÿāăčďēĕěīĭľłňōŏœŕřšťūŭůž",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const DA: LanguageData = LanguageData {
    tag: "da",
    codes: Words("dan"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("°C: grader, grad celsius; £: pund"),
    size_words: Words("t bio mia mio tusind billion million milliard"),
    conjunctions: Words("og eller"),
    abbreviations: Abbreviations { always: Words("adm dr fru hr skt st"), before_number: Words("nr"), doubtful: Words("adr afd afs al alm ang ank anm ann apr arr ass att aud aug aut bd bdt bet bhk bio bk bot br bto ca cal cit co da dav dec def del dep din dir do ds dvs egl eks el eng enk etc eur evt fa feb fec ff fg fhv fig fl flg fm fmd fp fr frk fys fær gd gdr gg gh gl gn gns gr hdl hf hft hhv hpl hrs hum ib if ifm ill ing isl jan jf jfr jnr jr jul jun jur jvf kal kap kat kbh kem kgl kin kl kld kp kr kst kt ktr kv kvt lab lat lb lgd lic lin lok lrs ltr lø ma mag mar mat md mdl mdr med mf mfl mgl mhp mht mi mia mio ml mr mrk mrs ms mul mv mvh nat ned nkr nl no nov nto nuv obj obl obs off ofl okt omg omr on opg opl opr org osv ovf oz par pct pd pg pga pgl ph pk pkt pl pos pp pr prc pt pæd rad red ref reg rel rep rk sa sb sc sek sem sen sep sg sj skr sml smp sms soc sp spm spr stk str sup sv såk sø tab td tdl tdr th ti tjg tlf to tr trp tv ty ubf udb udd udg uds ult var vb vh vol vs vsa vær årg årh årl øv øvr"), ..Abbreviations::NONE },
    letters: "àáâäåæçèéêëíîïñóôöøùúûüÿœǿ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const DE: LanguageData = LanguageData {
    tag: "de",
    codes: Words("deu ger"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '“', inner_open: '‚', inner_close: '‘', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("cm: zentim; °C: grads, grad celsius; %: prozen; £: pfund"),
    size_words: Words("bio mio mrd billion million tausend milliarde"),
    conjunctions: Words("und oder"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words("Abs Abt Abw Adj Adr Akt Allg Alt App Apr Art Aug Ausg Ausschl Bed Ben Ber Best Bibl Ca Chin Chr Co Dat Dez Di Dim Dipl.-Ing Dipl.-Kfm Dir Do Dr Dtzd Einh Erf Fa Fam Feb Fn Folg Fr Frl Gebr Gem Geograph Ges Hbf Hptst Hr Hrn Hrsg Inc Ing Inh Int Jahrh Jan Jr Kap Kl Konv Kop Ltd Max Mi Min Mind Mio Mo Mod Mrd Msp Nov Nr Obj Okt Op PIN Pfd Phys Port Prot Proz Qu Rd Reg Reg.-Bez Rel Rep Sa Schr Sek Sep Sept So Spezif St StR Std Str Tel Temp Test Trans Urspr Ursprüngl Verf Wg Ztr am amtl beil ehem eigtl einschl entspr erw ev evtl exkl frz geb gedr gek gesch gest ggf ggfs hpts inkl jew jhrl kath kfm kgl led mtl möbl näml od p.Adr röm röm.-kath schles schweiz schwäb sog südd tägl v.Chr verh verw vgl zzgl österr"), ..Abbreviations::NONE },
    letters: "ßàáâãäåæçèéêëìíîïñòóôöøùúûüÿāăēĕğīĭİıōŏœşūŭ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const EL: LanguageData = LanguageData {
    tag: "el",
    codes: Words("ell gre"),
    script: Script::Greek,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '«', close: '»', inner_open: '“', inner_close: '”', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: κιλά, κιλό, χιλιόγ; g: γρ., γραμμά; ml: χιλιοσ; km: χλμ., χιλιομ, χιλιόμ; cm: εκ., εκατοσ; °C: βαθμό, βαθμοί, βαθμού, βαθμών; %: τοις εκατό; €: ευρώ; $: δολάρι; £: λίρα, λίρες"),
    size_words: Words("εκ δισ χιλ τρισ χιλιάδα χιλιάδες εκατομμύρια εκατομμύριο δισεκατομμύρια δισεκατομμύριο"),
    conjunctions: Words("και ή"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const EN: LanguageData = LanguageData {
    tag: "en",
    codes: Words("eng"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::MonthDayYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("°C: degree; %: percen; £: pound"),
    size_words: Words("b k m t billion million thousand trillion"),
    conjunctions: Words("and or"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words("AA AB AD Abs Act Adj Adv All Alt Approx As Aug By Cap Capt Card Col Comm Conn Cont DC Dec Def Dept Diff Do Ed Est Etc Ex Feb Fn Fri Gb Go Hat Hon.B.A Hz Id In Is Jam Jan Job Joe Jun Kb Lev Lib Link Long Lt Lt.Cdr MR Maj Mar Mart Mb Md Mgr Min Misc Mr Mrs Ms Mt Nov Nr Num OK Ok On Op Or Org PC PP Phys Pro Prof Pvt Rep Rev Sep Sept Sgt Sq To Up VS Var Yr exec pp vs"), ..Abbreviations::NONE },
    letters: "àáâãäåæçèéêëìíîïñòóôöøùúûüÿāăēĕīĭōŏœūŭ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const ES: LanguageData = LanguageData {
    tag: "es",
    codes: Words("spa"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("km: kilóme; cm: centím; °C: grado; %: por ciento; $: dólar; £: libra"),
    size_words: Words("b m mil billón millón billones millones"),
    conjunctions: Words("y o"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words("AA All Ant Av Avda Bien CA Comm Corp Cía DC Da Desc Desv Dr Dra Drs Dto Dª Dña Em Emm Exc Excma Excmas Excmo Excmos Exma Exmas Exmo Exmos Fabric Fr Id Ilma Ilmas Ilmo Ilmos Inc Kit Korn Lcda Lcdo Lda Ldo Lic Ltd Ltda Ltdo MM Mons Mr Mrs PP RAM Rdo Rdos Reg Rev Rol Rvdmo Rvdmos Rvdo Rvdos SA Sdad Seg Sol Sr Sra Srta Srtas Sta Sto Trab Var Vda abr afma afmas afmo afmos ago bco bol cap cf cfr col depto deptos dic doc dom dpto dptos dtor ed ej ene feb fig figs fund hnos jue jul jun licda licdo lun mar may mié ms mss mtro nov ntra ntro oct prof prov sept sras sres srs ss sáb trad vid vie vs"), ..Abbreviations::NONE },
    letters: "ªºàáâãäåæçèéêëìíîïñòóôöøùúûüýÿāăēĕīĭōŏœūŭ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const ET: LanguageData = LanguageData {
    tag: "et",
    codes: Words("ekk est"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '“', inner_open: '‚', inner_close: '‘', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("ml: millil; km: kilome; cm: sentim; GB: gigaba; %: protse"),
    size_words: Words("mld mln tuh trln tuhat miljon miljard triljon"),
    conjunctions: Words("ja või"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáâãäåæçèéêëìíîïñòóôõöøùúûüāēīōŏœšūž",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const EU: LanguageData = LanguageData {
    tag: "eu",
    codes: Words("baq eus"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: true },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '«', close: '»', inner_open: '“', inner_close: '”', gap: "" },
    dates: DateForm { order: DateOrder::YearMonthDay, separator: "/", padded: false, day_suffix: "(a)" },
    ordinal_stop: false,
    units: UnitWords("cm: zentim; %: ehunek; £: libera"),
    size_words: Words("b m bilioi milioi"),
    conjunctions: Words("eta edo"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáâãäåæçèéêëìíîïñòóôöøùúûüÿāăēĕīĭōŏœūŭ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const FA: LanguageData = LanguageData {
    tag: "fa",
    codes: Words("fas per pes"),
    script: Script::Arabic,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '٫', group: '٬', zero: '۰', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '«', close: '»', inner_open: '‹', inner_close: '›', gap: "" },
    dates: DateForm { order: DateOrder::YearMonthDay, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: کیلوگر; g: گرم; ml: میلی\u{200c}ل; km: کیلومت; cm: سانتی\u{200c}; GB: گیگابا; °C: درجهٔ; %: ٪, درصد; €: یورو; $: دلار"),
    size_words: Words("هزار میلیون تریلیون میلیارد"),
    conjunctions: Words("و یا"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const FI: LanguageData = LanguageData {
    tag: "fi",
    codes: Words("fin"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '”', close: '”', inner_open: '’', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("cm: sentti; GB: gigata; £: punta"),
    size_words: Words("t mrd bilj milj tuhat"),
    conjunctions: Words("ja tai"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "ßàáâãäåæçèéêëíîïðñòóôõöøùúûüýþÿāăąćċčďđēėęěğģħīįİıķĺļľłńņňŋőœŕřśŝşšţťŧūůűųźżžǥǧǩǯșțȟʒ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const FR: LanguageData = LanguageData {
    tag: "fr",
    codes: Words("fra fre"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{202f}', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '«', close: '»', inner_open: '«', inner_close: '»', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("km: kilomè; GB: gigaoc; °C: degré; %: pour cent; £: livre"),
    size_words: Words("k m bn md mille billion millier million milliard"),
    conjunctions: Words("et ou"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words("All Comm DC Desc Inc Jr MM Mart Op Prof Var acoust adr anc ann anon append aux avr broch bull cam categ coll collab config dest dict dim dir doc déc encycl exempl fig févr gouv graph hôp ill illustr imm imprim indus janv jeu juil lun mar mer niv nov oct quart réf sam sept symb synth syst ven voit éd édit équiv éval"), ..Abbreviations::NONE },
    letters: "ßàáâãäåæçèéêëìíîïñòóôõöøùúûüÿāćēīĳœřšſǔ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const GL: LanguageData = LanguageData {
    tag: "gl",
    codes: Words("glg"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: quilog; km: quilóm; cm: centím; GB: xigaby; °C: graos, grao celsius; $: dólar; £: libra"),
    size_words: Words("b m billón millón"),
    conjunctions: Words("e ou"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "ªºàáâãäåæçèéêëìíîïñòóôõöøùúûüāăēĕīĭōŏœūŭɑ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const GU: LanguageData = LanguageData {
    tag: "gu",
    codes: Words("guj prp"),
    script: Script::Gujarati,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 2, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: કિગ્રા, કિલોગ્; g: ગ્રા; ml: મિલિલી; km: કિમી, કિલોમી; cm: સેમી, સેન્ટિ; GB: ગીગાબા; °C: ડિગ્રી; %: ટકા; €: યુરો; $: ડૉલર; £: પાઉન્ડ"),
    size_words: Words("અબજ લાખ કરોડ જલધિ શંકુ હજાર નિખર્વ મહાપદ્મ"),
    conjunctions: Words("અને અથવા"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const HE: LanguageData = LanguageData {
    tag: "he",
    codes: Words("heb iw"),
    script: Script::Hebrew,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '”', close: '”', inner_open: '’', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: ק״ג, קילוגר; g: גרם, גר׳; ml: מ״ל, מילילי; km: ק״מ, קילומט; cm: ס״מ, סנטימט; GB: ג׳יגה-; °C: מעלות, מעלת צלזיוס; %: אחוז; €: אירו; $: דולר; £: לירה"),
    size_words: Words("b k m t אלף מיליון טריליון מיליארד"),
    conjunctions: Words("או"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const HI: LanguageData = LanguageData {
    tag: "hi",
    codes: Words("hin"),
    script: Script::Devanagari,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 2, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: किलोग्, कि॰ग्र; g: ग्राम, ग्रा॰; ml: मिलीली, मि॰ ली॰; km: किलोमी, कि॰मी॰; cm: सेंटीम, सें॰मी; GB: गीगाबा; °C: डिग्री; %: प्रतिश; €: यूरो; $: डॉलर; £: पाउंड"),
    size_words: Words("अ॰ क॰ ख॰ अरब खरब नील लाख करोड़ हज़ार"),
    conjunctions: Words("और या"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const HR: LanguageData = LanguageData {
    tag: "hr",
    codes: Words("hrv scr"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '“', inner_open: '‚', inner_close: '‘', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ". ", padded: true, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("°C: celzij; %: posto; £: funta, funte, funti"),
    size_words: Words("bil mil mlr tis tisuća tisuće bilijun milijun milijarda milijarde milijardi"),
    conjunctions: Words("i ili"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "ćčđšž",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const HU: LanguageData = LanguageData {
    tag: "hu",
    codes: Words("hun"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '”', inner_open: '»', inner_close: '«', gap: "" },
    dates: DateForm { order: DateOrder::YearMonthDay, separator: ". ", padded: true, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("km: kilomé; cm: centim; GB: gigabá; %: százal; $: dollár; £: font"),
    size_words: Words("b e m mrd ezer billió millió milliárd"),
    conjunctions: Words("és vagy"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáâãäåæçèéêëìíîïñòóôöøùúûüÿāăēĕīĭōŏőœūŭű",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const HY: LanguageData = LanguageData {
    tag: "hy",
    codes: Words("arm hye"),
    script: Script::Armenian,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '«', close: '»', inner_open: '«', inner_close: '»', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: կգ, կիլոգր; g: գ; ml: մլ, միլիլի; km: կմ, կիլոմե; cm: սմ, սանտիմ; GB: գբ, գիգաբա; °C: աստիճա; %: տոկոս; €: եվրո; $: դոլար; £: ֆունտ"),
    size_words: Words("հզր մլն մլրդ տրլն հազար միլիոն միլիարդ տրիլիոն"),
    conjunctions: Words("և կամ"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const ID: LanguageData = LanguageData {
    tag: "id",
    codes: Words("in ind"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("cm: sentim; °C: deraja; %: persen; £: pound"),
    size_words: Words("m t jt rb juta ribu miliar triliun"),
    conjunctions: Words("dan atau"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáâãäåæçèéêëìíîïñòóôöøùúûüÿāăēĕīĭōŏœūŭ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const IS: LanguageData = LanguageData {
    tag: "is",
    codes: Words("ice isl"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '“', inner_open: '‚', inner_close: '‘', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("kg: kílógr; g: grömm; ml: millil; km: kílóme; cm: sentim; GB: gígabæ; °C: gráða, gráðu; %: prósen; €: evra, evrur"),
    size_words: Words("m þ bn ma þúsund billjón milljón milljarðar milljarður"),
    conjunctions: Words("og eða"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "áæéíðóöúýþ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const IT: LanguageData = LanguageData {
    tag: "it",
    codes: Words("ita"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '«', close: '»', inner_open: '“', inner_close: '”', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: chilog; km: chilom; °C: gradi, grado; %: percen"),
    size_words: Words("k bln mld mln mila mille milione milioni miliardi miliardo"),
    conjunctions: Words("e o"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words("Cfr DC Geom Ing Liv Ltd Mod Sig ag all arch avv div dott dr fig int mitt on pag rag sez tab tav ver vol"), ..Abbreviations::NONE },
    letters: "ªºßàáâãäåæçèéêëìíîïñòóôõöøùúûüÿœ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const JA: LanguageData = LanguageData {
    tag: "ja",
    codes: Words("jpn"),
    script: Script::Japanese,
    spaced: false,
    sentence_gap: "",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '「', close: '」', inner_open: '『', inner_close: '』', gap: "" },
    dates: DateForm { order: DateOrder::YearMonthDay, separator: "/", padded: false, day_suffix: "日" },
    ordinal_stop: false,
    units: UnitWords("kg: キログラム; g: グラム; ml: ミリリットル; km: キロメートル; cm: センチメート; GB: ギガバイト; °C: 摂氏; %: パーセント; €: ユーロ"),
    size_words: Words("万 京 億 兆"),
    conjunctions: Words(""),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const KA: LanguageData = LanguageData {
    tag: "ka",
    codes: Words("geo kat"),
    script: Script::Georgian,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '“', inner_open: '«', inner_close: '»', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: კგ, კილოგრ; g: გ; ml: მილილ., მილილი; km: კმ, კილომე; cm: სმ, სანტიმ; GB: გიგაბა; °C: გრადუს; %: პროცენ; €: ევრო; $: დოლარი; £: გირვან"),
    size_words: Words("ათ მლნ მლრ ტრლ მლრდ ათასი მილიონი მილიარდი ტრილიონი"),
    conjunctions: Words("და ან"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const KN: LanguageData = LanguageData {
    tag: "kn",
    codes: Words("kan"),
    script: Script::Kannada,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: ಕೆಜಿ, ಕಿಲೋಗ್; g: ಗ್ರಾ; ml: ಮಿ.ಲೀ, ಮಿಲಿಲೀ; km: ಕಿಮೀ, ಕಿಲೋಮೀ; cm: ಸೆಮೀ, ಸೆಂಟಿಮ; GB: ಗಿ.ಬೈ., ಗಿಗಾಬೈ; °C: ಡಿಗ್ರಿ; %: ಶೇಕಡಾ; €: ಯೂರೊ"),
    size_words: Words("ಬಿ ಮಿ ಸಾ ಟ್ರಿ ಸಾವಿರ ಬಿಲಿಯನ್ ಮಿಲಿಯನ್"),
    conjunctions: Words("ಮತ್ತು ಅಥವಾ"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const KO: LanguageData = LanguageData {
    tag: "ko",
    codes: Words("kor"),
    script: Script::Korean,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::YearMonthDay, separator: ". ", padded: false, day_suffix: "일" },
    ordinal_stop: false,
    units: UnitWords("kg: 킬로그램; g: 그램; ml: 밀리리터; km: 킬로미터; cm: 센티미터; GB: 기가바이트; °C: 섭씨; €: 유로; $: 달러; £: 파운드"),
    size_words: Words("만 억 조 천"),
    conjunctions: Words("및 또는"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const LT: LanguageData = LanguageData {
    tag: "lt",
    codes: Words("lit"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '“', inner_open: '„', inner_close: '“', gap: "" },
    dates: DateForm { order: DateOrder::YearMonthDay, separator: "-", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("GB: gigaba; °C: celsij; $: doleri; £: svaro, svarų, svarai, svaras"),
    size_words: Words("mln mlrd trln tūkst milijono milijonų milijardo milijardų milijonai milijonas trilijono trilijonų milijardai milijardas trilijonai trilijonas"),
    conjunctions: Words("ir ar"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáãèéìíñòóõùúąčėęĩįšũūųžẽ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const LV: LanguageData = LanguageData {
    tag: "lv",
    codes: Words("lav lvs"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "a" },
    ordinal_stop: false,
    units: UnitWords("GB: gigaba; °C: celsij; €: eiro; $: dolāri, dolārs; £: mārciņ"),
    size_words: Words("milj mljrd trilj tūkst"),
    conjunctions: Words("un vai"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "āčēģīķļņōŗšūž",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const MK: LanguageData = LanguageData {
    tag: "mk",
    codes: Words("mac mkd"),
    script: Script::Cyrillic,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '“', inner_open: '‚', inner_close: '‘', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: килогр; g: грам; ml: милили; km: киломе; cm: сантим; GB: гигаба; °C: целзиу; %: процен; €: евра, евро; $: долар; £: фунта, фунти"),
    size_words: Words("м ми мј бил илј мил милј билион илјада илјади милион милијарда милијарди"),
    conjunctions: Words("и или"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const ML: LanguageData = LanguageData {
    tag: "ml",
    codes: Words("mal"),
    script: Script::Malayalam,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 2, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: കി.ഗ്ര, കിലോഗ്; g: ഗ്രാം, ഗ്രാമി; ml: മി.ലി., മില്ലി; km: കി.മീ., കിലോമീ; cm: സെ.മീ., സെന്റീ; GB: ഗിഗാബൈ; °C: ഡിഗ്രി; %: ശതമാനത; €: യൂറോ; $: ഡോളർ; £: പൗണ്ട്"),
    size_words: Words("b k m t ആയിരം ബില്യൺ ദശലക്ഷം ട്രില്യൺ"),
    conjunctions: Words("അല്ലെങ്കിൽ"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const MS: LanguageData = LanguageData {
    tag: "ms",
    codes: Words("may msa zsm"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("cm: sentim; GB: gigaba; °C: darjah; %: peratu; £: paun"),
    size_words: Words("b j k t juta ribu bilion trilion"),
    conjunctions: Words("dan atau"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const MT: LanguageData = LanguageData {
    tag: "mt",
    codes: Words("mlt"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::MonthDayYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("€: ewro"),
    size_words: Words("g k m t"),
    conjunctions: Words("u or"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àèìòùċġħż",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const NB: LanguageData = LanguageData {
    tag: "nb",
    codes: Words("nob"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '«', close: '»', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("°C: grader, grad celsius; £: pund"),
    size_words: Words("k mrd bill mill tusen"),
    conjunctions: Words("og eller"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáãäåæçèéêíñòóôöøúüčđńŋšŧžǎ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const NL: LanguageData = LanguageData {
    tag: "nl",
    codes: Words("dut nld"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "\u{a0}" },
    quotes: Quotes { open: '‘', close: '’', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "-", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("°C: graad, graden; £: pond"),
    size_words: Words("k bln mld mln biljoen duizend miljard miljoen"),
    conjunctions: Words("en of"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words("abd abm abs adv afd afl agr al alg app arb arr art aud bab bel ber bet bew bkh bl blz bm bn bnw bs bv bw bxh byz ca cal cap cas cf ch chr cie cir cit civ cmt co com crt cur dat def dez dgl dhr div dl dln doc dpl dr drs dtp dwz dyn ed eff eig eil enz err etc etq eur ev evt ex fa fg fig fin fl fr fra ft geb gec ged geh gem gen get gew gk gr grs grw gst gw hc hhr hpw hr hrg hst hw ib iem ind inf ing int inv inz ir it jg jis jl jrg jur jw kg kh kkr kr kt ktg ktr kzr kzw lat lit liw lk ll ltd max me med mgr mhd mil min mnd mod mon mr ms muz mv nhd nl nnd no not nr nrs nt ob oe ohd omb omz onz opm or ors os osm ov oz pag pan pas pat pft pk plv po pol pp pr prf prg pun pw rb rdn rec red reg rep req res rev rh rk rln rom rov rtl sc sch sir soc sr ss st stb su sv sw td tom top trb ts tw vb vbb vc vd ver vgl vid vlg vn vnl vnw vo vol vr vrg vs vt vw vz vzr wac wd wgb wnd wrr ws wsr ww zg zgn zn znw zr"), ..Abbreviations::NONE },
    letters: "àáâãäåæçèéêëíîïñóôöøùúûüýÿœ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const NN: LanguageData = LanguageData {
    tag: "nn",
    codes: Words("nno"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '«', close: '»', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("°C: grader, grad celsius; £: pund"),
    size_words: Words("k mrd bill mill tusen"),
    conjunctions: Words("og eller"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáãäåæçèéêíñòóôöøúüčđńŋšŧžǎ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const PL: LanguageData = LanguageData {
    tag: "pl",
    codes: Words("pol"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '”', inner_open: '«', inner_close: '»', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("km: kilome; cm: centym; °C: stopie, stopni; %: procen; £: funt"),
    size_words: Words("bln mld mln tys bilion milion tysiąc miliard tysięcy"),
    conjunctions: Words("i lub"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words("ags alb ang aor bałt bret brus bsł bułg celt cs czes dor duń dłuż ekaw fiń gal germ goc gr głuż hebr het hol ie ikaw irań irl itd itp kasz kirg lip lit lp mar nb ngr niem nord norw np ok orm oset osk pers pie pol port psł rez rom rum rus rys sas sch scs serb stpr str sła słe słi słow tj toch tur tzn tłum ukr ul umbr wed wyd węg włos łac łot śl"), ..Abbreviations::NONE },
    letters: "ßàâäåæçèéêëîïóôöùûüÿąćęłńœśźż",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const PT: LanguageData = LanguageData {
    tag: "pt",
    codes: Words("por"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "\u{a0}" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: quilog; km: quilôm; cm: centím; °C: graus, grau celsius; %: por cento; $: dólar; £: libra"),
    size_words: Words("bi mi mil tri bilhão milhão bilhões milhões trilhão trilhões"),
    conjunctions: Words("e ou"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words("Alm Av Dr Dra Dras Drs Est Exma Exmo Ilma Ilmo Jr Ltd Ltda N.Sra Pe Sta Sto abr abrev adm aer ago agric anat ap apart apt arit arqueol arquit astron autom aux biogr bras cap caps cat cel cf col com comp compl cont contab créd cx círc cód des desc dez dipl dir div doc déb ed educ elem eletr eletrôn end eng esp ex fac fasc fem fev ff fig fil filos fisiol fl fot fr fís geom gram gên hist ind ingl jan jul jun jur lat lin lit liter long mai mar mat matem mov máq méd mús neol nov náut obs odont odontol org organiz out pal pol port pp pq prod prof profa pron próx psicol pág quím ref rel relat rementente rep res rod set sociol sup séc símb tec tecnol tel trad transp univ vol vs álg índ"), ..Abbreviations::NONE },
    letters: "ªºàáâãäåæçèéêëìíîïñòóôõöøùúûüÿāăēĕīĭōŏœūŭ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const RO: LanguageData = LanguageData {
    tag: "ro",
    codes: Words("mo mol ron rum"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '”', inner_open: '«', inner_close: '»', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("GB: gigaby, de gigabyți; °C: grade, de grade, unui grad, grad celsius; £: lire, liră"),
    size_words: Words("k mie mii mil mld tril milion miliard milioane"),
    conjunctions: Words("și sau"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáâäåçèéêëîñöüăşţșț",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const RU: LanguageData = LanguageData {
    tag: "ru",
    codes: Words("rus"),
    script: Script::Cyrillic,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '«', close: '»', inner_open: '„', inner_close: '“', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: кг, килогр; g: г; ml: мл, миллил; km: км, киломе; cm: см, сантим; GB: гб, гигаба; °C: градус; %: процен; €: евро; $: доллар; £: фунт"),
    size_words: Words("млн тыс млрд трлн тысяч миллион миллиард триллион"),
    conjunctions: Words("и или"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words("авг апр дек кв нояб окт отд проф руб сент тел тыс ул февр янв"), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const SK: LanguageData = LanguageData {
    tag: "sk",
    codes: Words("slk slo"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '“', inner_open: '‚', inner_close: '‘', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ". ", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("°C: stupeň, stupne, stupni, stupňa, stupňo, stupňu; %: percen; $: dolár; £: libra, libry, libier"),
    size_words: Words("bil mil mld tis tisíc bilión milión miliárd miliarda miliardy"),
    conjunctions: Words("a alebo"),
    abbreviations: Abbreviations { always: Words("bc doc dr drsc ing judr mgr mudr prof st"), before_number: Words("no nr"), doubtful: Words("al arm atd atď cca co csc el etc ev gen hl hod ii iii inc ind iv jr kol kt ltd max mil min ml mld mr nám nár obr obv odd ods os phd pod pok por pp pr red roz rtg skr sl soc sp sr str sv sz tel tis tj tr tu tvz tz tzn tzv ul var vi viď vs vyd vz xx zb zs zz zák čs čsl št"), ..Abbreviations::NONE },
    letters: "àáâäåæçèéêëìíîïñòóôöøùúûüýÿāăčďēĕīĭĺľňōŏőœŕřšťūŭűž",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const SL: LanguageData = LanguageData {
    tag: "sl",
    codes: Words("slv"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '“', inner_open: '‚', inner_close: '‘', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ". ", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("ml: militr; °C: stopin; %: odstot; €: evra, evri, evro; £: funt"),
    size_words: Words("bil mio mrd tis tisoč bilijon milijon milijard"),
    conjunctions: Words("in ali"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáâäåæçèéêëìíîïñòóôöøùúûüÿāăćčđēĕīĭōŏœšūŭž",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const SQ: LanguageData = LanguageData {
    tag: "sq",
    codes: Words("alb als sqi"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 5, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("°C: gradë; %: përqin; £: sterli"),
    size_words: Words("bln mld mln mijë bilion milion miliard"),
    conjunctions: Words("dhe ose"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "çë",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const SR: LanguageData = LanguageData {
    tag: "sr",
    codes: Words("scc srp"),
    script: Script::Cyrillic,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '„', close: '”', inner_open: '’', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ". ", padded: false, day_suffix: "." },
    ordinal_stop: true,
    units: UnitWords("kg: килогр; g: грам; ml: милили; km: киломе; cm: центим; GB: гигаба; °C: степен; %: процен; €: евра, евро; $: долар; £: фунта, фунте, фунти"),
    size_words: Words("бил мил хиљ млрд билион милион хиљада хиљаде милијарда милијарде милијарди"),
    conjunctions: Words("и или"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const SV: LanguageData = LanguageData {
    tag: "sv",
    codes: Words("swe"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "\u{a0}", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '”', close: '”', inner_open: '’', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::YearMonthDay, separator: "-", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("°C: grader, grad celsius; £: pund"),
    size_words: Words("bn md mn tn tusen biljon miljon miljard"),
    conjunctions: Words("och eller"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáâãäåæçèéëíîïñóöøúüÿāī",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const TA: LanguageData = LanguageData {
    tag: "ta",
    codes: Words("tam"),
    script: Script::Tamil,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 2, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: கிலோகி; g: கி., கிராமி, கிராமு, கிராமை, கிராம்; ml: மிலி, மில்லி; km: கி.மீ., கிலோமீ; cm: செ.மீ., சென்டி; GB: கிகாபை; °C: டிகிரி; %: சதவீதத, சதவீதம; €: யூரோ; $: டாலர்; £: பவுண்ட"),
    size_words: Words("ஆ டி பி மி ஆயிரம் பில்லியன் மில்லியன் டிரில்லியன்"),
    conjunctions: Words("மற்றும் அல்லது"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const TE: LanguageData = LanguageData {
    tag: "te",
    codes: Words("tel"),
    script: Script::Telugu,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 2, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: కి.గ్ర, కిలోగ్; g: గ్రా., గ్రాము; ml: మి.లీ., మిల్లీ; km: కి.మీ., కిలోమీ; cm: సెం.మీ, సెంటీమ; GB: జీబీ, గిగాబై; °C: డిగ్రీ; %: శాతం; €: యూరో; $: డాలర్; £: పౌండ్"),
    size_words: Words("బి మి వే ట్రి వేయి వేలు బిలియన్ మిలియన్"),
    conjunctions: Words("మరియు లేదా"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const TH: LanguageData = LanguageData {
    tag: "th",
    codes: Words("tha"),
    script: Script::Thai,
    spaced: false,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: กก., กิโลกร; g: ก., กรัม; ml: มล., มิลลิล; km: กม., กิโลเม; cm: ซม., เซนติเ; GB: กิกะไบ; °C: องศาเซ; %: เปอร์เ; €: ยูโร"),
    size_words: Words("b k m t พัน แสน ล้าน หมื่น พันล้าน แสนล้าน"),
    conjunctions: Words("หรือ"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const TR: LanguageData = LanguageData {
    tag: "tr",
    codes: Words("tur"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: true },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("cm: santim; GB: gigaba; °C: santig; %: yüzde"),
    size_words: Words("b mn mr tn bin milyar milyon trilyon"),
    conjunctions: Words("ve veya"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "ßàáâãäåæçèéêëìíîïñòóôöøùúûüÿāăēĕğīĭİıōŏœşūŭ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const UK: LanguageData = LanguageData {
    tag: "uk",
    codes: Words("ukr"),
    script: Script::Cyrillic,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '\u{a0}', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '«', close: '»', inner_open: '„', inner_close: '“', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: ".", padded: true, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: кг, кілогр; g: г; ml: мл, мілілі; km: км, кіломе; cm: см, сантим; GB: гб, гігаба; °C: градус; %: відсот; €: євро; $: долар; £: фунт"),
    size_words: Words("млн тис млрд трлн тисяч мільйон мільярд трильйон"),
    conjunctions: Words("і або"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const UR: LanguageData = LanguageData {
    tag: "ur",
    codes: Words("urd"),
    script: Script::Arabic,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '”', close: '“', inner_open: '’', inner_close: '‘', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: کلو گرام; g: گرام; ml: ملی لیٹر; km: کلو میٹر; cm: سینٹی; GB: گیگابا; °C: ڈگری سیلسیس; %: فیصد; €: یورو; $: ڈالر"),
    size_words: Words("ارب لاکھ کروڑ کھرب ہزار ٹریلین"),
    conjunctions: Words("اور یا"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const VI: LanguageData = LanguageData {
    tag: "vi",
    codes: Words("vie"),
    script: Script::Latin,
    spaced: true,
    sentence_gap: " ",
    numbers: NumberForm { decimal: ',', group: '.', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: false, gap: "\u{a0}" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::DayMonthYear, separator: "/", padded: false, day_suffix: "" },
    ordinal_stop: false,
    units: UnitWords("kg: kilôga; g: gam; ml: mililí; km: kilômé; cm: xentim; °C: độ c; $: la, đô; £: bảng"),
    size_words: Words("n t nt tr tỷ nghìn triệu"),
    conjunctions: Words("và hoặc"),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const ZH: LanguageData = LanguageData {
    tag: "zh",
    codes: Words("chi cmn zho"),
    script: Script::Han,
    spaced: false,
    sentence_gap: "",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '“', close: '”', inner_open: '‘', inner_close: '’', gap: "" },
    dates: DateForm { order: DateOrder::YearMonthDay, separator: "/", padded: false, day_suffix: "日" },
    ordinal_stop: false,
    units: UnitWords("kg: 千克; g: 克; ml: 毫升; km: 公里; cm: 厘米; GB: 吉字节; °C: 摄氏度; €: 欧元"),
    size_words: Words("万 亿 万亿"),
    conjunctions: Words(""),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};

#[rustfmt::skip]
pub(super) const ZH_HANT: LanguageData = LanguageData {
    tag: "zh-Hant",
    codes: Words(""),
    script: Script::Han,
    spaced: false,
    sentence_gap: "",
    numbers: NumberForm { decimal: '.', group: ',', zero: '0', least_grouped: 4, group_size: 3, percent_gap: "", percent_before: false },
    currency: CurrencyForm { before: true, gap: "" },
    quotes: Quotes { open: '「', close: '」', inner_open: '『', inner_close: '』', gap: "" },
    dates: DateForm { order: DateOrder::YearMonthDay, separator: "/", padded: false, day_suffix: "日" },
    ordinal_stop: false,
    units: UnitWords("kg: 公斤; g: 克; ml: 毫升; km: 公里; cm: 公分; °C: 攝氏; €: 歐元"),
    size_words: Words("億 兆 萬"),
    conjunctions: Words(""),
    abbreviations: Abbreviations { always: Words(""), before_number: Words(""), doubtful: Words(""), ..Abbreviations::NONE },
    letters: "",
    ..UNKNOWN
};
