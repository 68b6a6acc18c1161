"""A real nginx with the configuration of deploy/nginx, as far from the system's as can be."""

import datetime
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests import servers
from tests.deploy.conftest import DEPLOY
from tests.deploy.installation import Ports
from tests.deploy.programs import succeed
from tests.patience import PATIENCE_SECONDS

NAME = "search.example.org"
MAIN = """
daemon off;
pid {home}/nginx.pid;
error_log {home}/error.log warn;
worker_processes 1;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {home}/body;
    proxy_temp_path {home}/proxy;
    fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi;
    scgi_temp_path {home}/scgi;
    include {home}/conf.d/*.conf;
}}
"""


@dataclass(frozen=True, slots=True)
class Nginx:
    """Running; `port` speaks TLS, `agents` is for the tools."""

    home: Path
    port: int
    agents: int

    @property
    def log(self) -> str:
        return (self.home / "error.log").read_text()


def configure(
    home: Path, port: int, plain: int, ports: Ports, *, tls: bool = True, further_web: int = 0
) -> Path:
    """Writes the configuration with these ports and a certificate of its own.

    `further_web` is the port of a second web process.
    """
    (home / "conf.d").mkdir()
    agents = (DEPLOY / "nginx" / "agents.conf").read_text()
    (home / "agents.conf").write_text(agents)
    for name in ("citegrid.conf", "upstreams.conf"):
        text = ports.within((DEPLOY / "nginx" / name).read_text())
        text = text.replace("listen [::]:443 ssl http2;", "").replace("listen [::]:80;", "")
        text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
        if not tls:
            text = text.replace(f"{port} ssl http2;", f"{port};")
        text = text.replace("listen 80;", f"listen 127.0.0.1:{plain};")
        if further_web:
            web = f"server 127.0.0.1:{ports.web} max_fails=0;"
            text = text.replace(web, f"{web}\n    server 127.0.0.1:{further_web} max_fails=0;")
        text = text.replace("/etc/nginx/tls", str(home))
        text = text.replace("/etc/nginx/citegrid/agents.conf", str(home / "agents.conf"))
        (home / "conf.d" / name).write_text(text)
    _certify(home)
    main = home / "nginx.conf"
    main.write_text(MAIN.format(home=home))
    return main


def _certify(home: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (home / "fullchain.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (home / "privkey.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


@contextmanager
def running(
    program: str, port: int, plain: int, ports: Ports, *, tls: bool = True, further_web: int = 0
) -> Iterator[Nginx]:
    with servers.folder() as home:
        home.chmod(0o755)  # its workers are somebody else
        main = configure(home, port, plain, ports, tls=tls, further_web=further_web)
        succeed(program, "-t", "-q", "-c", main, "-e", home / "error.log")
        process = subprocess.Popen([program, "-c", str(main), "-e", str(home / "error.log")])
        try:
            made = Nginx(home, port, ports.agents)
            servers.until(lambda: _listens(made))
            yield made
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def _listens(nginx: Nginx) -> bool:
    try:
        socket.create_connection(("127.0.0.1", nginx.port), 30).close()
    except OSError:
        return False
    return True


def connect(nginx: Nginx, host: str = "127.0.0.1") -> ssl.SSLSocket:
    """A connection as a browser has it."""
    context = ssl.create_default_context(cafile=str(nginx.home / "fullchain.pem"))
    plain = socket.create_connection((host, nginx.port), 30)
    return context.wrap_socket(plain, server_hostname=NAME)
