//! French.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Quotes, Words};

#[rustfmt::skip]
pub(super) static FRENCH: LanguageData = LanguageData {
    quotes: Quotes { gap: "\u{a0}", ..cldr::FR.quotes },
    clock_words: Words("h heure heures"),
    conjunctions: Words("et ou mais donc car ni parce puisque que qui lorsque quand si tandis alors"),
    abbreviations: Abbreviations {
        always: Words("M MM Mme Mmes Mlle Dr Pr Me Mgr St Ste cf p.ex c.-à-d env av apr ex Cie"),
        before_number: Words("n no nos art p pp vol t chap fig éd al par § tél"),
        spaced: &["p. ex."],
        ..cldr::FR.abbreviations
    },
    starters: Words("\
        À Ainsi Alors Après Au Aucun Aujourd Aussi Autre Aux Avant Avec Beaucoup Bien C Ce Cela Celle Celui Certains Ces Cet Cette Chaque \
        Comme Comment D Dans De Depuis Dès Des Donc Du Elle Elles En Encore Enfin Ensuite Entre Et Il Ils J Je Jusqu L La Là Le Les Leur \
        Leurs Lors Lorsque Mais Malgré Même Mon N Ne Ni Nos Notre Nous On Or Où Ou Par Parce Pendant Personne Peu Plus Plusieurs Pour \
        Pourquoi Pourtant Puis Quand Que Quel Quelle Qui S Sa Sans Se Selon Ses Seul Si Son Sous Sur Tous Tout Toute Toutefois Trois Tu Un \
        Une Vers Voici Voilà Votre Vous"),
    ..cldr::FR
};
