"""Operations whose result has another type today, and operations that take fewer types."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from voltfix.repair.observed import Value
from voltfix.repair.place import Mend, Place, called
from voltfix.repair.symptom import Symptom

_BOOL = "https://github.com/pytorch/pytorch/releases/tag/v1.2.0"
_PROMOTION = "https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc"
_INDEX = r"tensors used as indices must be long, int, byte or bool tensors"


def mixed(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """Operands of different types: the whole numbers become what the others are; doubles what the floats are."""
    operands = [(node, value) for node, value in _tensors(place) if value.dtype != "bool"]
    floats = [value for _, value in operands if value.is_floating]
    doubles = re.search("Float.*Double|Double.*Float", match.string) and not re.search("Long|Int|Byte", match.string)
    for node, value in operands if not doubles else ():
        if value.is_whole and (floats or "Float" in match.string or "float" in match.string):
            yield place.mend(
                "VF217", node, f"{place.atom(node)}.float()", "are whole numbers among fractions: .float()"
            )
    if len({value.dtype for value in floats}) > 1 or "Double" in match.string or "double" in match.string:
        for node, value in operands:
            if (
                value.dtype == "float64" and any(other.dtype == "float32" for other in floats)
            ) or value.dtype == "float64":
                yield place.mend("VF217", node, f"{place.atom(node)}.float()", "is of doubles among floats: .float()")
        for node, value in operands:
            if value.dtype == "float32":
                yield place.mend("VF217", node, f"{place.atom(node)}.double()", "is of floats among doubles: .double()")
    for node, value in operands:
        if value.dtype in ("int32", "int16", "uint8"):
            yield place.mend(
                "VF217", node, f"{place.atom(node)}.long()", "is of short integers among long ones: .long()"
            )


def _tensors(place: Place) -> Iterator[tuple[ast.expr, Value]]:
    """Tensors that are operands of what failed: names, attributes, items and results of calls, the outer first."""
    seen: set[str] = set()
    for node in place.within():
        value = place.value(node)
        plain = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp))
        if value is None or not value.is_tensor or not plain or isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        cast = isinstance(node, ast.Call) and not node.args and called(node) in ("float", "long", "double")
        if node is not place.failed and place.text(node) not in seen and not cast and not _is_written(place, node):
            seen.add(place.text(node))
            yield node, value


def _is_written(place: Place, node: ast.expr) -> bool:
    """Is it written in place? What a conversion makes of it would be written then, and lost."""
    above = place.parent(node)
    if isinstance(above, (ast.Subscript, ast.Attribute)) and isinstance(above.ctx, (ast.Store, ast.Del)):
        return True
    if isinstance(above, ast.Subscript):
        return above.value is node and _is_written(place, above)
    written = isinstance(above, ast.Attribute) and above.attr.endswith("_") and not above.attr.endswith("__")
    call = place.parent(above) if above is not None else None
    return written and isinstance(call, ast.Call) and isinstance(place.parent(call), ast.Expr)


def counted(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``mask.mean()``, ``counts.norm()``: fractions are asked of whole numbers."""
    for node in place.outwards():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            first = [node.args[0]] if node.args else []
            for owner in [node.func.value, *first]:
                value = place.value(owner)
                if value is not None and value.is_tensor and not value.is_floating:
                    yield place.mend("VF217", owner, f"{place.atom(owner)}.float()", "are whole numbers: .float()")
            if place.value(node.func.value) is None and not node.args:
                text = f"{place.atom(node.func.value)}.float()"
                yield place.mend("VF217", node.func.value, text, "are whole numbers: .float()")


def compared(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``1 - mask``, ``a - b`` of what comparisons give: bytes on 0.3."""
    for node in place.outwards():
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield place.mend("VF204", node.operand, f"{place.atom(node.operand)}.byte()", "was of bytes: .byte()")
        if not isinstance(node, (ast.BinOp, ast.Call)):
            continue
        if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant) and node.left.value == 1:
            right = place.value(node.right)
            if right is None or right.dtype == "bool":
                yield place.mend(
                    "VF204", node, f"~{place.atom(node.right)}", "is the opposite mask: ~", seen=place.seen(node.right)
                )
                continue
        if isinstance(node, ast.BinOp):
            sides = [node.left, node.right]
        else:
            sides = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            sides += node.args
        for side in sides:
            value = place.value(side)
            if value is not None and value.is_tensor and value.dtype == "bool":
                yield place.mend("VF204", side, f"{place.atom(side)}.byte()", "was of bytes: .byte()")
    statement = place.statement
    if isinstance(statement, ast.AugAssign):
        for side in (statement.value,):
            yield place.mend("VF204", side, f"{place.atom(side)}.byte()", "was of bytes: .byte()")


def masked(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """Masks of bytes."""
    for node, value in _tensors(place):
        if value.dtype == "uint8" and _stands_as_mask(place, node):
            yield place.mend("VF204", node, f"{place.atom(node)}.bool()", "is a mask of bytes: .bool()")
    found = any(value.dtype == "uint8" for _, value in _tensors(place))
    for node in place.outwards() if not found else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("masked_"):
            at = 0 if len(node.args) < 3 or node.func.attr == "masked_select" else 1
            for mask in node.args[1:2] if place.outside(node.func.value) == "torch" else node.args[at : at + 1]:
                yield place.mend("VF204", mask, f"{place.atom(mask)}.bool()", "is a mask of bytes: .bool()")
        if isinstance(node, ast.Subscript) and isinstance(node.slice, (ast.Name, ast.Call, ast.Attribute)):
            yield place.mend("VF204", node.slice, f"{place.atom(node.slice)}.bool()", "is a mask of bytes: .bool()")


def _stands_as_mask(place: Place, node: ast.expr) -> bool:
    above = place.parent(node)
    if isinstance(above, ast.Subscript):
        return above.slice is node
    if isinstance(above, ast.Tuple):
        return isinstance(place.parent(above), ast.Subscript)
    return isinstance(above, (ast.Call, ast.keyword))


def shaped(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``x[mask]`` of as many elements in another shape: they were paired in order."""
    for node in place.expressions():
        if isinstance(node, ast.Subscript):
            one, mask = place.value(node.value), place.value(node.slice)
            if one is None or mask is None or mask.dtype not in ("bool", "uint8") or mask.shape == one.shape:
                continue
            if one.is_tensor and mask.is_tensor and one.count == mask.count:
                text = f"{place.atom(node.slice)}.view_as({place.text(node.value)})"
                told = "is a mask of as many elements: .view_as()"
                yield place.mend("VF204", node.slice, text, told, seen=place.seen(node.slice))


def stored(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """``counts += fractions``: on 0.3 the result kept the type of what it was written to."""
    statement = place.statement
    if isinstance(statement, ast.AugAssign):
        target = place.text(statement.target)
        if isinstance(statement.op, ast.Div):
            owner, given = place.value(statement.target), place.value(statement.value)
            if (owner is None or not owner.is_floating) and (given is None or not given.is_floating):
                from voltfix.model import ReplaceStatement

                edit = ReplaceStatement(place.span(statement), f"{target} //= {place.text(statement.value)}")
                yield place.edited("VF217", statement, (edit,), "whole numbers were divided without a rest: //=",
                                   seen=place.seen(statement.target))  # fmt: skip
        value = place.value(statement.value)
        if value is not None and value.is_tensor:
            text = f"{place.atom(statement.value)}.type_as({target})"
            yield place.mend("VF217", statement.value, text, "is written to what has another type: .type_as()")
        elif value is not None and value.kind == "number":
            yield place.mend(
                "VF217", statement.value, f"int({place.text(statement.value)})", "is written to whole numbers: int()"
            )
    for node in place.outwards():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            for argument in node.args:
                value = place.value(argument)
                owner = place.value(node.func.value)
                if value is not None and value.is_tensor and (owner is None or owner.dtype != value.dtype):
                    text = f"{place.atom(argument)}.type_as({place.text(node.func.value)})"
                    yield place.mend("VF217", argument, text, "is written to what has another type: .type_as()")
                elif (
                    value is not None
                    and value.kind == "number"
                    and node.func.attr in ("div_", "mul_", "add_", "sub_")
                    and not _is_written(place, node.func.value)
                ):
                    text = f"{place.atom(node.func.value)}.float().{node.func.attr}"
                    yield place.mend("VF217", node.func, text, "are whole numbers: .float()")
                elif node.func.attr == "div_" and value is not None and value.kind == "number":
                    text = f"{place.text(node.func.value)}.floor_divide_"
                    yield place.mend("VF217", node.func, text, "whole numbers were divided without a rest")
    for node in place.outwards():  # a loss of fractions whose target are whole numbers
        if isinstance(node, ast.Call) and len(node.args) > 1 and not place.text(node.func).endswith("_"):
            given = place.value(node.args[1])
            if given is not None and given.is_tensor and given.is_whole:
                text = f"{place.atom(node.args[1])}.float()"
                yield place.mend("VF217", node.args[1], text, "are whole numbers among fractions: .float()")
    for node in place.expressions():
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(statement, ast.Assign):
            text = f"{place.atom(statement.value)}.type_as({place.text(node.value)})"
            yield place.mend("VF217", statement.value, text, "is written to what has another type: .type_as()")


def parameter(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A parameter, or a Variable that asks for gradients, of whole numbers: 0.3 let it be, and none ever came."""
    yield from _sizes(place)
    for node in place.outwards():
        if not isinstance(node, ast.Call):
            continue
        asked = next((keyword for keyword in node.keywords if keyword.arg == "requires_grad"), None)
        if asked is not None:
            yield place.mend("VF217", asked.value, "False", "are whole numbers, which take no gradients")
        elif isinstance(node.func, ast.Attribute) and node.func.attr in ("requires_grad_", "retain_grad"):
            yield place.mend("VF217", node, place.text(node.func.value), "are whole numbers, which take no gradients")
        elif len(node.args) == 1 and "Parameter" in place.text(node.func):
            text = f"{place.text(node.func)}({place.text(node.args[0])}, requires_grad=False)"
            yield place.mend(
                "VF217", node, text, "are whole numbers, which take no gradients", seen=place.seen(node.args[0])
            )


def _sizes(place: Place) -> Iterator[Mend]:
    """``torch.Tensor(n)`` of an ``n`` that was a number: a tensor of it today, not of that size."""
    for node in place.within():
        if (
            isinstance(node, ast.Call)
            and len(node.args) == 1
            and place.outside(node.func).rpartition(".")[2].endswith("Tensor")
        ):
            value = place.value(node.args[0])
            if value is not None and value.is_tensor and value.is_scalar and value.is_whole:
                text = f"{place.atom(node.args[0])}.item()"
                yield place.mend("VF202", node.args[0], text, "was a number, and says the size: .item()")


def target(place: Place, match: re.Match[str]) -> Iterator[Mend]:
    """A loss whose target, or whose indices, have a type that it takes no more."""
    wanted = (
        ".long()"
        if re.search(r"to be Long|types: Long|Long but found|must be long|dtype int", match.string)
        else ".float()"
    )
    for node in place.within():
        if not isinstance(node, (ast.Call, ast.Subscript)):
            continue
        given = [*node.args[1:], *node.args[:1]] if isinstance(node, ast.Call) else [node.slice]
        for argument in given:
            value = place.value(argument)
            again = isinstance(argument, ast.Call) and called(argument) in ("float", "long") and not argument.args
            fits = (
                not again
                and value is not None
                and value.is_tensor
                and (value.is_floating if wanted == ".long()" else not value.is_floating)
            )
            if fits:
                yield place.mend(
                    "VF217",
                    argument,
                    f"{place.atom(argument)}{wanted}",
                    f"has a type that is not taken today: {wanted}",
                )


SYMPTOMS = (
    Symptom(
        "VF204",
        "mask-of-another-shape",
        ("IndexError",),
        r"too many indices for tensor|shape of the mask",
        "masks of as many elements were paired in order",
        _BOOL,
        shaped,
    ),
    Symptom(
        "VF204",
        "mask-of-bytes",
        ("RuntimeError", "IndexError", "UserWarning"),
        r"expected BoolTensor for mask|only supports boolean masks|dtype torch\.uint8|uint8 condition"
        r"|expected condition to be a boolean",
        "masks were of bytes",
        _BOOL,
        masked,
    ),
    Symptom(
        "VF204",
        "arithmetic-of-masks",
        ("RuntimeError",),
        r"(Subtraction|Negation), the `-` operator",
        "comparisons gave bytes",
        _BOOL,
        compared,
    ),
    Symptom(
        "VF217",
        "fractions-of-whole-numbers",
        ("RuntimeError",),
        r"could not infer output dtype|std and var only support|Expected a floating point or complex tensor"
        r"|\"\w+\" not implemented for '(Long|Int|Byte|Bool)'|[Ii]nput dtype must be (either )?(a )?floating"
        r"|only supports? floating|expects? floating",
        "mean and norm took whole numbers",
        _PROMOTION,
        counted,
    ),
    Symptom(
        "VF217",
        "mixed-types",
        ("RuntimeError", "TypeError"),
        r"expected both vectors to have same dtype|to have the same dtype|must have the same dtype"
        r"|type \(.*\) and bias type|should be the same|expected scalar type|equal to src\.dtype"
        r"|Expected object of (scalar )?type|same dtype",
        "arange gave floats, and sums of whole numbers were numbers",
        _PROMOTION,
        mixed,
    ),
    Symptom(
        "VF217",
        "written-to-whole-numbers",
        ("RuntimeError",),
        r"can't be cast to the desired output type|Index put requires",
        "what is written in place kept its type",
        _PROMOTION,
        stored,
    ),
    Symptom(
        "VF217",
        "gradients-of-whole-numbers",
        ("RuntimeError",),
        r"nly Tensors of floating point (and complex )?dtype can require gradients",
        "no gradient ever came there",
        _PROMOTION,
        parameter,
    ),
    Symptom(
        "VF217",
        "type-of-a-target",
        ("RuntimeError", "IndexError"),
        r"expected target dtype|one of the following scalar types|Expected dtype int\d|Found dtype \w+ but expected|"
        + _INDEX,
        "a target had the type that its operations made then",
        _PROMOTION,
        target,
    ),
)
