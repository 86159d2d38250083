"""From parallel text to a packaged student: the training pipeline of Wanderwort."""
