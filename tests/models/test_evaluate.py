import numpy as np
from numpy.testing import assert_array_equal

from models.evaluation.evaluate import accuracy, confusion_matrix, per_class_accuracy
from models.protocols import Outputs


def _outputs(predicted: list[int]) -> Outputs:
    logits = np.eye(3, dtype=np.float32)[predicted]
    return Outputs(logits, np.zeros((len(predicted), 1), dtype=np.float32))


def test_accuracy_is_the_share_that_is_right() -> None:
    assert accuracy(_outputs([0, 1, 1]), np.array([0, 1, 0])) == 2 / 3
    assert np.isnan(accuracy(_outputs([]), np.empty(0, dtype=np.int64)))


def test_confusion_matrix_has_true_classes_in_rows() -> None:
    matrix = confusion_matrix(_outputs([0, 1, 1]), np.array([0, 0, 1]))
    assert_array_equal(matrix, [[1, 1, 0], [0, 1, 0], [0, 0, 0]])


def test_a_class_without_examples_has_no_accuracy() -> None:
    recall = per_class_accuracy(_outputs([0, 1, 1]), np.array([0, 0, 1]))
    assert_array_equal(recall, [0.5, 1.0, np.nan])
