"""The language server: diagnostics where sites are, code actions that carry changes out. Needs pygls."""
