"""Parts of the model of a tree that exist within compiled code alone, as functions that tests can call."""

from lsmtune.lsm_model._compiled import entry
from lsmtune.lsm_model.tree import _leveldb, _merge
from lsmtune.lsm_model.tree._state import Record, Tree


@entry
def _merged(trees: Record, upper: int, lower: int, target: int, below: int, is_bottom: bool) -> int:
    return _merge.merge(trees[0], upper, lower, target, below, is_bottom)


def merged(tree: Tree, upper: int, lower: int, target: int, below: int, *, is_bottom: bool = False) -> int:
    """Merge as `_merge.merge` does."""
    return _merged(tree.rows, upper, lower, target, below, is_bottom)


@entry
def _memtable_level(trees: Record) -> int:
    return _leveldb.memtable_level(trees[0], 0.0, 1.0)


def memtable_level(tree: Tree) -> int:
    """Return where a memtable of all keys goes under LevelDB's rules."""
    return _memtable_level(tree.rows)


@entry
def _at_work(trees: Record, place: int) -> bool:
    return _leveldb.at_work(trees[0], trees[0].jobs[place])


def at_work(tree: Tree, place: int) -> bool:
    """Return whether a job goes on under LevelDB's rules."""
    return _at_work(tree.rows, place)
