"""The table of an experiment file that says on which hosts its runs are made."""

from pydantic import Field

from lsmtune.experiment._fields import FilePath, SchedulerText, Texts
from lsmtune.experiment._tables import Table
from lsmtune.model import SchedulerAddress


class HostsTable(Table):
    """Hosts that make the runs together; left out, this machine makes them alone."""

    scheduler: SchedulerText = Field(
        description='Address of what lsmtune hosts scheduler runs, like "tls://lab-0:8786"; tcp:// on this machine '
        "only."
    )
    require: Texts = Field(default=(), description="Labels that a worker needs to take part.")
    leave_out: Texts = Field(default=(), description="Names of workers that do not take part.")
    same_build: bool = Field(
        default=True,
        description="Every host has the same build of the engine as this machine, by its fingerprint, or the study is "
        "refused; false: the same version is enough.",
    )
    keys: FilePath | None = Field(
        default=None,
        description="Folder of certificates, as lsmtune hosts keys makes it; left out, $LSMTUNE_HOSTS_KEYS, else "
        "~/.config/lsmtune/keys.",
    )

    @property
    def address(self) -> SchedulerAddress:
        """The address of the scheduler."""
        return SchedulerAddress.parse(self.scheduler)
