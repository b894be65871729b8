"""Frames that stand in a notebook's cell, as places in the text of the notebook."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from voltfix.pipeline.loading import Project
from voltfix.repair.observed import Event, Frame, Position, Run
from voltfix.sources.notebook import NotebookDocument


def placed(run: Run, project: Project, root: str) -> Run:
    """The run, its frames in cells told as lines of the notebooks' modules."""
    notebooks = {path: d for path, d in project.documents.items() if isinstance(d, NotebookDocument)}
    if not notebooks:
        return run
    stops = tuple(_event(event, notebooks, root) for event in run.stops)
    return replace(run, stops=stops, notices=tuple(_event(event, notebooks, root) for event in run.notices))


def _event(event: Event, notebooks: Mapping[str, NotebookDocument], root: str) -> Event:
    frames = tuple(_frame(frame, notebooks, root) if frame.cell is not None else frame for frame in event.frames)
    syntax = event.syntax
    if syntax is not None and isinstance(syntax.get("cell"), str):
        found = _found(syntax["cell"], notebooks)
        if found is not None:
            syntax = {**syntax, "file": os.path.join(root, found[0]), "number": found[1]}
    return replace(event, frames=frames, syntax=syntax)


def _frame(frame: Frame, notebooks: Mapping[str, NotebookDocument], root: str) -> Frame:
    found = _found(frame.cell or "", notebooks)
    if found is None:
        return frame
    path, number = found
    first = next((o.line for m in notebooks[path].modules for o in m.origins if o.cell == number), None)
    if first is None:
        return frame

    def moved(at: Position) -> Position:
        return (at[0] + first - 1, at[1], at[2] + first - 1, at[3])

    position = moved(frame.position) if frame.position is not None else None
    values = {moved(at): value for at, value in frame.values.items()}
    return replace(frame, file=os.path.join(root, path), line=frame.line + first - 1, position=position, values=values)


def _found(text: str, notebooks: Mapping[str, NotebookDocument]) -> tuple[str, int] | None:
    """The notebook, and the number of the cell in it."""
    for path, document in notebooks.items():
        for cell in document.cells:
            if _is_same(text.rstrip().splitlines(), cell.source.rstrip().splitlines()):
                return path, cell.number
    return None


def _is_same(ran: list[str], written: list[str]) -> bool:
    """Is it the text of that cell? IPython has put its magics in other words."""
    if len(ran) != len(written):
        return False
    return all(a.rstrip() == b.rstrip() or "get_ipython()" in a for a, b in zip(ran, written, strict=True))
