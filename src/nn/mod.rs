//! Layers of the network over the kernels.
