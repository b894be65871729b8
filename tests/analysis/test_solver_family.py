"""A method that classes below have too is looked into as each of them, where all of its bodies are in view."""

from __future__ import annotations

from solving import covers, stays

FAMILY = """
        class Decoder(torch.nn.Module):
            def step(self, x, kept):
                return self.fc(torch.cat([x, kept], 1))

            def sample(self, data, more):
                kept = self.encoder(Variable(more))
                y = self.step(Variable(data, volatile=True), kept)
                return y.data

        class Pointing(Decoder):
            def step(self, x, kept):
                {below}
"""


def test_bodies_that_only_compute_are_looked_into_though_none_has_a_flag():
    covers(FAMILY.format(below="return self.fc(x + kept)"), ["y = self.step"], ["kept = self.encoder"])


def test_a_body_below_that_trains_on_what_it_is_given_beside_it_is_seen():
    stays(FAMILY.format(below="kept.sum().backward(); return self.fc(x + kept)"), "mixed-statement")
