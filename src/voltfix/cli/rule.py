"""``voltfix rule [CODE]``: explain a rule or a reason for refusals, or list them. Needs no torch."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click
from click.shell_completion import CompletionItem

from voltfix.cli.likeliest import likeliest
from voltfix.cli.show import fold
from voltfix.report.escape import printable
from voltfix.rulebook import all_rules, rule
from voltfix.rules import OBSTACLES, REASONS, RuleText


def complete_code(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The rules and reasons that begin so."""
    names = {text.code: text.name for text in all_rules()}
    names |= {**dict.fromkeys(REASONS, "a reason of refusals"), **dict.fromkeys(OBSTACLES, "a word of voltfix doctor")}
    return [CompletionItem(name, help=text) for name, text in names.items() if name.startswith(incomplete)]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("code", required=False, shell_complete=complete_code)
@click.option(
    "--output-format",
    type=click.Choice(("text", "json")),
    default="text",
    help="The form of what is printed.",
)
@click.pass_context
def command(ctx: click.Context, code: str | None, output_format: str) -> None:
    """Explain rule CODE (such as VF101), or the reason of a refusal; without CODE, list them."""
    if code is None:
        click.echo(_listed(output_format), nl=False)
        return
    found = rule(code)
    if found is not None:
        click.echo(json.dumps(_data(found), indent=1) if output_format == "json" else fold(found.markdown().rstrip()))
        return
    if code in REASONS:
        data = {"reason": code, "text": REASONS[code], "rules": _refusing(code)}
        click.echo(json.dumps(data, indent=1) if output_format == "json" else fold(_reason(code)))
        return
    if code in OBSTACLES:
        data = {"reason": code, "text": OBSTACLES[code], "rules": []}
        told = f"# {code}\n\n{OBSTACLES[code]}\n\nGiven by: voltfix doctor."
        click.echo(json.dumps(data, indent=1) if output_format == "json" else fold(told))
        return
    if code.lower() != code and code.lower() in (*REASONS, *OBSTACLES):
        ctx.invoke(command, code=code.lower(), output_format=output_format)
        return
    known = [*(text.code for text in all_rules()), *REASONS, *OBSTACLES]
    hint = f"did you mean {close}?" if (close := likeliest(code, known)) else "voltfix rule lists them"
    click.echo(f"voltfix rule: there is no rule or reason called {printable(code)}; {hint}", err=True)
    ctx.exit(2)


def _listed(output_format: str) -> str:
    if output_format == "json":
        return json.dumps([_data(text) for text in all_rules()], indent=1) + "\n"
    lines = [text.summary for text in all_rules()]
    words = {"Reasons of refusals:": REASONS, "Words of voltfix doctor:": OBSTACLES}
    parts = [["", title, *(f"  {name}" for name in sorted(names))] for title, names in words.items()]
    return "\n".join([*lines, *(line for part in parts for line in part)]) + "\n"


def _data(text: RuleText) -> dict[str, Any]:
    return asdict(text)


def _reason(code: str) -> str:
    from voltfix.rules.refusals import REFUSALS

    rules = ", ".join(_refusing(code)) or "any rule"
    text = REFUSALS.get(code)
    means = REASONS[code] if text is None else f"{text.means}\n\n**What to do.** {text.todo}"
    return f"# {code}\n\n{means}\n\nGiven by: {rules}."


def _refusing(code: str) -> list[str]:
    return [text.code for text in all_rules() if code in text.refusals]
