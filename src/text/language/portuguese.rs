//! Portuguese.

use super::cldr;
use super::data::{Abbreviations, LanguageData, Words};

#[rustfmt::skip]
pub(super) static PORTUGUESE: LanguageData = LanguageData {
    clock_words: Words("h hora horas"),
    conjunctions: Words("e ou mas porém porque pois que quando se enquanto onde embora"),
    abbreviations: Abbreviations {
        always: Words("sr sra srs sras dr dra prof profa eng arq exmo exma cel gen sto sta av p.ex cf"),
        before_number: Words("n nº núm art arts pág págs p pp vol cap fig tel"),
        spaced: &["p. ex."],
        ..cldr::PT.abbreviations
    },
    starters: Words("\
        A À Agora Ainda Além Algo Alguns Ali Ante Antes Ao Aos Apenas Após Aquela Aquele Aqui As Assim Até Cada Com Como Contudo Da Daí De \
        Depois Desde Dessa Desse Deste Disso Dois Durante E É Ela Elas Ele Eles Em Embora Enquanto Então Entre Era Eram Essa Esse Esta Está \
        Estas Este Estes Eu Foi Foram Há Hoje Isso Isto Já Lá Logo Mais Mas Mesmo Meu Minha Muitas Muito Muitos Na Nada Não Nas Nem Nenhum \
        Ninguém No Nos Nós Nossa Nosso O Onde Ontem Os Ou Outra Outro Outros Para Pela Pelo Pois Por Porém Porque Pouco Primeiro Qual Quando \
        Quanto Quase Que Quem Se Segundo Sem Sempre Ser Seu Sim Só Sob Sobre Sua Também Tem Toda Todas Todo Todos Três Tu Tudo Um Uma Vamos \
        Vários Você Vocês"),
    ..cldr::PT
};
