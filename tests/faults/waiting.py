"""A learner that leaves a file for every fit that it begins, and waits in the way that the environment says."""

import ctypes
import os
import time


class Waiting:
    def __init__(self, folder=""):
        self.folder = folder

    def get_params(self, deep=True):
        return {"folder": self.folder}

    def set_params(self, **given):
        self.__dict__.update(given)
        return self

    def fit(self, X, y):
        os.close(os.open(os.path.join(self.folder, f"{os.getpid()}-{time.time_ns()}"), os.O_CREAT))
        how = os.environ.get("WAITING")
        if how == "holds the lock":
            ctypes.PyDLL(None).sleep(50)  # compiled code that keeps Python's lock
        elif how == "sleeps":
            time.sleep(50)
        self.classes_ = sorted(set(y))
        return self

    def predict(self, X):
        return [self.classes_[int(x[0]) % len(self.classes_)] for x in X]
