"""The language server in a real editor: Neovim, without a screen, opens a file, hovers, skips and fixes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("pygls")
NEOVIM = shutil.which("nvim")
SOURCE = """import torch
from torch.autograd import Variable


def evaluate(net, x):
    x = Variable(x, volatile=True)
    return net(x).data


def refused(net, x, flags):
    return net(Variable(x, **flags))
"""
SCRIPT = """
local seen = {progress = {}}
vim.lsp.handlers['$/progress'] = function(_, result) table.insert(seen.progress, result.value.kind) end
local id = vim.lsp.start_client({cmd = {PYTHON, '-m', 'voltfix', 'lsp'}, root_dir = ROOT, name = 'voltfix'})
vim.lsp.buf_attach_client(0, id)
vim.wait(60000, function() return #vim.diagnostic.get(0) == 2 end, 50)
for _, found in ipairs(vim.diagnostic.get(0)) do
  table.insert(seen, {found.lnum + 1, found.severity, found.message, found.code})
end
local function at(line, character)
  return {textDocument = vim.lsp.util.make_text_document_params(), position = {line = line, character = character}}
end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 30000)
  return answers and answers[id] and answers[id].result
end
seen.hover = ask('textDocument/hover', at(10, 28)).contents.value
local place = {line = 5, character = 20}
local actions = ask('textDocument/codeAction', {
  textDocument = vim.lsp.util.make_text_document_params(), range = {start = place, ['end'] = place},
  context = {diagnostics = {}},
})
seen.actions = vim.tbl_map(function(action) return action.title end, actions)
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
seen.text = vim.api.nvim_buf_get_lines(0, 0, -1, false)
vim.wait(60000, function() return #vim.diagnostic.get(0) == 1 end, 50)
seen.left = #vim.diagnostic.get(0)
io.stdout:write(vim.json.encode({seen = seen, rows = {unpack(seen)}}))
vim.cmd('qa!')
"""


@pytest.mark.skipif(NEOVIM is None, reason="no Neovim here")
def test_a_file_is_looked_at_hovered_over_and_fixed_in_an_editor(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text(SOURCE)
    script = SCRIPT.replace("PYTHON", repr(sys.executable)).replace("ROOT", repr(str(tmp_path)))
    (tmp_path / "look.lua").write_text(script)
    command = [NEOVIM, "--headless", "--clean", "-n", "a.py", "-c", "luafile look.lua"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    found = json.loads(done.stdout)
    seen = found["seen"]
    assert [(row[0], row[1]) for row in found["rows"]] == [(6, 2), (11, 1)]
    assert found["rows"][0][2].startswith("would wrap line 7 in torch.no_grad()")
    assert "What to do." in seen["hover"]
    assert seen["actions"][:2] == ["voltfix: wrap line 7 in torch.no_grad()", "voltfix: skip VF101 on this line"]
    assert seen["text"][5:8] == ["    x = Variable(x)", "    with torch.no_grad():", "        return net(x).data"]
    assert seen["left"] == 1
    assert seen["progress"][:2] == ["begin", "end"]
