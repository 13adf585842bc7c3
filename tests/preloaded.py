"""What the processes that workers are forked from have imported: seconds that each would wait."""

import celery.bin.worker
import sklearn.linear_model
import torch._dynamo

import models.embed
import models.query
import models.target

__all__ = ["celery", "models", "sklearn", "torch"]
