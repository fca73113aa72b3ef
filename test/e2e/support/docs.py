"""What docs/ tells people to copy, as the tests use it."""

import pathlib
import textwrap

DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"


def indented_block(text, first_line):
    """The indented block of `text` that starts with `first_line`, without its indentation."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip() == first_line)
    end = next(i for i in range(start, len(lines)) if not lines[i].strip())
    return textwrap.dedent("\n".join(lines[start:end])) + "\n"


def closed_mapper():
    """The local reply configuration that turns what `closed` refuses into 503."""
    return indented_block((DOCS / "envoy.md").read_text(), "local_reply_config:")
