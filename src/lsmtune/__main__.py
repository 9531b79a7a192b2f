"""``python -m lsmtune`` is ``lsmtune``."""

from lsmtune.cli import main

if __name__ == "__main__":
    main()
