"""Values that leave to callers that nobody sees: as they were made, as what was computed from them, bundled or not."""

from __future__ import annotations

import pytest
from solving import becomes, files_stay, migrated_files, refusals, source, stays

from helpers import migrated
from voltfix.model import Options

GIVEN = ["{'image': x}", "dict(image=x)", "{'batch': {'image': x}}", "[x]", "(x, 1)", "Bunch(x)", "[{'image': x}]"]
BUNCH = "class Bunch(object):\n    def __init__(self, image):\n        self.image = image\n\n\n"


@pytest.mark.parametrize("use", ["x = x.cuda()", "x = x.view(-1).float()", "print(x.size())", "x = x.detach()"])
@pytest.mark.parametrize("given", GIVEN)
def test_a_tensor_that_is_only_moved_and_given_away_needs_callers_that_are_known(use, given):
    stays(f"{BUNCH}def batch(t):\n    x = Variable(t, volatile=True)\n    {use}\n    return {given}\n",
          "unseen-callers")


@pytest.mark.parametrize("given", ["x", *GIVEN])
def test_what_is_scaled_where_nothing_has_a_graph_needs_callers_that_are_known(given):
    stays(f"{BUNCH}def batch(t):\n    x = (Variable(t, volatile=True) - 0.5) * 2\n    return {given}\n",
          "unseen-callers")


@pytest.mark.parametrize("given", ["{'image': x}", "x / 255"])
def test_a_generator_of_batches_needs_callers_that_are_known(given):
    stays(
        f"def batches(loader):\n    for t in loader:\n        x = Variable(t, volatile=True).cuda()\n"
        f"        yield {given}\n",
        "unseen-callers",
    )


def test_a_field_that_fills_a_dictionary_item_by_item_needs_callers_that_are_known():
    stays(
        """
        class Field(object):
            def tensors(self, texts, device=-1, training=True):
                made = {}
                for name, words in texts.items():
                    x = Variable(torch.LongTensor(words), volatile=not training)
                    made[name] = x if device == -1 else x.cuda(device)
                return {"text": made}
        """,
        "unseen-callers",
    )


def test_nor_does_it_help_that_another_file_names_the_class():
    files_stay(
        {
            "data.py": """
            class Field(object):
                def tensors(self, t):
                    x = Variable(t, volatile=True)
                    return {"image": x.cuda()}
            """,
            "registry.py": """
            from data import Field

            FIELDS = {"image": Field}
            """,
        },
        "unseen-callers",
    )


def test_with_callers_in_view_their_blocks_replace_the_flag():
    becomes(
        """
        def batch(t):
            x = Variable(t, volatile=True)
            x = x.cuda() / 255
            return {"image": x}


        net = torch.nn.Linear(2, 1)
        out = net(batch(torch.ones(2))["image"])
        """,
        """
        def batch(t):
            x = Variable(t)
            x = x.cuda() / 255
            return {"image": x}


        net = torch.nn.Linear(2, 1)
        with torch.no_grad():
            out = net(batch(torch.ones(2))["image"])
        """,
    )


def test_what_a_network_gives_is_covered_where_it_is_computed():
    becomes(
        """
        def evaluate(net, t):
            x = Variable(t, volatile=True)
            return {"y": net(x), "n": 1}
        """,
        """
        def evaluate(net, t):
            x = Variable(t)
            with torch.no_grad():
                return {"y": net(x), "n": 1}
        """,
    )


def test_of_two_only_the_one_that_the_function_has_no_use_for_is_the_callers():
    result = migrated(source(
        "def evaluate(net, t, u):\n    x = Variable(t, volatile=True)\n    w = Variable(u, volatile=True)\n"
        "    return net(x), w * 2\n"
    ))
    assert refusals(result) == {"a.py:7": "unseen-callers"}


def test_a_tensor_shown_in_a_dictionary_beside_what_was_computed_in_a_block_does_not_stand_in_the_way():
    result = migrated(source(
        "def evaluate(net, t):\n    x = Variable(t, volatile=True)\n    loss = net(x).sum().data[0]\n"
        "    return {'loss': loss, 'image': x}\n"
    ))
    assert not refusals(result)


def test_numbers_and_plain_data_are_nobodys_concern():
    becomes(
        """
        def mean(t):
            x = Variable(t, volatile=True)
            return {"mean": (x * 2).mean().data[0], "data": x.data}
        """,
        """
        def mean(t):
            x = Variable(t)
            return {"mean": (x * 2).mean().data[0], "data": x.data}
        """,
    )


def test_a_frozen_network_stays_frozen_whoever_takes_what_it_gives():
    result, _ = migrated_files({
        "helpers.py": """
        def freeze(net):
            for p in net.parameters():
                p.volatile = True
        """,
        "source.py": """
        from helpers import freeze

        def features(net, t):
            freeze(net)
            return {"y": net(Variable(t)) * 2}
        """,
    })
    assert not refusals(result)


@pytest.mark.parametrize("body", [
    "def load(x):\n    return Variable(x, volatile=True)\n",
    "def load(x, into):\n    into['x'] = Variable(x, volatile=True)\n    return into\n",
], ids=["returned", "put into"])
@pytest.mark.parametrize(("use", "said", "because"), [
    ("", "no caller is known", ()),
    ("def other(x, run):\n    print(load(x, {}))\n    run({'load': load}, x)\n", "not every caller is known",
     ("a.py:",)),
])
def test_a_caller_that_is_seen_among_others_that_are_not_is_not_called_unknown(body, use, said, because):
    call = use if "into" in body else use.replace(", {})", ")")
    site, = stays(f"{body}\n{call}", reason="unseen-callers").sites
    assert site.message.endswith(said)
    assert len(site.evidence) == len(because)
    assert all(sentence.startswith(start) and sentence.endswith("hands it to code that was not seen")
               for sentence, start in zip(site.evidence, because, strict=True))


@pytest.mark.parametrize("made", ["cls(image)", "Bunch(image)"])
@pytest.mark.parametrize("called", ["Bunch.of(x)", "Bunch.of(image=x)", "Bunch(x).of(x)"])
def test_what_a_class_method_makes_of_it_and_gives_away_needs_callers_that_are_known(made, called):
    bunch = BUNCH.rstrip() + f"\n\n    @classmethod\n    def of(cls, image):\n        return {made}\n\n\n"
    stays(f"{bunch}def load(data):\n    x = Variable(data, volatile=True)\n    return {called}\n",
          reason="unseen-callers")


@pytest.mark.parametrize(("installable", "said"), [
    (True, "returns the volatile tensor from load, and other code can import that"),
    (False, "returns the volatile tensor from load, and no caller is known"),
])
def test_of_a_function_that_others_install_it_is_said_that_these_may_call_it(installable, said):
    site, = stays("def load(x):\n    return Variable(x, volatile=True)\n", reason="unseen-callers",
                  options=Options(installable=installable)).sites
    assert site.message == said
