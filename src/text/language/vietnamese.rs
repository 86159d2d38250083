//! Vietnamese.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static VIETNAMESE: LanguageData = LanguageData {
    conjunctions: Words("và hoặc hay nhưng vì nếu khi mà nên"),
    abbreviations: Abbreviations {
        always: Words("TS ThS PGS GS BS KS LS TP Tp vd VD"),
        before_number: Words("tr số đ"),
        doubtful: Words("v.v TCN SCN"),
        ..cldr::VI.abbreviations
    },
    starters: Words("Anh Ba Bây Bởi Các Có Cô Chị Chúng Chỉ Cho Còn Dù Đây Điều Đó Do Hai Hãy Họ Hôm Khi Không Mặc Mọi Một Nếu Ngày Người Nhiều Nhưng Những Nó Ông Rồi Sau Tại Tất Theo Tôi Trong Từ Và Vậy Vì Với"),
    ..cldr::VI
};
