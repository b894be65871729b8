"""The page of --report, as text and in a headless browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from voltfix.model import FileError, SiteResult, Verification
from voltfix.report import render
from voltfix.report.data import Report
from voltfix.report.html.highlight import Highlighted
from voltfix.report.html.sidebyside import _aligned

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
HOSTILE = (
    "</code></script><script>document.title='pwned'</script>"
    "<img src=x onerror=\"document.title='pwned'\">'\"><svg/onload=document.title='pwned'> @SCRIPT@ @FILES@"
)


def site(path="a.py", **fields) -> SiteResult:
    values = {
        "path": path, "line": 2, "column": 5, "end_line": 2, "end_column": 18, "cell": None, "change": "c1",
        "code": "VF101", "strategy": "no_grad", "status": "fixed", "reason": None, "message": "wrapped",
    }  # fmt: skip
    return SiteResult(**{**values, **fields})


REFUSED = site(
    "b.py", status="refused", strategy=None, reason="unseen-callers", message="it is returned",
    evidence=("volatile: line 2",),
)  # fmt: skip
VERIFIED = site(verification=Verification("symbolic", "identical", "not-run", "no such device"))
BEFORE = b"import torch\nx = Variable(y, volatile=True)\nz = net(x)\n"
AFTER = b"import torch\nx = Variable(y)\nwith torch.no_grad():\n    z = net(x)\n"
REPORT = Report(
    files_scanned=3,
    sites=(VERIFIED, REFUSED),
    changed=("a.py",),
    sources={"a.py": (BEFORE, AFTER)},
    errors=(FileError("c.py", 3, "syntax", "invalid syntax"),),
)


def in_browser(page: str, folder: Path, script: str = "", flags: Sequence[str] = ()) -> str:
    """The page as a browser sees it after ``script``, which is added past the page's policy, ran in it."""
    if script:
        page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
        page = page.replace("</body>", f"<script>{script}</script></body>")
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    command = [
        CHROMIUM,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--window-size=500,900",
        *flags,
        "--dump-dom",
        file.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, timeout=60, check=True).stdout.decode()


class Tags(HTMLParser):
    """Counts tags, and checks that they close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def tags(page: str) -> Tags:
    parser = Tags()
    parser.feed(page)
    assert parser.open == []
    return parser


def test_the_page_says_what_the_report_says():
    page = render(REPORT, "html")
    tags(page)
    for text in ("unseen-callers", "it is returned", "volatile: line 2", "CPU the same", "CUDA not run",
                 "no such device", "invalid syntax", "c.py:3", "3 files read, 1 changed"):  # fmt: skip
        assert text in page
    assert '<div class="tile " id="n-sites"><b>2</b>' in page


def test_tiles_count_what_was_done_and_rows_of_rules_say_nothing_of_runs():
    kept = site(line=9, status="kept", strategy=None, verification=Verification("symbolic", "identical"))
    rule = site(line=3, code="VF201", strategy="variable", message="removed Variable()")
    sources = {"a.py": (BEFORE + b"pass\n" * 70, AFTER + b"pass\n" * 70)}
    report = Report(sites=(VERIFIED, kept), modernized=(rule,), sources=sources, originals={"a.py": sources["a.py"][0]})
    page = render(report, "html")
    assert '<div class="tile " id="n-cpu"><b>1</b><span>fixed, run and the same, CPU' in page
    assert '<div class="tile good" id="n-modernized"><b>1</b><span>more places modernized' in page
    assert "CPU not run" not in page


def test_a_refusal_says_what_to_do():
    page = render(Report(sites=(site(status="refused", strategy=None, reason="kwargs-dictionary"),)), "html")
    assert "what to do: Write the arguments out." in page
    assert "<code># voltfix: skip</code>" in page


@pytest.mark.parametrize(("line", "linked"), [(2, True), (3, True), (60, False)])
def test_a_line_is_a_link_only_where_the_diff_shows_it(line, linked):
    padding = b"pass\n" * 70
    page = render(Report(sites=(site(line=line),), sources={"a.py": (BEFORE + padding, AFTER + padding)}), "html")
    assert (f'href="#f0-{line}"' in page) is linked
    assert (f'id="f0-{line}"' in page) is linked


COLOURED = """@torch.no_grad()
def f(x, n=0x1F):  # a 'comment'
    '''doc
    string # no comment'''
    return "it's # {x}" if x2 else 'never closed
"""


def test_python_is_in_colour():
    lines = [Highlighted(COLOURED, str).line(number, []) for number in range(6)]
    assert lines[0] == '<span class="d">@torch.no_grad</span>()'
    assert lines[1].endswith('n=<span class="n">0x1F</span>):  <span class="c"># a \'comment\'</span>')
    assert lines[3] == "<span class=\"s\">    string # no comment'''</span>"
    assert '<span class="s">"it\'s # {x}"</span> <span class="k">if</span> x2 ' in lines[4]
    assert lines[5] == ""


def test_a_mark_cuts_through_colours():
    marked = Highlighted("x = None + 1", str).line(0, [range(2, 6)])
    assert marked == (
        'x <mark>= </mark><mark><span class="k">No</span></mark><span class="k">ne</span> + <span class="n">1</span>'
    )


@pytest.mark.parametrize("text", [COLOURED, 'a = """\n\\', "'" * 7, "x\r\n\ty = 'ä\U0001f600'\r\n", "\f@a\\\n#"])
def test_colours_change_no_character(text):
    coloured = Highlighted(text, str)
    for number, line in enumerate(text.split("\n")):
        assert re.sub(r"<[^>]*>", "", coloured.line(number, [range(1, 3)])) == line.rstrip("\r")


def test_the_page_needs_no_other_file_and_no_network():
    page = render(REPORT, "html")
    assert not re.search(r"(src|href)=[\"'](?!#|vscode://file/)", page)
    assert "url(" not in page
    assert "@import" not in page


def test_every_link_to_a_line_has_its_target():
    page = render(REPORT, "html")
    for target in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{target}"' in page


def test_a_wrapped_line_stands_beside_what_it_was():
    old = ["x = f(a, volatile=True)\n", "y = g(x)\n"]
    new = ["x = f(a)\n", "with torch.no_grad():\n", "    y = g(x)\n"]
    assert list(_aligned(old, new)) == [(0, 0), (None, 1), (1, 2)]


def test_many_lines_that_are_all_new_are_not_compared_one_by_one():
    old, new = [f"a{n}\n" for n in range(60)], [f"b{n}\n" for n in range(50)]
    assert list(_aligned(old, new)) == [*((n, None) for n in range(60)), *((None, n) for n in range(50))]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\xff\xfe bytes\r\n", b"\xff\xfe other\r\n"),
        (b"a\x0cb\nc", b"a\x0cb\nd"),
        (b"'''" * 3 + b"\n(((", b"x\n"),
        (b"", b"x = 1\n"),
        ("naïve = 'α\u2028β'\n".encode(), b"plain = 1\n"),
        (b"a\n" * 30_000, b"b\n" * 30_000),
    ],
)
def test_any_bytes_make_a_page(before, after):
    report = Report(sites=(site(line=1),), changed=("a.py",), sources={"a.py": (before, after)})
    tags(render(report, "html"))


def test_all_of_each_line_is_in_the_page():
    page = render(REPORT, "html")
    lines = [
        re.sub(r"<[^>]+>", "", code)
        for code in re.findall(r'<div class="new[^>]*>.*?<code[^>]*>(.*?)</code>', page)
    ]
    assert lines == AFTER.decode().splitlines()


def hostile_report() -> Report:
    source = f"x = 1 # {HOSTILE}\n".encode()
    return Report(
        sites=(
            site(HOSTILE + ".py", line=1, message=HOSTILE, evidence=(HOSTILE,),
                 verification=Verification("concrete", "different", "not-run", HOSTILE)),
            site("b.py", status="refused", reason=HOSTILE, message="\x1b[31mred\udcff"),
        ),
        changed=(HOSTILE + ".py",),
        sources={HOSTILE + ".py": (source, b"y" + source)},
        errors=(FileError(HOSTILE, 1, HOSTILE, HOSTILE),),
        notes=(HOSTILE,),
    )  # fmt: skip


def test_hostile_text_becomes_no_tag_and_no_attribute():
    parsed = tags(render(hostile_report(), "html"))
    assert parsed.seen.count("script") == 1
    assert not {"img", "svg"} & set(parsed.seen)
    assert not [name for name in parsed.attributes if name.startswith("on")]


@browser
def test_hostile_source_runs_no_script_in_a_browser(tmp_path):
    seen = in_browser(render(hostile_report(), "html"), tmp_path)
    assert "<title>voltfix: What was done</title>" in seen


@browser
def test_the_policy_alone_stops_a_script_that_slipped_through(tmp_path):
    slipped = render(REPORT, "html").replace("<main>", "<main><script>document.title='pwned'</script>")
    assert "<title>voltfix: What was done</title>" in in_browser(slipped, tmp_path)


FILTERS = {
    "nothing": "",
    "chip": "document.querySelector('.chip.refused').click()",
    "chips": "document.querySelectorAll('.chip').forEach(c => c.click())",
    "strategy": "strategy.value = 'unseen-callers'",
    "file": "file.value = 'a.py'",
    "search": "search.value = 'RETURNED'",
}


@browser
def test_the_filters_show_what_fits_them(tmp_path):
    """One visit: each filter is set, what is shown is counted, and the filter is taken back."""
    acts = ",".join(f"{name}: () => {{ {act} }}" for name, act in FILTERS.items())
    script = (
        "const [strategy, file, search] = ['strategy', 'file', 'search'].map("
        " (x) => document.getElementById(x));"
        "const redo = () => search.dispatchEvent(new Event('input'));"
        f"const acts = {{ {acts} }}; const seen = {{}};"
        "for (const [name, act] of Object.entries(acts)) {"
        " act(); redo();"
        " seen[name] = document.querySelectorAll('.site:not([hidden])').length"
        "  + (document.getElementById('nothing').hidden ? '' : ' and says so');"
        " strategy.value = file.value = search.value = '';"
        " document.querySelectorAll('.chip[aria-pressed=true]').forEach(c => c.click()); redo(); }"
        "document.title = JSON.stringify(seen)"
    )
    dom = in_browser(render(REPORT, "html"), tmp_path, script)
    seen = json.loads(unescape(re.search("<title>(.*?)</title>", dom)[1]))
    assert seen == {
        "nothing": "2", "chip": "1", "chips": "2", "strategy": "1", "file": "1", "search": "1",
    }  # fmt: skip


@browser
def test_nothing_is_wider_than_a_phone(tmp_path):
    long = b"x = " + b"a_long_name_without_end" * 30 + b"\n"
    report = Report(sites=(site("d/" * 60 + "a.py"),), changed=("a.py",), sources={"a.py": (BEFORE, long)})
    page = render(report, "html").replace("<body>", "<body style='width:360px;margin:0'>")
    script = (
        "const right = (e) => e.getBoundingClientRect().right;"
        "document.title = Math.max(...Array.from(document.body.querySelectorAll('*'), right)) <= 361"
    )
    assert "<title>true</title>" in in_browser(page, tmp_path, script)


LOOK = """
const frame = document.querySelector('iframe');
frame.onload = () => {
  const page = frame.contentDocument, view = frame.contentWindow;
  const all = Array.from(page.body.querySelectorAll('*'));
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const c = channels(view.getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => v / 255).map((v) =>
      v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const own = (e) => Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.textContent.trim());
  const contrasts = all.filter((e) => own(e) && e.getClientRects().length).map((e) => {
    const [a, b] = [light(channels(view.getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    return [(a + .05) / (b + .05), e.className || e.tagName];
  });
  document.title = JSON.stringify({
    dark: light(behind(page.body)) < .2,
    width: view.innerWidth,
    wide: all.filter((e) => e.getBoundingClientRect().right > view.innerWidth + 1).map((e) => e.className || e.tagName),
    faint: contrasts.filter(([c]) => c < 4.5).map(([c, name]) => name + ' ' + c.toFixed(1)),
    title: page.title,
    chips: Array.from(page.querySelectorAll('.chip')).map((c) => c.textContent),
    marked: Array.from(page.querySelectorAll('.source mark')).map((m) => m.textContent),
    advice: page.querySelectorAll('.todo').length,
    open: page.querySelector('.open').href,
    hanging: Array.from(page.querySelectorAll('.pair code')).map((c) => {
      const s = view.getComputedStyle(c); return parseFloat(s.paddingLeft) + parseFloat(s.textIndent);
    }).every((left) => Math.abs(left) < 1),
  });
};
"""


@browser
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_can_be_read_in_both_themes_and_on_a_phone(tmp_path, theme, width):
    """Nothing is wider than the screen, every text stands out from what is behind it, and all parts are there."""
    refused = [
        site(line=2, status="refused", reason="unseen-callers", change=None, message="returns it", end_line=2),
        site("b.py", line=1, status="refused", reason="unseen-callers", change=None, message="returns it", end_line=1),
        site("b.py", line=2, status="refused", reason="unseen-callers", change=None, message="returns it", end_line=2),
    ]
    text = b"x = Variable(a, volatile=True)\n    y = Variable(b, volatile=True)\n" + b"z = 'a long line'" * 20
    report = Report(
        mode="check", sites=(site(status="would-fix"), *refused), changed=("a.py",),
        paths=("my project",), root=str(tmp_path),
        sources={"a.py": (BEFORE, AFTER)}, originals={"a.py": BEFORE, "b.py": text},
        notes=("nothing was verified",), errors=(FileError("c.py", 1, "syntax", "invalid syntax"),),
    )  # fmt: skip
    page = render(report, "html").replace("&", "&amp;").replace('"', "&quot;")
    frame = f'<!DOCTYPE html><body><iframe width="{width}" height="900" srcdoc="{page}"></iframe></body>'
    scheme = f"--blink-settings=preferredColorScheme={int(theme == 'light')}"
    dom = in_browser(frame, tmp_path, LOOK, [scheme, "--virtual-time-budget=2000"])
    seen = json.loads(unescape(re.search("<title>(.*?)</title>", dom)[1]))
    assert (seen["dark"], seen["width"]) == (theme == "dark", width)
    assert seen["wide"] == []
    assert seen["faint"] == []
    assert seen["title"] == "voltfix: What would be done in my project"
    assert seen["chips"] == ["to fix 1", "refused 3"]
    assert len(seen["marked"]) == 3
    assert seen["advice"] == 2  # once a file
    assert seen["open"].startswith("vscode://file/")
    assert seen["hanging"]
