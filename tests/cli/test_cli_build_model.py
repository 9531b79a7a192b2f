"""lsmtune build model: compiling ahead of the first use."""

from cli_fixtures import Lsmtune


def test_the_model_is_compiled_once(lsmtune: Lsmtune) -> None:
    assert lsmtune("build", "model")[0] == 0
    code, out, err = lsmtune("build", "model")
    assert (code, out, err) == (0, "the model of the engine is compiled already\n", "")
