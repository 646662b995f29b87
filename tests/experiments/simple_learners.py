"""Learners for tests: importable by worker processes, without scikit-learn."""

import itertools
import os
import signal
import time
import warnings

import numpy as np


class Means:
    """The class with the nearest mean; scores are softened distances."""

    def __init__(self, power=2.0, random_state=None):
        self.power, self.random_state = power, random_state

    def get_params(self, deep=True):
        return {"power": self.power, "random_state": self.random_state}

    def set_params(self, **given):
        for key, value in given.items():
            setattr(self, key, value)
        return self

    def fit(self, X, y):
        X = np.asarray(X)
        self.classes_ = np.unique(y)
        self.means = np.array([X[y == c].mean(axis=0) for c in self.classes_])
        return self

    def predict_proba(self, X):
        far = (np.abs(np.asarray(X)[:, None, :] - self.means) ** self.power).sum(axis=2)
        near = np.exp(far.min(axis=1, keepdims=True) - far)
        return near / near.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Dice(Means):
    """Guesses, from its own random state and from NumPy's global one."""

    def predict_proba(self, X):
        rng = np.random.RandomState(self.random_state)
        p = (rng.uniform(size=len(X)) + np.random.uniform(size=len(X))) / 2  # noqa: NPY002
        return np.stack([1 - p, p], axis=1)


class OddProbabilities(Means):
    """Those of one test row are what they should not be."""

    def __init__(self, odd=0.5, other=None):
        super().__init__()
        self.odd, self.other = odd, other

    def get_params(self, deep=True):
        return {"odd": self.odd, "other": self.other}

    def predict_proba(self, X):
        scores = np.full((len(X), 2), 0.5)
        scores[3] = (1 - self.odd if self.other is None else self.other, self.odd)
        return scores

    def predict(self, X):
        return self.classes_[Means.predict_proba(self, X).argmax(axis=1)]


class Broken(Means):
    def fit(self, X, y):
        raise RuntimeError(f"no luck with {len(y)} rows")


class Slow(Means):
    def fit(self, X, y):
        time.sleep(5)


class Stuck(Means):
    """Never comes back from compiled code, and keeps Python's lock: no signal and no thread can stop it."""

    def fit(self, X, y):
        sum(itertools.repeat(0))


class Busy(Means):
    def fit(self, X, y):
        end = time.monotonic() + 5
        while time.monotonic() < end:
            pass


class Loud(Means):
    def fit(self, X, y):
        for _ in range(3):
            warnings.warn("did not converge", RuntimeWarning, stacklevel=1)
        return super().fit(X, y)


class Watched(Means):
    """Writes down which rows it saw; the first feature is the row's number."""

    def __init__(self, folder="", power=2.0, random_state=None):
        super().__init__(power, random_state)
        self.folder = folder

    def get_params(self, deep=True):
        return {**super().get_params(), "folder": self.folder}

    def fit(self, X, y):
        np.savez(os.path.join(self.folder, f"{time.perf_counter_ns()}-{os.getpid()}.npz"), rows=X[:, 0], y=y)
        return super().fit(X, y)


class OneThread(Means):
    """Fails where BLAS or OpenMP would use more than one thread."""

    def fit(self, X, y):
        from threadpoolctl import threadpool_info

        assert threadpool_info()
        assert all(pool["num_threads"] == 1 for pool in threadpool_info())
        return super().fit(X, y)


class KillsItsProcess(Means):
    def fit(self, X, y):
        os._exit(9)


class KillsOnce(Means):
    """Kills its worker the first time; the folder remembers."""

    def __init__(self, folder="", power=2.0, random_state=None):
        super().__init__(power, random_state)
        self.folder = folder

    def get_params(self, deep=True):
        return {**super().get_params(), "folder": self.folder}

    def fit(self, X, y):
        try:
            os.close(os.open(os.path.join(self.folder, "killed"), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return super().fit(X, y)
        os._exit(9)


class Interrupted(Means):
    """Ctrl-C goes to every process of a terminal: here it comes to the one that fits."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        return super().fit(X, y)
