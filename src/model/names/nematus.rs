//! Nematus's names for the parameters of a recurrent model, which Marian keeps in files of `type: amun` and `type: nematus`.
//!
//! ```text
//! Wemb, Wemb_dec                                    embeddings of source and target; without the second, Wemb is that of both
//! encoder_{U,Ux,W,Wx,b,bx,gamma1,gamma2}            cell that reads forwards; encoder_r_… backwards; …_drt_{i} the cells behind it
//! decoder_{U,Ux,W,Wx,b,bx}                          the decoder's cell before attention
//! decoder_{U,Ux,b,bx}_nl, decoder_{Wc,Wcx}          the one behind it; …_nl_drt_{i} further ones
//! ff_state_{W,b,gamma}                              what the decoder starts from
//! ff_logit_{prev,lstm,ctx}_{W,b}, ff_logit_l1_gamma{i}   deep output of embedding, state and context
//! ff_logit_{W,b}                                    output layer
//! ```
//!
//! Other names are the same in both.

use super::{MULTIPLIER_SUFFIX, SOURCE_EMBEDDING, TARGET_EMBEDDING};

/// The parts of a cell.
const PARTS: [&str; 8] = ["U", "Ux", "W", "Wx", "b", "bx", "gamma1", "gamma2"];

/// Whether it is something that training left in the file rather than a parameter; its type and shape need not be those of a
/// parameter.
pub fn is_left_over(name: &str) -> bool {
    matches!(name, "decoder_c_tt" | "uidx" | "history_errs")
}

/// The names in one file that uses Nematus's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NematusNames {
    /// Source and target have separate embeddings.
    separate_embeddings: bool,
}

impl NematusNames {
    /// For a file with tensors of these names; none if they are Marian's own.
    pub fn of<'a>(names: impl Iterator<Item = &'a str>) -> Option<Self> {
        let (mut found, mut separate_embeddings) = (false, false);
        for name in names {
            found |= name == "decoder_U";
            separate_embeddings |= name == "Wemb_dec";
        }
        found.then_some(Self { separate_embeddings })
    }

    /// What `type: s2s` calls the tensor `name`.
    pub fn in_s2s(self, name: &str) -> String {
        if let Some(weights) = name.strip_suffix(MULTIPLIER_SUFFIX) {
            return self.in_s2s(weights) + MULTIPLIER_SUFFIX;
        }
        let own = match name {
            "Wemb" if self.separate_embeddings => Some(SOURCE_EMBEDDING.to_owned()),
            "Wemb_dec" => Some(TARGET_EMBEDDING.to_owned()),
            "decoder_Wc" => Some("decoder_cell2_W".to_owned()),
            "decoder_Wcx" => Some("decoder_cell2_Wx".to_owned()),
            _ => None
                .or_else(|| encoder(name))
                .or_else(|| decoder(name.strip_prefix("decoder_")?))
                .or_else(|| output(name.strip_prefix("ff_logit_")?))
                .or_else(|| Some(format!("decoder_ff_state_{}", name.strip_prefix("ff_state_")?))),
        };
        own.unwrap_or_else(|| name.to_owned())
    }
}

/// A part of a cell, and how far behind the first cell its cell comes.
fn part_and_cell(name: &str) -> Option<(&str, usize)> {
    let (part, cell) = match name.split_once("_drt_") {
        Some((part, number)) => (part, number.parse().ok()?),
        None => (name, 0),
    };
    Some((part, cell))
}

fn encoder(name: &str) -> Option<String> {
    let rest = name.strip_prefix("encoder_")?;
    let (direction, rest) = match rest.strip_prefix("r_") {
        Some(rest) => ("bi_r", rest),
        None => ("bi", rest),
    };
    match part_and_cell(rest)? {
        (part, 0) if PARTS.contains(&part) => Some(format!("encoder_{direction}_{part}")),
        (part, cell) if PARTS.contains(&part) => Some(format!("encoder_{direction}_cell{}_{part}", cell + 1)),
        _ => None,
    }
}

fn decoder(rest: &str) -> Option<String> {
    let (part, cell) = part_and_cell(rest)?;
    let (part, cell) = match part.strip_suffix("_nl") {
        Some(part) => (part, cell + 2),
        None => (part, 1),
    };
    PARTS.contains(&part).then(|| format!("decoder_cell{cell}_{part}"))
}

fn output(rest: &str) -> Option<String> {
    if let "W" | "b" = rest {
        return Some(format!("decoder_ff_logit_l2_{rest}"));
    }
    let numbered = ["prev_", "lstm_", "ctx_"].iter().enumerate();
    let dense = numbered.filter_map(|(number, of)| Some(format!("l1_{}{number}", rest.strip_prefix(of)?))).next();
    Some(format!("decoder_ff_logit_{}", dense.unwrap_or_else(|| rest.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_the_name_of_s2s() {
        let names = NematusNames::of(["Wemb", "Wemb_dec", "decoder_U"].into_iter()).unwrap();
        for (nematus, s2s) in [
            ("Wemb", "encoder_Wemb"),
            ("Wemb_dec", "decoder_Wemb"),
            ("encoder_Ux", "encoder_bi_Ux"),
            ("encoder_gamma2", "encoder_bi_gamma2"),
            ("encoder_r_bx", "encoder_bi_r_bx"),
            ("encoder_U_drt_1", "encoder_bi_cell2_U"),
            ("encoder_r_bx_drt_3", "encoder_bi_r_cell4_bx"),
            ("decoder_W", "decoder_cell1_W"),
            ("decoder_bx_nl", "decoder_cell2_bx"),
            ("decoder_Wc", "decoder_cell2_W"),
            ("decoder_Wcx", "decoder_cell2_Wx"),
            ("decoder_Ux_nl_drt_2", "decoder_cell4_Ux"),
            ("ff_state_W", "decoder_ff_state_W"),
            ("ff_state_gamma", "decoder_ff_state_gamma"),
            ("ff_logit_prev_W", "decoder_ff_logit_l1_W0"),
            ("ff_logit_lstm_b", "decoder_ff_logit_l1_b1"),
            ("ff_logit_ctx_W", "decoder_ff_logit_l1_W2"),
            ("ff_logit_l1_gamma1", "decoder_ff_logit_l1_gamma1"),
            ("ff_logit_W", "decoder_ff_logit_l2_W"),
            ("ff_logit_b", "decoder_ff_logit_l2_b"),
            ("Wemb_dec_QuantMultA", "decoder_Wemb_QuantMultA"),
            ("encoder_r_U_QuantMultA", "encoder_bi_r_U_QuantMultA"),
        ] {
            assert_eq!(names.in_s2s(nematus), s2s);
            // A file that was written again with these names keeps them.
            assert_eq!(names.in_s2s(s2s), s2s);
        }
        for same in ["decoder_Wc_att", "decoder_U_att", "decoder_att_gamma1", "decoder_cell2_gamma1", "none_QuantMultA"]
        {
            assert_eq!(names.in_s2s(same), same);
        }
    }

    #[test]
    fn files_are_told_apart() {
        assert_eq!(NematusNames::of(["Wemb", "decoder_cell1_U", "decoder_U_att"].into_iter()), None);
        let tied = NematusNames::of(["Wemb", "decoder_U"].into_iter()).unwrap();
        assert_eq!(tied.in_s2s("Wemb"), "Wemb");
    }
}
