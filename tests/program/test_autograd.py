from __future__ import annotations

from alone import function, project
from voltfix.program.autograd import called_by_autograd

CODE = project(main="""
    from torch.autograd import Function
    class Double(Function):
        def forward(self, x): return x * 2
        def backward(self, grad): return grad * 2
    class Plain:
        def backward(self, grad): return grad
""")


def test_backward_of_a_function_of_autograd_is_called_by_nobody_else():
    assert called_by_autograd(CODE, "main.py", function(CODE, "Double.backward").node)


def test_forward_and_methods_of_other_classes_are_not():
    assert not called_by_autograd(CODE, "main.py", function(CODE, "Double.forward").node)
    assert not called_by_autograd(CODE, "main.py", function(CODE, "Plain.backward").node)
