//! Leaves out the parameters of sampling that a model refuses: its provider would answer the whole call with an error.

use plait_llm::models::{sampling_parameters, takes_sampling};
use plait_llm::provider::ModelRequest;

/// Removes what the model refuses. Returns the names of what was set.
pub(super) fn remove_refused(provider: &str, request: &mut ModelRequest) -> Vec<String> {
    if takes_sampling(provider, &request.model, &request.options) {
        return Vec::new();
    }
    let has_temperature = request.temperature.take().is_some();
    let mut options = request.options.as_object_mut();
    let mut is_set = |name: &str| {
        let in_options = options.as_mut().is_some_and(|options| options.remove(name).is_some());
        in_options || (has_temperature && name == "temperature")
    };
    sampling_parameters().iter().filter(|name| is_set(name)).cloned().collect()
}
