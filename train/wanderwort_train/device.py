"""Which processor trains, and how."""

import os

import torch

from .config import Config
from .errors import TrainingError


def choose(config: Config) -> torch.device:
    """The device that the configuration asks for, set up: threads, determinism, the precision of products."""
    if config.device == "cuda" and not torch.cuda.is_available():
        raise TrainingError('device = "cuda", but PyTorch finds no GPU; use "auto" or "cpu"')
    use_gpu = config.device == "cuda" or (config.device == "auto" and torch.cuda.is_available())
    if config.threads:
        torch.set_num_threads(config.threads)
    elif os.cpu_count():
        torch.set_num_threads(os.cpu_count())
    torch.manual_seed(config.seed)
    if use_gpu:
        torch.set_float32_matmul_precision("high")
    return torch.device("cuda" if use_gpu else "cpu")
