"""Who may reach hosts: certificates, addresses, the table of an experiment file."""

import socket
import ssl
import stat
import struct
import threading
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

from lsmtune.errors import ExperimentError, RunError, UsageError
from lsmtune.executors.hosts import Keys, default_keys
from lsmtune.executors.hosts._dask import greet
from lsmtune.experiment import parse_experiment
from lsmtune.model import SchedulerAddress

FILL = '[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n[space]\noptions = ["write_buffer_size"]\n'


def test_private_keys_are_the_users_alone_and_certificates_are_of_one_authority(lsmtune: Lsmtune) -> None:
    code, out, err = lsmtune("hosts", "keys", "k")
    assert code == 0
    names = {"ca", "scheduler", "worker", "client"}
    assert out.split() == [str(path) for path in map(Path, out.split())]
    assert {path.name for path in Path("k").iterdir()} == {
        f"{name}{end}" for name in names for end in (".pem", "-key.pem")
    }
    assert {path.name for path in Path("k").iterdir() if stat.S_IMODE(path.stat().st_mode) == 0o600} == {
        f"{name}-key.pem" for name in names
    }
    assert "k/ca-key.pem stays here" in err
    context = ssl.create_default_context(cafile="k/ca.pem")
    for role in ("scheduler", "worker", "client"):
        context.load_cert_chain(f"k/{role}.pem", f"k/{role}-key.pem")
        Keys(Path("k")).check(role)


def test_certificates_that_are_there_are_not_overwritten(lsmtune: Lsmtune) -> None:
    lsmtune("hosts", "keys", "k")
    before = Path("k/ca.pem").read_bytes()
    code, _, err = lsmtune("hosts", "keys", "k")
    assert (code, Path("k/ca.pem").read_bytes()) == (2, before)
    assert err == "lsmtune: k/ca.pem exists already, and hosts may use it; name an empty folder\n"


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    keys = Keys(tmp_path / "k")
    keys.make()
    keys.key("worker").chmod(0o640)
    with pytest.raises(UsageError, match=r"worker-key\.pem can be read by others \(mode 640\); chmod 600 "):
        keys.check("worker")


def test_what_is_missing_is_named(lsmtune: Lsmtune, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LSMTUNE_HOSTS_KEYS", "nowhere")
    assert default_keys() == Path("nowhere")
    code, _, err = lsmtune("hosts", "status", "tls://127.0.0.1:1")
    assert code == 2
    assert err.startswith("lsmtune: nowhere/ca.pem is missing; make the certificates with lsmtune hosts keys nowhere")


@pytest.mark.parametrize("text", ["tls://lab-0:8786", "tcp://127.0.0.1:1", "tcp://localhost:1", "tcp://[::1]:1"])
def test_tls_goes_anywhere_and_tcp_to_this_machine(text: str) -> None:
    assert SchedulerAddress.parse(text).secure is text.startswith("tls")


@pytest.mark.parametrize(
    "text", ["tcp://lab-0:8786", "tcp://10.0.0.1:8786", "tcp://0.0.0.0:8786", "tcp://127.0.0.1.a.b:1"]
)
def test_an_address_without_tls_that_leaves_this_machine_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"leaves this machine without TLS, .*write \"tls://"):
        SchedulerAddress.parse(text)


@pytest.mark.parametrize(
    "text", ["", "lab-0", "lab-0:8786", "tls://lab-0", "http://lab-0:1", "tls://lab-0:x", "tls://a:1/b"]
)
def test_what_is_no_address_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="is no address of a scheduler; write it like"):
        SchedulerAddress.parse(text)


def test_a_scheduler_and_a_worker_refuse_it_too(lsmtune: Lsmtune) -> None:
    for words in (
        ("hosts", "scheduler", "--listen", "tcp://0.0.0.0:8786"),
        ("hosts", "worker", "tcp://lab-0:8786", "--scratch", "s"),
        ("hosts", "status", "tcp://lab-0:8786"),
    ):
        code, _, err = lsmtune(*words)
        assert code == 2
        assert "leaves this machine without TLS" in err


def test_the_table_of_hosts_is_read() -> None:
    hosts = parse_experiment(
        f'{FILL}[hosts]\nscheduler = "tls://lab-0:8786"\nrequire = ["nvme"]\nsame_build = false\nkeys = "k"\n',
        Path("e/x.toml"),
    ).hosts
    assert hosts is not None
    assert (hosts.address.host, hosts.require, hosts.same_build, hosts.keys) == ("lab-0", ("nvme",), False, Path("e/k"))
    assert parse_experiment(FILL, Path("x.toml")).hosts is None


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ('require = ["nvme"]', '6: hosts.scheduler is missing; write scheduler = "tls://lab-0:8786"'),
        ('scheduler = "tcp://lab-0:1"', '7: hosts.scheduler: "tcp://lab-0:1" leaves this machine without TLS'),
        ("scheduler = 7", '7: hosts.scheduler: 7 is no address; write it like "tls://lab-0:8786"'),
        ('scheduler = "tls://a:1"\nrequire = "nvme"', '8: hosts.require: "nvme" is not a list of texts'),
        ('scheduler = "tls://a:1"\nsame_build = "yes"', '8: hosts.same_build: "yes" is not true or false'),
        ('scheduler = "tls://a:1"\nlabels = []', "8: hosts.labels is not a key of [hosts]; its keys are "),
    ],
)
def test_what_is_wrong_in_it_is_told_with_its_line(table: str, sentence: str) -> None:
    with pytest.raises(ExperimentError) as raised:
        parse_experiment(f"{FILL}[hosts]\n{table}\n", Path("x.toml"))
    assert str(raised.value).startswith(f"x.toml:{sentence}")


# Python 3.11 forgets to close its socket where the other side resets before the handshake (ssl.SSLSocket._create).
@pytest.mark.filterwarnings("ignore:Exception ignored in. <ssl.SSLSocket")
@pytest.mark.parametrize("resets", [False, True])
def test_a_way_that_leads_nowhere_is_no_refused_certificate(resets: bool, tmp_path: Path) -> None:
    """What stands between takes the connection, and ends it as there is nobody behind it."""
    keys = Keys(tmp_path)
    keys.make()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def end() -> None:
            for _ in range(20):
                taken, _ = listening.accept()
                if resets:
                    taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                else:
                    taken.recv(1 << 16)
                taken.close()

        thread = threading.Thread(target=end, daemon=True)  # a failed assertion leaves it waiting
        thread.start()
        address = SchedulerAddress.parse(f"tls://127.0.0.1:{listening.getsockname()[1]}")
        for _ in range(20):  # a reset comes before the connection, the handshake or its end
            with pytest.raises(RunError, match="ends at once; start a scheduler there"):
                greet(address, keys, "worker")
        thread.join()
