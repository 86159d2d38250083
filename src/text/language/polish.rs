//! Polish.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static POLISH: LanguageData = LanguageData {
    // "3. miejsce", though dates have none: "3 maja".
    ordinal_stop: true,
    clock_words: Words("godz godzina godziny godzin"),
    conjunctions: Words("i oraz lub albo ale lecz ponieważ bo że który która które gdy kiedy jeśli choć więc a"),
    abbreviations: Abbreviations {
        always: Words("\
            np m.in tzn tzw prof dr hab mgr inż ks św płk gen kpt por ppłk mjr ob red doc lek im ul al pl os woj ok tj pt zob por wg śp ww \
            bł"),
        before_number: Words("nr art ust pkt str s t rozdz rys tab poz tel par godz zł"),
        doubtful: Words("itd itp in r w wiek w.n.e n.e p.n.e tys mln mld szt proc pow gm m.st"),
        spaced: &["m. in."],
        ..cldr::PL.abbreviations
    },
    starters: Words("\
        A Ale Bo Być Był Była Było Był By Choć Co Czasem Czy Dla Dlaczego Dlatego Do Dopiero Dwa Dziś Dzisiaj Gdy Gdyby Gdzie Go I Ich Inne \
        Inni Ja Jak Jaki Jako Jednak Jego Jej Jest Jeśli Jeszcze Jeżeli Już Każdy Kiedy Kolejny Kto Która Które Który Lecz Mają Ma Mimo Może \
        Można Musi My Na Nad Najpierw Natomiast Nawet Nie Nic Nikt O Obecnie Od Ona One Oni Ono On Oraz Pan Po Pod Podczas Ponadto Poza \
        Potem Później Ponieważ Przed Przez Przy Razem Są Się Skąd Sam Tak Także Tam Ta Te Tego Ten Teraz Też To Tu Tutaj Ty Tylko Tym U W \
        Więc Według Wiele Wszystkie Wszystko Wszyscy Wtedy Z Za Zaś Zatem Zawsze Ze Że Żeby"),
    ..cldr::PL
};
