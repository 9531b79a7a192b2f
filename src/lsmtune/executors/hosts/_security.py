"""Who may reach hosts: the folder of certificates, and how they are made.

A certificate of the folder's authority lets its bearer run any code on every host of the cluster: that is what
carrying runs to hosts is. So each side shows one (mutual TLS); `lsmtune.model.SchedulerAddress` says what goes without.
"""

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from lsmtune.errors import UsageError
from lsmtune.extras import need

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

KEYS = "LSMTUNE_HOSTS_KEYS"
"""Names the folder of certificates where nothing else does."""

_ROLES = ("scheduler", "worker", "client")
_VALID = timedelta(days=730)
_PRIVATE, _PUBLIC = 0o600, 0o644


@dataclass(frozen=True)
class Keys:
    """A folder of certificates: ``ca.pem``, and for each role ``ROLE.pem`` and ``ROLE-key.pem``."""

    folder: Path

    @property
    def authority(self) -> Path:
        """The certificate of the authority."""
        return self.folder / "ca.pem"

    def certificate(self, role: str) -> Path:
        """Return the certificate of a role."""
        return self.folder / f"{role}.pem"

    def key(self, role: str) -> Path:
        """Return the private key of a role."""
        return self.folder / f"{role}-key.pem"

    def check(self, role: str) -> None:
        """Check that what a role shows is there, and that nobody else can read its key.

        Raises:
            UsageError: a file is missing, or others can read the key.
        """
        for path in (self.authority, self.certificate(role), self.key(role)):
            if not path.is_file():
                raise UsageError(
                    f"{path} is missing; make the certificates with lsmtune hosts keys {self.folder} on one machine "
                    "and copy what this one needs, or name their folder"
                )
        mode = self.key(role).stat().st_mode
        if mode & 0o077:
            raise UsageError(
                f"{self.key(role)} can be read by others (mode {mode & 0o777:o}); chmod 600 {self.key(role)}"
            )

    def make(self) -> tuple[Path, ...]:
        """Make an authority and a certificate for each role; return the files.

        Raises:
            UsageError: the folder holds certificates already, or cannot be written.
            MissingLibraryError: cryptography is not installed.
        """
        need("lsmtune hosts keys", "cryptography")
        there = [path for path in (self.authority, *map(self.certificate, _ROLES)) if path.exists()]
        if there:
            raise UsageError(f"{there[0]} exists already, and hosts may use it; name an empty folder")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return self._made()
        except OSError as error:
            raise UsageError(f"{self.folder} cannot be written: {error.strerror}; name another folder") from None

    def _made(self) -> tuple[Path, ...]:
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        def private(key: ec.EllipticCurvePrivateKey) -> bytes:
            return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

        authority_key = ec.generate_private_key(ec.SECP256R1())
        authority = _certificate("lsmtune authority", authority_key, None)
        written = [
            _write(self.authority, authority.public_bytes(Encoding.PEM), _PUBLIC),
            _write(self.key("ca"), private(authority_key), _PRIVATE),
        ]
        for role in _ROLES:
            key = ec.generate_private_key(ec.SECP256R1())
            signed = _certificate(f"lsmtune {role}", key, (authority, authority_key))
            written += [
                _write(self.certificate(role), signed.public_bytes(Encoding.PEM), _PUBLIC),
                _write(self.key(role), private(key), _PRIVATE),
            ]
        return tuple(written)


def default_keys() -> Path:
    """Return the folder of certificates where nobody names one."""
    named = os.environ.get(KEYS)
    if named:
        return Path(named)
    config = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(config) / "lsmtune" / "keys"


def _certificate(
    name: str,
    key: "ec.EllipticCurvePrivateKey",
    issuer: "tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None",
) -> "x509.Certificate":
    """Return a certificate; of an authority where there is no issuer."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.x509.oid import NameOID

    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    by, signing = (subject, key) if issuer is None else (issuer[0].subject, issuer[1])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # clocks of hosts differ
        .not_valid_after(now + _VALID)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), critical=False)
    )
    return builder.sign(signing, hashes.SHA256())


def _write(path: Path, content: bytes, mode: int) -> Path:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return path
