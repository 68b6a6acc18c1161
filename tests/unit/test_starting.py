"""What `citegrid-server` loads before it knows what it is asked for."""

import subprocess
import sys

HEAVY = {"click", "email", "flask", "importlib.metadata", "numpy", "psycopg", "redis", "workers"}


def loaded_by(code: str) -> set[str]:
    """The modules that a new interpreter has after this code."""
    program = f"import sys\n{code}\nsys.stderr.write(chr(10).join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split("\n"))


def test_the_version_is_told_without_loading_anything_of_weight() -> None:
    start = "sys.argv = ['', '--version']\nimport app.__main__\napp.__main__.main()"
    loaded = loaded_by(start)
    assert loaded & HEAVY == set()
    assert {name for name in loaded if name.startswith("app.")} == {"app.__main__"}


def test_a_command_does_not_load_the_others() -> None:
    start = "import app.cli\napp.cli.main(['sources', '-h'], standalone_mode=False)"
    loaded = loaded_by(start)
    assert "app.local.commands.sources" in loaded
    assert {"app.local.commands.reference", "app.wsgi"} & loaded == set()
