//! Turkish.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static TURKISH: LanguageData = LanguageData {
    // "3. gün", though dates have none: "3 Mayıs".
    ordinal_stop: true,
    clock_words: Words("saat"),
    conjunctions: Words("ve veya ya ama fakat çünkü ki eğer ancak ise"),
    abbreviations: Abbreviations {
        always: Words("dr doç prof av sn hz alb yrd müh org gen bkz mah cad sok apt örn"),
        before_number: Words("no s sf tel md şek"),
        doubtful: Words("vb vs Şti Ltd A.Ş M.Ö M.S yy"),
        ..cldr::TR.abbreviations
    },
    starters: Words("\
        Acaba Ama Ancak Ayrıca Artık Aynı Bazı Belki Ben Beni Bir Birçok Biz Bize Böyle Böylece Bu Buna Bundan Bunlar Bunu Bunun Burada \
        Bütün Çok Çünkü Daha Dün En Eğer Evet Fakat Gerçekten Hayır Hem Hemen Henüz Her Herkes Hiç Hiçbir Iki İki İlk İşte Kim Kimse Nasıl \
        Ne Neden Nerede O Olan Ona Onlar Onu Onun Orada Önce Pek Sadece Sen Siz Son Sonra Sonunda Şimdi Şu Tabii Tüm Ve Veya Var Yani Yine \
        Yok"),
    ..cldr::TR
};
