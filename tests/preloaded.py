"""What the processes that workers are forked from have imported: seconds that each would wait."""

import celery.bin.worker
import sklearn.linear_model
import torch._dynamo

import models.features.embed
import models.rounds.query
import models.target

__all__ = ["celery", "models", "sklearn", "torch"]
