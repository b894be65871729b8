"""What is known of a project while it is decided: its sites, what was found, and what was settled so far."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from voltfix.flags import options as mappings
from voltfix.flags.propagation import Passing
from voltfix.flags.signatures import Carrier, Signatures
from voltfix.machine import express
from voltfix.machine.facts import CallKey, VolatileWrite
from voltfix.machine.values import SiteKey
from voltfix.model import (
    Edit,
    EnsureImport,
    InsertStatement,
    Look,
    Options,
    Refusal,
    Site,
    SiteKind,
    Span,
    Strategy,
)
from voltfix.program.bindings import ProjectFunction
from voltfix.program.imports import used_as_torch
from voltfix.program.inuse import torch_in_use
from voltfix.program.resolve import Project
from voltfix.program.scopes import FUNCTIONS, Function
from voltfix.program.telling import place
from voltfix.program.walking import walk
from voltfix.records import dataclass
from voltfix.rules.messages import Done
from voltfix.solver.claims import Callers
from voltfix.solver.fixpoint import Fixpoint, Outcome
from voltfix.solver.places import Groups, Places
from voltfix.solver.reads import Reads
from voltfix.solver.roots import Body

Place = tuple[str, int]  # path and character offset
CARRYING = frozenset(SiteKind) - {SiteKind.READ}  # whose arguments or statements go


@dataclass(frozen=True)
class Parted:
    """Helpers that stay, and the calls that stand for themselves.

    ``flags``: by node ids of a call and of the function that it enters, the parameter that takes the flag, and the
    parameter of the function around the call that is handed on, "" where the flag is decided at the call. What is a
    catch-all has its two stars.
    """

    flags: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    calls: dict[Site, Function] = field(default_factory=dict)  # and the helper that each calls
    inside: dict[Site, tuple[Function, Refusal]] = field(default_factory=dict)  # what stands in the helpers
    handing: dict[int, Function] = field(default_factory=dict)  # calls of one helper in another, by node id: in which


NOTHING = Parted()


class Case:
    """One project, and one pass over its sites; the phases of ``plan`` read it and add to it."""

    def __init__(self, project: Project, sites: Sequence[Site], options: Options,
                 switches: frozenset[ast.AST] = frozenset(), parted: Parted = NOTHING) -> None:
        self.project = project
        self.switches = switches  # statements of whose constant nothing is taken to be known
        self.parted = parted  # calls that stand for themselves
        self.passing = project.computed(Passing)
        self.options = options
        self.sites = list(sites)
        self.nodes: dict[Place, list[ast.AST]] = {}
        for path in {site.path for site in sites}:
            self.index_nodes(path)
        self.refusals: dict[Site, Refusal] = {}
        self.strategies: dict[Site, Strategy] = {}
        self.evidence: dict[Site, list[str]] = {}
        self.in_no_grad: set[Site] = set()  # flags that stand in the author's own no_grad
        self.never_on: set[Site] = set()  # flags whose condition never holds
        self.as_copied: set[Site] = set()  # copied from what is volatile where a block is
        self.on_data: set[Site] = set()  # flags that are written to plain data
        self.unasked: set[Site] = set()  # flags that callers decide, and none of them sets
        self.users: dict[Site, tuple[tuple[str, ...], bool]] = {}  # what takes a tensor whose flag had no effect
        self.edits: list[tuple[list[Site], str, list[Edit]]] = []  # the sites that need them, path, edits
        self.groups = Groups()
        self.places = Places(self.sites)
        self.options_of: dict[Site, list[mappings.Source]] = {}  # of ``**options``: where their flags come from
        self.handed: dict[Site, list[ast.AST]] = {}  # of calls that hand a dictionary on: what puts the flag into it
        self.may_trust: set[CallKey] = set()
        self.switched: set[SiteKey] = set()  # writes of parameters' flags that a block says
        self.unset: dict[SiteKey, Refusal] = {}  # flags that no call sets, with what they would be refused for
        self.found_nodes: dict[Site, ast.AST] = {}
        self.functions: dict[str, list[tuple[int, int, str]]] = {}  # by path: start, end, qualified name
        self.torch_names: dict[str, str | None] = {}
        self.looks: dict[int, Look] = {}  # by function, how closely it was looked at last

    most: int | None = None  # evaluations of one pass, past which programs are to be looked at one by one
    before_trust: dict[Site, Refusal] | None = None
    trusted: frozenset[CallKey] = frozenset()
    done: dict[Site, list[Done]]  # what was done for a site, and where
    opened: dict[Site, str]  # what code outside could break
    let_go: set[int]  # functions that unseen calls may run, too, which let go of what comes back: by node id
    by_key: dict[SiteKey, Site]
    rounds: Fixpoint
    outcome: Outcome
    entered: dict[int, set[int]]  # by which calls functions were run in place
    inlined: set[int]
    callers: Callers
    visited: set[int]
    dead: set[int]
    signatures: Signatures
    wrappers: dict[tuple[str, Span], Site]
    gone: dict[Site, Carrier | None]
    frozen: dict[Site, list[VolatileWrite]]
    cut: set[Site]
    reads: Reads
    inside: dict[frozenset[int], list[Site]]

    def index_nodes(self, path: str) -> None:
        """Note the calls and attributes of a module by where they start."""
        for node in self.project.nodes(path):
            if isinstance(node, (ast.Call, ast.Attribute)):
                self.nodes.setdefault((path, self.project.span(path, node).start), []).append(node)

    def node_of(self, site: Site) -> ast.AST:
        """The call, or the attribute, of a site."""
        if site not in self.found_nodes:
            self.found_nodes[site] = self.find_node(site)
        return self.found_nodes[site]

    def find_node(self, site: Site) -> ast.AST:
        """Look for the node of a site."""
        at = site.span.start if site.kind in (SiteKind.READ, SiteKind.WRITE) else site.node.start
        end = site.span.end if site.kind in (SiteKind.READ, SiteKind.WRITE) else site.node.end
        found = self.nodes.get((site.path, at), [])
        exact = [n for n in found if self.project.span(site.path, n).end == end]
        wanted = ast.Attribute if site.kind in (SiteKind.READ, SiteKind.WRITE) else ast.Call
        typed = [n for n in exact if isinstance(n, wanted)] or exact
        return typed[0] if typed else (found[0] if found else ast.Pass())

    def key(self, site: Site) -> SiteKey:
        """How the machine names the site."""
        node = self.node_of(site)
        return (site.path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))

    def is_splat(self, site: Site) -> bool:
        """Is the argument a ``**`` mapping?"""
        text = self.project.modules[site.path].text
        return text[site.span.start : site.span.start + 2] == "**"

    def catch_all(self, site: Site) -> ast.FunctionDef | ast.Lambda | None:
        """The function whose own ``**kwargs`` a splat site hands on to Variable, if it is one."""
        text = self.project.modules[site.path].text[site.span.start : site.span.end].lstrip("*").strip()
        for above in self.project.parents(site.path, self.node_of(site)):
            if isinstance(above, ast.FunctionDef):
                named = above.args.kwarg is not None and above.args.kwarg.arg == text
                return above if named else None
            if isinstance(above, ast.Lambda):
                return above if above.args.kwarg is not None and above.args.kwarg.arg == text else None
        return None

    def refuse(self, site: Site, reason: str, message: str, *because: str) -> None:
        """Refuse a site, unless it is refused already."""
        self.refusals.setdefault(site, Refusal(reason, message, because))

    def open_sites(self, kept: set[Site], *kinds: SiteKind) -> Iterator[Site]:
        """The sites of some kinds that are neither refused nor kept."""
        for site in self.sites:
            if site.kind in kinds and site not in self.refusals and site not in kept:
                yield site

    def deciding_sites(self, kept: set[Site], *kinds: SiteKind) -> Iterator[Site]:
        """As ``open_sites``, with the calls that stand for themselves."""
        for site in self.open_sites(kept, *kinds, *((SiteKind.WRAPPER,) if self.parted.calls else ())):
            if site.kind is not SiteKind.WRAPPER or site in self.parted.calls:
                yield site

    def sites_of(self, keys: Iterable[SiteKey]) -> list[Site]:
        """The sites behind the machine's keys."""
        return [self.by_key[k] for k in sorted(keys) if k in self.by_key]

    def values(self, site: Site) -> Iterator[ast.AST]:
        """The expressions that go with a site: an argument's, an option's, or what a write assigns."""
        if site in self.options_of:
            yield from (source.value for source in self.options_of[site])
            return
        if site.kind is not SiteKind.WRITE:
            yield from self.argument_nodes(site)
        else:
            node = self.node_of(site)
            around = next(each for each in self.project.parents(site.path, node) if isinstance(each, ast.stmt))
            said = isinstance(node, ast.Call) and isinstance(around, ast.Expr) and around.value is node
            yield from node.args if said and isinstance(node, ast.Call) else [around]  # setattr(x, "volatile", on)

    def has_callers(self, body: Body) -> bool:
        """Was the function interpreted in place, from all calls that there are?"""
        function = self.project.function(body.path, body.node)
        return function is not None and id(body.node) in self.inlined and self.callers.unseen(function) is None

    def is_seen(self, path: str, node: ast.AST | None) -> bool:
        """Are all callers of a function known, and was it interpreted as they call it?"""
        function = self.project.function(path, node) if node is not None else None
        return function is not None and id(node) in self.inlined and self.callers.unseen(function) is None

    def within(self, site: Site, node: ast.AST) -> bool:
        """Does the site stand inside the node?"""
        span = self.project.span(site.path, node)
        return span.start <= site.span.start and site.span.end <= span.end

    def argument_nodes(self, site: Site) -> Iterator[ast.AST]:
        """The keyword or expression that a site's span covers."""
        call = self.node_of(site)
        if isinstance(call, ast.Call):
            for argument in [*call.args, *call.keywords]:
                if self.project.span(site.path, argument) == site.span:
                    yield argument

    def header_names(self) -> dict[int, set[str]]:
        """The names that the headers of blocks use, by function."""
        out: dict[int, set[str]] = {}
        for key, planned in self.outcome.planned.items():
            for text in planned.texts.values():
                if text:
                    names = {n.id for n in walk(express.parse(text)) if isinstance(n, ast.Name)}
                    out.setdefault(key, set()).update(names)
        return out

    def torch_name(self, path: str, node: ast.AST | None = None) -> tuple[str, list[Edit]]:
        """What torch is called at a place, and the import that is needed for it.

        A function that imports torch lazily keeps doing so: no import at the module's top would be right for it.
        """
        later = False  # does the place run when its function is called, and not as the module is read?
        for around in self.project.parents(path, node) if node is not None else ():
            later = later or isinstance(around, (*FUNCTIONS, ast.Lambda))
            if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
                local = torch_alias(around)
                if local is not None:
                    return local, []
                lazy = [
                    s for s in around.body if isinstance(s, ast.ImportFrom) and (s.module or "").startswith("torch")
                ]
                if lazy and self.torch_at_top(path) is None:
                    return "torch", [InsertStatement(self.project.span(path, lazy[0]), "import torch")]
        if path not in self.torch_names:
            tree = self.project.tree(path)
            loose = sorted(used_as_torch(tree)) if tree is not None else []
            unbound = [n for n in loose if not any(binds(s, n) for s in walk(tree or ast.Pass()))]
            self.torch_names[path] = torch_alias(tree) or next(iter(unbound), None)
        name = self.torch_names[path]
        used = torch_in_use(self.project, path, node) if name is None and node is not None else None
        if used is not None:
            return used, []
        bound = torch_import(self.project.tree(path))
        if bound is not None and node is not None and not later and getattr(node, "lineno", 0) < bound.lineno:
            return "torch", [EnsureImport("torch", self.project.span(path, bound).start)]
        return (name, []) if name is not None else ("torch", [EnsureImport("torch")])

    def torch_at_top(self, path: str) -> str | None:
        """The name of torch at the module's top level."""
        return torch_alias(self.project.tree(path))

    def where(self, site: Site) -> str:
        """``train.py:12``."""
        return place(self.project, site.path, self.node_of(site))


def functions_by_node(project: Project) -> dict[int, ProjectFunction]:
    """The functions of a project by node id."""
    return {id(function.node): function for function in project.functions()}


def is_fresh(project: Project, path: str, node: ast.AST, name: str) -> bool:
    """Is the name bound to the result of a call above a statement of the same suite, and not mentioned in between?"""
    above = next((n for n in project.parents(path, node) if isinstance(n, ast.stmt)), None)
    around = project.parent(path, above) if above is not None else None
    suites = [getattr(around, part, None) or [] for part in ("body", "orelse", "finalbody")]
    suite = next((s for s in suites if isinstance(s, list) and above in s), [])
    for statement in reversed(suite[: suite.index(above)] if above in suite else []):
        if makes(statement, name):
            return True
        if any(isinstance(n, ast.Name) and n.id == name for n in walk(statement)):
            return False
    return False


def makes(statement: ast.AST, name: str) -> bool:
    """Is it ``NAME = f(...)``, or what an operator makes, and nothing else?"""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, (ast.Call, ast.BinOp)):
        return False
    return [ast.unparse(target) for target in statement.targets] == [name]


def binds(node: ast.AST, name: str) -> bool:
    """Does a node bind a name: assignment, parameter, import, definition?"""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    bound = getattr(node, "asname", None) or getattr(node, "arg", None) or getattr(node, "name", None)
    return isinstance(node, (ast.alias, ast.arg, ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)) and bound == name


def torch_alias(tree: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | None) -> str | None:
    """The name that a module's top level, or a function's, binds torch to; None if it binds none."""
    found = torch_import(tree)
    return next((alias.asname or "torch" for alias in found.names if _is_torch(alias)), None) if found else None


def torch_import(tree: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | None) -> ast.Import | None:
    """The first statement of a module's top level, or of a function's, that binds torch."""
    return next((statement for statement in (tree.body if tree is not None else ())
                 if isinstance(statement, ast.Import) and any(map(_is_torch, statement.names))), None)


def _is_torch(alias: ast.alias) -> bool:
    return alias.name == "torch" or (alias.name.startswith("torch.") and alias.asname is None)
