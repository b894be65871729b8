"""The word for how safe an edit is: what could be otherwise is not called proved."""

from __future__ import annotations

import pytest
from solving import files_stay, migrated_files, refusals, source, stays

from helpers import migrated

BY_NAME = """
    class Tools(object):
        def wrap(self, t, off=True):
            return Variable(t, volatile=off)


    def show(tools, net, t):
        return net(tools.wrap({given})).data
    """


def test_a_method_that_is_found_by_its_name_alone_is_only_suggested():
    result = stays(BY_NAME.replace("{given}", "t"), "unseen-callers")
    assert {site.safety for site in result.sites} == {"suggested"}


def test_a_method_that_is_found_by_its_name_alone_in_another_file_is_only_suggested():
    tools, show = BY_NAME.replace("{given}", "t").split("    def show")
    result = files_stay({"tools.py": tools, "show.py": "    def show" + show}, "unseen-callers")
    assert {site.safety for site in result.sites} == {"suggested"}


def test_a_method_whose_own_word_the_call_says_is_proved():
    result = migrated(source(BY_NAME.replace("{given}", "t, off=True")))
    assert not refusals(result)
    assert {site.safety for site in result.sites} == {"proved"}


def test_a_method_of_an_object_made_in_view_is_proved():
    result = migrated(source(BY_NAME.replace("{given}", "t").replace("tools.wrap", "Tools().wrap")))
    assert not refusals(result)
    assert {site.safety for site in result.sites} == {"proved"}


MIXED = """
    def score(net, mix, y, t):
        x = Variable(t, volatile=True)
        {use}
    """


@pytest.mark.parametrize("caller", ["tools.score(*given).backward()", "serve(score)"])
def test_what_unknown_code_makes_of_a_volatile_tensor_and_others_is_not_proved_where_it_leaves(caller):
    result = migrated(source(MIXED.replace("{use}", "return mix(y, x)") + f"""

    def run(tools, serve, given):
        {caller}
    """))
    assert result.outputs == {}
    assert {site.status for site in result.sites} == {"refused"}


def test_what_unknown_code_makes_of_a_volatile_tensor_and_others_is_proved_where_it_stays():
    result, _ = migrated_files({"score.py": MIXED.replace("{use}", "print(mix(y, x).data)"), "run.py": """
        from score import score


        def run(serve):
            serve(score)
        """})
    assert {(site.status, site.safety) for site in result.sites} == {("fixed", "proved")}
    (site,) = result.sites
    assert any("assumes that what mix gives" in said for said in site.evidence)
