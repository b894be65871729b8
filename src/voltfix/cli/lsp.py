"""``voltfix lsp``: serve an editor over stdio."""

from __future__ import annotations

import click

from voltfix.lsp.server import server


@click.command()
def command() -> None:
    """Serve an editor over stdin and stdout (the Language Server Protocol)."""
    server.start_io()
