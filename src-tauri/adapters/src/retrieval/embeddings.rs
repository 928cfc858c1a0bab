//! Computing embeddings: batches of texts, and the errors in responses.

use async_trait::async_trait;
use plait_core::error::Fault;

use super::definition::EmbeddingModel;
use crate::codes;

/// The most texts of one request.
pub(super) const BATCH_TEXTS: usize = 64;
/// More numbers than any model has.
const MAX_DIMENSIONS: usize = 16_384;

/// Computes embeddings.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The embedding of each text, in order. Dropping the future closes the connection.
    async fn embed(&self, model: &EmbeddingModel, texts: &[String]) -> Result<Vec<Vec<f32>>, Fault>;
}

/// The embeddings of `texts`, each of length one. Fault `knowledge.embeddings`, with the provider's fault as its cause.
pub(super) async fn embed(
    embedder: &dyn Embedder,
    model: &EmbeddingModel,
    texts: &[String],
) -> Result<Vec<Vec<f32>>, Fault> {
    let mut vectors = embedder.embed(model, texts).await.map_err(|fault| {
        let message =
            format!("`{}` of `{}` computed no embeddings: {}", model.model, model.provider, fault.message);
        let (hint, details) = (fault.hint.clone(), fault.details.clone());
        Fault { hint, details, ..Fault::new(codes::KNOWLEDGE_EMBEDDINGS, message).caused_by(fault.into()) }
    })?;
    let dimensions = vectors.first().map_or(0, Vec::len);
    let is_valid = vectors.len() == texts.len()
        && (1..=MAX_DIMENSIONS).contains(&dimensions)
        && vectors
            .iter()
            .all(|vector| vector.len() == dimensions && vector.iter().all(|number| number.is_finite()));
    if !is_valid {
        let message =
            format!("`{}` of `{}` sent embeddings that do not fit the texts.", model.model, model.provider);
        return Err(Fault::new(codes::KNOWLEDGE_EMBEDDINGS, message)
            .hint("Check that the model is one for embeddings."));
    }
    for vector in &mut vectors {
        normalize(vector);
    }
    Ok(vectors)
}

fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}
