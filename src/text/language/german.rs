//! German.

use super::cldr;
use super::data::{Abbreviations, FunctionWords, LanguageData, ShortForms, UnitWords, Words};

#[rustfmt::skip]
pub(super) static GERMAN: LanguageData = LanguageData {
    units: UnitWords("\
        cl: zentiliter; km/h: stundenkilometer, kilometer pro, kilometer in der, km pro; cm: zentimet; kWh: kilowattstunde; h: stund, std, uhr; min: minut; °C: grad, ° c; °F: grad, ° f; %: prozent; £: pfund"),
    size_words: Words("hundert tausend million millionen milliarde milliarden billion billionen mio mrd dutzend"),
    measures: Words("\
        Prozent Euro Dollar Pfund Liter Meter Kilometer Kilo Kilos Gramm Tonnen Grad Stunden Minuten Sekunden Jahre Uhr Sterne Watt Volt Mal"),
    clock_words: Words("uhr"),
    conjunctions: Words("\
        und oder aber sondern denn weil obwohl während dass wenn als damit sowie bevor nachdem bis"),
    function_words: FunctionWords {
        articles: Words("der die das den dem des ein eine einen einem einer eines"),
        prepositions: Words("\
            in im ins an am ans auf aus bei beim mit nach von vom zu zum zur für über unter um seit durch gegen ohne bis vor zwischen während"),
        conjunctions: Words("und oder aber dass als wenn sowie"),
    },
    letters: "àáâäçèéêëìíîïñòóôöùúûüÿßœſ",
    capital_nouns: true,
    abbreviations: Abbreviations {
        always: Words("\
            Dr Dres Prof Hr Hrn Fr Frl Dipl Ing Mag St Hl hl bzw Bzw ca Ca vgl Vgl evtl Evtl ggf Ggf inkl exkl einschl zzgl abzgl sog bspw Bspw entspr \
            allg jew bes insb insbes lt Lt gem zw z.B Z.B d.h D.h u.a i.d.R i.A i.V z.T Z.T z.Zt z.Hd o.g O.g u.U m.E M.E s.o s.u S.o v.a V.a i.S.v \
            e.g i.e vs Mr Mrs Ms Tel Telef geb Geb gest verh Hptm Oblt Maj Hrsg hrsg Abk Forts mind Mind ehem Ehem rd Rd gegr zit ggü stellv Stellv \
            höchst amtl techn wiss dt engl frz franz ital lat griech österr schweiz röm kath evang ev phil med jur rer nat pol h.c stv Stv städt \
            staatl"),
        before_number: Words("\
            Nr Nrn nr No Bd Bde Kap Abb Tab Abs Art Ziff Lit lit Anm Anl Bl Fn Kl Pos Postf Aufl Ausg Jg Jahrg Rn Rdnr Rz Sp Teilnr Bsp Fig Vol Var \
            Jan Feb Mär Apr Jun Jul Aug Sep Sept Okt Nov Dez Mo Di Mi Do Sa So min max Min Max"),
        doubtful: Words("\
            Str str Pl Jh Jhd Jhdt Chr Mio Mrd Tsd Std Sek Co Inc Ltd Corp e.V a.D jun sen v.Chr n.Chr G.m.b.H o.Ä o.ä u.ä u.Ä etw Inh al Verl Univ \
            Abt Mitgl Stck Pfd Ztr"),
        spaced: &["z. B.", "Z. B.", "d. h.", "D. h.", "u. a.", "U. a.", "i. d. R.", "I. d. R.", "z. T.", "z. Zt.", "z. Hd.", "o. g.", "u. U.", "m. E.", "s. o.", "s. u.", "v. a.", "V. a.", "i. A.", "i. V.", "i. S. v.", "i. S. d.", "h. c.", "e. g.", "i. e.", "a. M.", "a. d.", "b. a. w.", "i. e. S.", "i. w. S."],
        suffixes: Words("str"),
    },
    short_forms: ShortForms {
        before_number: &[
            ("S.", "Seite"), ("Abb.", "Abbildung"), ("Tab.", "Tabelle"), ("Abs.", "Absatz"), ("Kap.", "Kapitel"), ("Bd.", "Band"), ("Art.", "Artikel"),
            ("Ziff.", "Ziffer"), ("Anm.", "Anmerkung"), ("Aufl.", "Auflage"), ("Jg.", "Jahrgang"), ("Zi.", "Zimmer"),
        ],
        after_number: &[
            ("Jh.", "Jahrhundert"), ("Jhd.", "Jahrhundert"), ("Jhdt.", "Jahrhundert"), ("Jahrh.", "Jahrhundert"), ("Tsd.", "Tausend"), ("Std.", "Stunden"),
            ("Min.", "Minuten"), ("Sek.", "Sekunden"), ("Stk.", "Stück"), ("Stck.", "Stück"), ("Aufl.", "Auflage"),
        ],
        anywhere: &[
            ("Vgl.", "Vergleiche"), ("vgl.", "vergleiche"), ("inkl.", "einschließlich"), ("Inkl.", "Einschließlich"), ("exkl.", "ohne"), ("zzgl.", "zuzüglich"),
            ("abzgl.", "abzüglich"), ("MwSt.", "Mehrwertsteuer"), ("ggf.", "gegebenenfalls"), ("Ggf.", "Gegebenenfalls"), ("evtl.", "eventuell"),
            ("Evtl.", "Eventuell"), ("bspw.", "beispielsweise"), ("Bspw.", "Beispielsweise"), ("u. a.", "unter anderem"), ("z. T.", "zum Teil"),
            ("i. d. R.", "in der Regel"), ("I. d. R.", "In der Regel"), ("mind.", "mindestens"), ("max.", "maximal"), ("lt.", "laut"),
        ],
    },
    comma_before_verses: Words("\
        Gen Ex Lev Num Dtn Jos Ri Rut Sam Kön Chr Esra Neh Est Ijob Hiob Ps Psalm Spr Koh Hld Jes Jer Klgl Ez Hes Dan Hos Joel Obd Jona Mi Nah Hab \
        Zef Hag Sach Mal Mt Mk Lk Joh Apg Röm Kor Gal Eph Phil Kol Thess Tim Tit Phlm Hebr Jak Petr Jud Offb Mose Matthäus Markus Lukas Johannes \
        Apostelgeschichte Römer Korinther Galater Epheser Philipper Kolosser Hebräer Jakobus Petrus Offenbarung Jesaja Jeremia Genesis Exodus"),
    starters: Words("\
        Aber Alle Allerdings Alles Als Also Am An Andere Auch Auf Aus Außerdem Bei Beide Beim Bereits Bevor Bis Bisher Bitte Da Dabei Dadurch Daher \
        Damals Damit Danach Dann Daran Darauf Darum Das Dass Dazu Dein Deine Dem Den Denen Denn Dennoch Der Deren Des Deshalb Dessen Deswegen Die Dies \
        Diese Diesem Diesen Dieser Dieses Doch Dort Du Durch Ebenso Eigentlich Ein Eine Einem Einen Einer Einige Er Erst Es Etwa Euer Falls Fast Für \
        Gegen Gestern Gibt Hat Hatte Haben Heute Hier Hinter Ich Ihm Ihn Ihnen Ihr Ihre Im Immer In Ins Insgesamt Inzwischen Ist Ja Jede Jeder Jedes \
        Jedoch Jetzt Kann Kein Keine Können Laut Leider Man Manche Mehr Mein Meine Mit Nach Nachdem Natürlich Neben Nein Nicht Nichts Niemand Noch Nun \
        Nur Ob Obwohl Oder Oft Ohne Schon Sehr Sein Seine Seit Seitdem Sie Sind So Sobald Sogar Soll Solche Solange Sondern Später Statt Trotz \
        Trotzdem Um Und Unser Unsere Unter Über Viele Vielleicht Vom Von Vor Wann War Waren Warum Was Weder Wegen Weil Welche Welcher Wenn Wer Werden \
        Wie Wieder Wir Wird Wo Wurde Wurden Während Zu Zudem Zuerst Zum Zur Zwar Zwei Zwischen Dagegen Sonst Stattdessen Schließlich Zunächst \
        Gleichzeitig Morgen"),
    ..cldr::DE
};
