//! Spanish.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static SPANISH: LanguageData = LanguageData {
    clock_words: Words("h hora horas a.m p.m"),
    conjunctions: Words("y e o u pero sino porque aunque que cuando si mientras donde como pues"),
    abbreviations: Abbreviations {
        always: Words("sr sra sres srta dr dra dña prof profa lic ing gral cnel mons sto sta p.ej ud uds vd vds cf av avda EE"),
        before_number: Words("n núm núms nº art arts pág págs p pp vol cap fig tel tfno"),
        doubtful: Words("etc S.A S.L EE.UU UU a.C d.C Cía Ltda Jr Admón dpto izq dcha aprox máx mín"),
        spaced: &["p. ej."],
        ..cldr::ES.abbreviations
    },
    starters: Words("\
        A Además Ahora Al Algunos Allí Ante Antes Aquel Aquí Así Aún Aunque Bajo Cada Casi Como Cómo Con Cuál Cuando Cuándo Cuanto De Dentro \
        Desde Después Donde Dónde Durante El Él Ella Ellas Ellos En Entonces Entre Era Es Esa Ese Eso Esta Está Estas Este Esto Estos Fue Ha \
        Hace Hacia Hasta Hay Hoy Incluso La Las Le Les Lo Los Luego Mañana Mas Más Mi Mientras Muchos Muy Nada Nadie Ni Ningún No Nos \
        Nosotros Nuestro O Otra Otro Otros Para Pero Poco Por Porque Primero Pues Qué Que Quien Quién Se Según Ser Si Sí Sin Sino Sobre Solo \
        Son Su Sus También Tampoco Tan Te Tiene Todo Todos Tras Tres Tu Tú Un Una Unos Usted Va Vamos Varios Y Ya Yo"),
    ..cldr::ES
};
