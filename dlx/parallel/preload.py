"""Imports what workers need; the process from which workers are forked imports this module."""

from __future__ import annotations

from dlx.parallel import remote
from dlx.parallel.task import Question, Worker
from dlx.problem import Problem
from dlx.search.branch import Branch

__all__ = ["remote"]

# the first kernel also loads most of numba
Worker(Problem([[0]]), Question((), "bits", listing=False)).compile(Branch((), (), 1.0))
