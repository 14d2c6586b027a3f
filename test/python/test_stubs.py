# SPDX-License-Identifier: Apache-2.0
"""The type stubs say what is there: every name and signature, and nothing else."""

import ast
import pathlib
import unittest

import fivebar
from fivebar import _fivebar

STUBS = pathlib.Path(fivebar.__file__).parent / "_fivebar.pyi"


def split(text):
    """Parts between commas that are not inside of brackets or quotes."""
    parts, depth, quote, start = [], 0, None, 0
    for index, letter in enumerate(text):
        if quote:
            quote = None if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{<":
            depth += 1
        elif letter in ")]}" or (letter == ">" and text[index - 1] != "-"):
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def signature_of_docstring(function):
    """(name, has default) of each parameter by the first line that pybind11 writes."""
    line = function.__doc__.splitlines()[0]
    depth = 0
    begin = line.index("(")
    for end in range(begin, len(line)):
        depth += {"(": 1, ")": -1}.get(line[end], 0)
        if depth == 0:
            break
    found = []
    for part in split(line[begin + 1 : end]):
        name = part.split(":")[0].split("=")[0].strip()
        default = part.rpartition("=")[2].strip() if "=" in part else None
        found.append((name, default))
    return found


def signature_of_stub(function):
    arguments = function.args
    found = []
    positional = arguments.posonlyargs + arguments.args
    without = len(positional) - len(arguments.defaults)
    for index, argument in enumerate(positional):
        default = arguments.defaults[index - without] if index >= without else None
        found.append((argument.arg, default and ast.unparse(default)))
    if arguments.kwonlyargs:
        found.append(("*", None))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        found.append((argument.arg, default and ast.unparse(default)))
    return found


def public(names):
    return {name for name in names if not name.startswith("_") or name in ("__len__", "__init__")}


class Stubs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = ast.parse(STUBS.read_text())

    def stubs(self, kind):
        return {node.name: node for node in self.tree.body if isinstance(node, kind)}

    def constants(self):
        return {
            node.target.id for node in self.tree.body if isinstance(node, ast.AnnAssign)
        }

    def test_every_name_is_in_the_stubs_and_the_other_way_round(self):
        told = {*self.stubs(ast.ClassDef), *self.stubs(ast.FunctionDef), *self.constants()}
        self.assertEqual(public(told), public(vars(_fivebar)))

    def test_every_public_name_can_be_imported(self):
        errors = {
            "Error", "HardwareFailure", "InputError", "LeavesWorkspace", "MechanismError", "NotReachable",
        }
        self.assertEqual(public(fivebar.__all__) - errors, public(vars(_fivebar)))
        self.assertEqual(len(set(fivebar.__all__)), len(fivebar.__all__))
        for name in fivebar.__all__:
            self.assertTrue(hasattr(fivebar, name), name)

    def test_functions_have_the_parameters_that_the_stubs_say(self):
        for name, stub in self.stubs(ast.FunctionDef).items():
            with self.subTest(name):
                self.assertEqual(
                    signature_of_docstring(getattr(_fivebar, name)), signature_of_stub(stub)
                )

    def test_classes_have_the_members_that_the_stubs_say(self):
        for name, stub in self.stubs(ast.ClassDef).items():
            bound = getattr(_fivebar, name)
            members = {node.name: node for node in stub.body}
            there = public(vars(bound))
            if "__init__" in there and "__init__" not in members:
                # pybind11 gives every class one, which refuses where there is no constructor.
                with self.assertRaisesRegex(TypeError, "No constructor"):
                    bound()
                there.remove("__init__")
            with self.subTest(name):
                self.assertEqual(set(members), there)
            for member, node in members.items():
                with self.subTest(f"{name}.{member}"):
                    value = vars(bound)[member]
                    if node.decorator_list:
                        self.assertIsInstance(value, property)
                        self.assertIsNone(value.fset)
                    elif member != "__len__":
                        found = signature_of_docstring(getattr(bound, member))
                        self.assertEqual(found, signature_of_stub(node))

    def test_what_the_stubs_return_is_what_comes(self):
        robot = fivebar.load_robot()
        request = fivebar.load_request(fivebar.find_config("curves/b_gentle.yaml"))
        plan = fivebar.plan(robot, request)
        owners = [
            robot, request, plan, request.stages[0], plan.history[0], robot.pose(*robot.home),
            fivebar.Plant(), fivebar.load_controller(), fivebar.play(robot, plan),
            fivebar.Problem(robot, request), fivebar.compare(robot, plan),
        ]
        plain = {"str": str, "float": float, "int": int, "bool": bool}
        for owner in owners:
            for node in self.stubs(ast.ClassDef)[type(owner).__name__].body:
                wanted = plain.get(ast.unparse(node.returns))
                if node.decorator_list and wanted:
                    with self.subTest(owner=owner, member=node.name):
                        self.assertIs(type(getattr(owner, node.name)), wanted)

    def test_every_function_and_class_explains_itself(self):
        for name in public(vars(_fivebar)) - self.constants():
            text = getattr(_fivebar, name).__doc__
            explanation = text if isinstance(getattr(_fivebar, name), type) else text.split("\n", 1)[1]
            self.assertGreater(len(explanation.strip()), 10, name)


if __name__ == "__main__":
    unittest.main()
