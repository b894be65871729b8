"""The names of a class are none that its methods see: a bare name there is of the module, or of a function around."""

from __future__ import annotations

from solving import becomes


def test_a_function_that_has_the_name_of_the_method_around_is_the_function():
    becomes(
        """
        def guess(net, x):
            return net(x).data


        class Judge:
            def guess(self, loader, net):
                return [self.one(net, each) for each in loader]

            def one(self, net, each):
                x = Variable(each, volatile=True)
                return guess(net, x)
        """,
        """
        def guess(net, x):
            return net(x).data


        class Judge:
            def guess(self, loader, net):
                return [self.one(net, each) for each in loader]

            def one(self, net, each):
                x = Variable(each)
                with torch.no_grad():
                    return guess(net, x)
        """,
    )


def test_a_function_that_trains_is_in_no_block_though_a_method_of_its_name_does_nothing():
    becomes(
        """
        def step(net, t):
            net(Variable(t)).sum().backward()


        class Judge:
            def step(self, net, t):
                return 1

            def run(self, net, t):
                x = Variable(t, volatile=True)
                first = net(x)
                step(net, t)
                return (first, net(x))[0].data
        """,
        """
        def step(net, t):
            net(Variable(t)).sum().backward()


        class Judge:
            def step(self, net, t):
                return 1

            def run(self, net, t):
                x = Variable(t)
                with torch.no_grad():
                    first = net(x)
                step(net, t)
                with torch.no_grad():
                    return (first, net(x))[0].data
        """,
    )


def test_a_class_attribute_is_no_value_of_a_bare_name_in_a_method():
    becomes(
        """
        def run(net, t, quiet):
            class Judge:
                quiet = False

                def one(self):
                    return net(Variable(t, volatile=quiet)).data

            return Judge().one()
        """,
        """
        def run(net, t, quiet):
            class Judge:
                quiet = False

                def one(self):
                    with torch.set_grad_enabled(not quiet):
                        return net(Variable(t)).data

            return Judge().one()
        """,
    )
