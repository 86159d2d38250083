//! A complete set of tensors, taken out layer by layer: by their names, with checks of their shapes.

use super::builder::{NetworkError, StoredScales};
use super::linear::{Linear, Weights};
use super::statistics::Observer;
use super::{Observe, Precision};
use crate::kernels::Backend;
use crate::kernels::gemm::ActivationScale;
use crate::model::names;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The packed tensors of a model that no layer has taken yet.
#[derive(Debug)]
pub(crate) struct Tensors {
    pub(super) backend: Backend,
    pub(super) precision: Precision,
    pub(super) scales: StoredScales,
    pub(super) observe: Observe,
    /// Of the products so far, if they are to be observed.
    pub(super) observers: Vec<Arc<Observer>>,
    pub(super) matrices: BTreeMap<String, Weights>,
    pub(super) vectors: BTreeMap<String, Vec<f32>>,
}

impl Tensors {
    /// The scale of the input of the product with `weights`; `hidden` tells whether that comes out of a hidden layer.
    pub(super) fn activation(&mut self, weights: &str, hidden: bool) -> Result<ActivationScale, NetworkError> {
        let name = names::multiplier(weights);
        let used = match self.scales {
            StoredScales::Hidden => hidden,
            StoredScales::All => true,
            StoredScales::Ignored => false,
        };
        match self.optional_vector(&name, 1)? {
            Some(multiplier) if !used && multiplier[0] > 0.0 => Ok(ActivationScale::Dynamic),
            None => Ok(ActivationScale::Dynamic),
            Some(multiplier) if multiplier[0] > 0.0 && (1.0 / multiplier[0]).is_finite() => {
                Ok(ActivationScale::Static(multiplier[0]))
            }
            Some(multiplier) => Err(NetworkError::Shape {
                name,
                expected: "a positive multiplier".to_owned(),
                found: multiplier[0].to_string(),
            }),
        }
    }

    /// The observer of a product of rows of `width` with `weights`, if there is to be one.
    pub(super) fn observer(&mut self, product: &str, weights: &str, width: usize) -> Option<Arc<Observer>> {
        if self.observe == Observe::Nothing {
            return None;
        }
        let multiplier = names::multiplier(product);
        let observer = Arc::new(Observer::new(&multiplier, weights, width, self.observe));
        self.observers.push(Arc::clone(&observer));
        Some(observer)
    }

    /// Takes `W` and its bias; an empty bias name means that there is none.
    pub(super) fn linear(
        &mut self,
        name: &str,
        bias: &str,
        inner: usize,
        columns: Option<usize>,
    ) -> Result<Linear, NetworkError> {
        self.dense(name, bias, inner, columns, false)
    }

    /// Like [`Self::linear`]; `hidden` tells whether the input comes out of a hidden layer.
    pub(super) fn dense(
        &mut self,
        name: &str,
        bias: &str,
        inner: usize,
        columns: Option<usize>,
        hidden: bool,
    ) -> Result<Linear, NetworkError> {
        let activation = self.activation(name, hidden)?;
        let mut weights = self.matrix(name)?;
        check_shape(name, &weights, inner, columns)?;
        if let Weights::Int8(weights) = &mut weights {
            weights.activation = activation;
            weights.observer = self.observer(name, name, inner);
        }
        let columns = weights.columns();
        let bias = if bias.is_empty() { vec![0.0; columns] } else { self.vector(bias, columns)? };
        Ok(Linear { weights, bias })
    }

    pub(super) fn matrix(&mut self, name: &str) -> Result<Weights, NetworkError> {
        self.matrices.remove(name).ok_or_else(|| NetworkError::Missing { name: name.to_owned() })
    }

    pub(super) fn vector(&mut self, name: &str, length: usize) -> Result<Vec<f32>, NetworkError> {
        self.optional_vector(name, length)?.ok_or_else(|| NetworkError::Missing { name: name.to_owned() })
    }

    pub(super) fn optional_vector(&mut self, name: &str, length: usize) -> Result<Option<Vec<f32>>, NetworkError> {
        match self.vectors.remove(name) {
            Some(values) if values.len() != length => Err(NetworkError::Shape {
                name: name.to_owned(),
                expected: format!("{length} values"),
                found: format!("{} values", values.len()),
            }),
            values => Ok(values),
        }
    }
}

/// Checks the dimensions of the matrix `name`; any number of columns will do if none is given.
pub(super) fn check_shape(
    name: &str,
    weights: &Weights,
    inner: usize,
    columns: Option<usize>,
) -> Result<(), NetworkError> {
    if weights.inner() == inner && columns.is_none_or(|columns| weights.columns() == columns) {
        return Ok(());
    }
    let columns = columns.map_or("any".to_owned(), |columns| columns.to_string());
    Err(NetworkError::Shape {
        name: name.to_owned(),
        expected: format!("{inner} × {columns}"),
        found: format!("{} × {}", weights.inner(), weights.columns()),
    })
}
