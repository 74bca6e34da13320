#!/usr/bin/env python3
"""Checks the house rules of this project over its own files; exits 1 and lists every place that breaks one.

Rules: layering, public-headers, public-op, neural-surface, example-headers, file-size, function-size, no-exit,
no-libm, no-omp, emitted, ascii, pragma-once, target-names, header-comment, words, white-space, op-pages, links,
exceptions.
CONTRIBUTING.md says what they are for. Only the standard library is used.
"""

import argparse
import pathlib
import re
import sys
import tempfile

# Folder -> the folders that its files may include; the closure over this table is what is allowed.
LAYERS = {
    "base": [],
    "element": ["base"],
    "type": ["element"],
    "tensor": ["type"],
    "stablehlo": ["type"],
    "op": ["type", "stablehlo"],
    "spec": ["op", "tensor"],
    "autodiff": ["spec"],
    "interpret": ["autodiff"],
    "kernel": ["type"],
    "backend": ["kernel"],
    "plan": ["autodiff", "kernel"],
    "execute": ["plan", "interpret", "kernel", "backend"],
    "emit": ["execute", "plan", "stablehlo"],
}
# These use the library as a user does: folders that a public map may show, and the maps themselves.
PUBLIC_USERS = {
    "neural": {"base", "element", "type", "tensor", "spec", "interpret", "neural"},
    "io": {"base", "element", "type", "tensor", "spec", "interpret", "neural", "io"},
}
PUBLIC_MAPS = ["topos/topos.h", "topos/model.h", "topos/compiler.h"]
PUBLIC_HEADERS = PUBLIC_MAPS + ["topos/custom.h"]
OP_LIST = "topos/op/op.h"

FILE_LINES = 400
FUNCTION_LINES = 60

# Reasoned exceptions: (rule, file) or (rule, file, function) -> the reason. One that nothing needs is a violation.
EXCEPTIONS = {}

LIBM = ("exp exp2 expm1 log log2 log10 log1p pow sin cos tan sinh cosh tanh asin acos atan atan2 asinh acosh atanh "
        "erf erfc tgamma lgamma cbrt hypot fmod remainder").split()

CODE = {".h", ".inc", ".cpp", ".py", ".cmake", ".sh", ".in"}
CPLUSPLUS = {".h", ".inc", ".cpp"}
TEXT = CODE | {".md", ".json", ".yml", ".yaml", ".toml"}
SKIPPED_FOLDERS = {".git", "build", "install", ".cache", "__pycache__"}

# Pieces are joined here so that this file does not hold the words itself.
FORBIDDEN = [
    (r"(?<![\w.])/" + r"(?:wo" + r"rk|ro" + r"ot|ho" + r"me)/", "a path of somebody's machine"),
    (r"\.\./sha" + r"red\b", "a path outside the project"),
    (r"(?:py" + r"pi\.org|python" + r"hosted\.org|crates\." + r"io|registry\.np" + r"mjs|proxy\.gol" + r"ang|"
     r"repo1?\.mav" + r"en|deb\.deb" + r"ian\.org|snapshot\.deb" + r"ian)", "the host of a package registry"),
    (r"\bA" + r"I agents?\b|\bsub" + r"agents?\b|\bLL" + r"M agents?\b", "a word about how this was made"),
    (r"\bspi" + r"kes?\b", "a word about how this was made"),
]
FORBIDDEN_IN_PROSE = [
    (r"\bthe pla" + r"tes?\b|\bsix pla" + r"tes\b", "a word about how this was made"),
    (r"\bthe stu" + r"dy\b|\bstu" + r"dy/", "a word about how this was made"),
    (r"\bdes" + r"ign\.md\b|\bsp" + r"ec\.md\b", "a document outside the project"),
]
IDENTIFIER_ONLY = "sess" + "ion"


class Tree:
    """The files of one checkout, read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = {}
        for path in sorted(self.root.rglob("*")):
            relative = path.relative_to(self.root)
            if SKIPPED_FOLDERS.intersection(relative.parts) or not path.is_file() or path.is_symlink():
                continue
            if is_text(path):
                self.files[relative.as_posix()] = path.read_text(encoding="utf-8", errors="replace")
        self.blank = {name: blank_comments(text) for name, text in self.files.items() if is_cplusplus(name)}
        self.includes = {name: find_includes(text) for name, text in self.files.items() if is_cplusplus(name)}

    def under(self, folder):
        return (name for name in self.blank if name.startswith(folder))


def is_text(path):
    if path.suffix in TEXT or path.name == "CMakeLists.txt" or path.name.startswith(".clang-"):
        return True
    return path.suffix == "" and path.parent.name in ("scripts", ".ci", "tools")


def is_cplusplus(name):
    return pathlib.PurePosixPath(name).suffix in CPLUSPLUS


def find_includes(text):
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]((?:topos|examples|tests|benchmarks)/[^>"]+)[>"]', line)
        if match:
            found.append((number, match[1]))
    return found


TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"'
                   r"|(?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)+'", re.S)


def blank_comments(text):
    """The text with comments and literals blanked, line structure kept. Include lines stay as they are."""

    def blank(match):
        token = match[0]
        line_start = text.rfind("\n", 0, match.start()) + 1
        if token.startswith('"') and re.match(r"\s*#\s*include", text[line_start:match.start()]):
            return token
        keep = token[0] + token[-1] if token[0] in "\"'" and len(token) > 1 else ""
        if keep and "\n" not in token:
            return keep[0] + " " * (len(token) - 2) + keep[1]
        return re.sub(r"[^\n]", " ", token)

    return TOKEN.sub(blank, text)


def allowed_folders(folder, table=None):
    table = LAYERS if table is None else table
    reached, todo = {folder}, [folder]
    while todo:
        for below in table.get(todo.pop(), []):
            if below not in reached:
                reached.add(below)
                todo.append(below)
    return reached


def reachable(tree, start):
    """Header -> the chain of files that leads to it, over all includes of project files."""
    chains, todo = {start: [start]}, [start]
    while todo:
        name = todo.pop()
        for _, included in tree.includes.get(name, []):
            if included not in chains:
                chains[included] = chains[name] + [included]
                todo.append(included)
    return chains


# Each rule yields (rule, file, line, text); function-size adds the function's name for the exceptions.

def check_layering(tree):
    for name in tree.under("topos/"):
        parts = name.split("/")
        folder = parts[1] if len(parts) > 2 else None
        if folder is None:
            if name not in PUBLIC_HEADERS:
                yield "layering", name, 1, "only the public headers stand directly in topos/"
            continue
        if folder not in LAYERS and folder not in PUBLIC_USERS:
            yield "layering", name, 1, f"folder topos/{folder} is not in the list of layers"
            continue
        allowed = PUBLIC_USERS.get(folder) or allowed_folders(folder)
        for line, included in tree.includes[name]:
            target = included.split("/")
            if target[0] != "topos":
                yield "layering", name, line, f"the library includes {included}"
            elif len(target) == 2:
                if folder not in PUBLIC_USERS:
                    yield "layering", name, line, f"topos/{folder} includes the public header {included}"
            elif target[1] not in allowed:
                yield "layering", name, line, f"topos/{folder} may not include topos/{target[1]}"


def check_public_headers(tree):
    for name in PUBLIC_HEADERS:
        if "topos/topos.h" in tree.files and name not in tree.files:
            yield "public-headers", name, 1, "missing"
    for name, includes in tree.includes.items():
        for line, included in includes:
            if included not in tree.files:
                yield "public-headers", name, line, f"no such file: {included}"


def check_public_op(tree):
    for name in PUBLIC_MAPS:
        if name in tree.files:
            chain = reachable(tree, name).get(OP_LIST)
            if chain:
                yield "public-op", name, 1, "reaches the list of opcodes: " + " -> ".join(chain)


def check_neural_surface(tree):
    public = set()
    for name in PUBLIC_MAPS:
        if name in tree.files:
            public.update(reachable(tree, name))
    if not public:
        return
    for folder in PUBLIC_USERS:
        for name in tree.under(f"topos/{folder}/"):
            for line, included in tree.includes[name]:
                if included not in public and not included.startswith(f"topos/{folder}/"):
                    yield "neural-surface", name, line, f"{included} is in none of the public maps"


def check_example_headers(tree):
    for name in tree.under("examples/"):
        for line, included in tree.includes[name]:
            if included.startswith("topos/") and included not in PUBLIC_HEADERS:
                yield "example-headers", name, line, f"examples include public headers only, not {included}"


def check_file_size(tree):
    for name in tree.blank:
        lines = len(tree.files[name].splitlines())
        if lines > FILE_LINES:
            yield "file-size", name, 1, f"{lines} lines, at most {FILE_LINES}"


def is_function_head(head):
    """Whether the text before a brace, at namespace or class level, begins a function."""
    head = strip_template_head(head).strip()
    if ")" not in head or head.endswith("=") or re.search(r"\b(?:namespace|extern)\b", head):
        return False
    return not re.match(r"(?:\[\[[^\]]*\]\]\s*|typedef\s+|static\s+|export\s+)*(?:class|struct|union|enum)\b(?![^{]*\)\s*"
                        r"(?:const|noexcept|override|final|\s)*$)", head)


def strip_template_head(head):
    while True:
        match = re.search(r"\btemplate\s*<", head)
        if not match:
            return head
        depth, end = 1, match.end()
        while end < len(head) and depth:
            depth += {"<": 1, ">": -1}.get(head[end], 0)
            end += 1
        head = head[:match.start()] + head[end:]


def find_functions(text):
    """Yields (first line, last line, name) of the outermost function bodies; text has its comments blanked."""
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.M)
    head, stack, function, position = 0, [], None, 0
    while position < len(text):
        character = text[position]
        if character == "{":
            before = text[head:position]
            kind = "block"
            if function is None:
                if re.search(r"\)\s*(?:noexcept\s*)?:(?!:).*[\w>]\s*$", before, re.S):
                    kind = "member"  # a member initialised with braces in a constructor's list
                elif is_function_head(before):
                    kind = "function"
                    start = head + len(before) - len(before.lstrip())
                    function = (start, re.findall(r"([\w~:]+)\s*\(", strip_template_head(before))[:1])
            stack.append(kind)
            if kind != "member":
                head = position + 1
        elif character == "}":
            kind = stack.pop() if stack else "block"
            if kind == "function":
                first = text.count("\n", 0, function[0]) + 1
                last = text.count("\n", 0, position) + 1
                yield first, last, (function[1] or ["?"])[0]
                function = None
            if kind != "member":
                head = position + 1
        elif character == ";" and function is None and text.count("(", head, position) == text.count(")", head, position):
            head = position + 1
        position += 1


def check_function_size(tree):
    for name, text in tree.blank.items():
        for first, last, function in find_functions(text):
            if last - first + 1 > FUNCTION_LINES:
                yield "function-size", name, first, f"{function}: {last - first + 1} lines, at most {FUNCTION_LINES}", function


def check_pattern(tree, rule, folder, pattern, text):
    for name in tree.under(folder):
        for number, line in enumerate(tree.blank[name].splitlines(), 1):
            match = re.search(pattern, line)
            if match:
                yield rule, name, number, f"{text}: {match[0].strip()}"


def check_no_exit(tree):
    pattern = (r"(?<![.>\w])(?:std::)?(?:abort|exit|_Exit|quick_exit|terminate)\s*\(|std::(?:cout|cerr|clog)\b"
               r"|\b(?:v?f?printf|puts|fputs|putchar)\s*\(|\bfmt::print\b")
    return check_pattern(tree, "no-exit", "topos/", pattern, "the library neither ends a program nor prints")


def check_no_libm(tree):
    names = "|".join(LIBM)
    pattern = rf"\bstd::(?:{names})[fl]?\s*\(|(?<![\w:.>])(?:{names})[fl]\s*\(|__builtin_(?:{names})[fl]?\b"
    return check_pattern(tree, "no-libm", "topos/", pattern, "bits must not depend on the C library")


def check_no_omp(tree):
    return check_pattern(tree, "no-omp", "topos/", r"^\s*#\s*pragma\s+omp\b", "the order of floats is ours to choose")


def check_emitted(tree):
    """Modules that tests emit are left for outside judges, which is one function's business."""
    for found in check_pattern(tree, "emitted", "tests/", r"\bemit_stablehlo\s*\(",
                               "tests emit through emitted() of support/emitted.h"):
        if found[1] not in ("tests/support/emitted.cpp", "tests/support/unrecorded.cpp") and not found[1].startswith("tests/package/outside/"):
            yield found


def check_ascii(tree):
    for name, text in tree.files.items():
        if pathlib.PurePosixPath(name).suffix == ".md":
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if not line.isascii():
                yield "ascii", name, number, "only ASCII in code"


def check_headers(tree):
    for name in tree.blank:
        if not name.endswith(".h"):
            continue
        if not re.search(r"^#pragma once\s*$", tree.files[name], re.M):
            yield "pragma-once", name, 1, "a header has #pragma once"
        if not re.match(r"//|/\*", tree.files[name]):
            yield "header-comment", name, 1, "a header begins with a comment that says what it owns"


TEMPLATE = re.compile(r"^template <[^\n]*>\n(?:requires[^\n]*\n)?(?:using (\w+) =|(?:struct|class) (\w+)|"
                      r"(?:[\w:<>,*& ]+?[ *&])(\w+)(?:\(| = |;))", re.M)


def check_target_names(tree):
    """Files compiled for each vector target share its namespace: two templates of one name there are one to the linker."""
    seen = {}
    for name in tree.under("topos/"):
        if "HWY_NAMESPACE {" not in tree.blank.get(name, ""):
            continue
        here = set()
        for match in TEMPLATE.finditer(tree.blank[name]):
            word = match[1] or match[2] or match[3]
            key = (name.split("/")[1], word)
            if word in here:
                continue  # overloads and specialisations of one file
            here.add(word)
            if key in seen:
                line = tree.blank[name].count("\n", 0, match.start()) + 2
                yield "target-names", name, line, f"{word} is also a template of {seen[key]}: give one another name"
            else:
                seen[key] = name


def check_words(tree):
    for name, text in tree.files.items():
        patterns = FORBIDDEN + (FORBIDDEN_IN_PROSE if name.endswith(".md") else [])
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, reason in patterns:
                match = re.search(pattern, line)
                if match:
                    yield "words", name, number, f"{reason}: {match[0]}"
            prose = re.sub(r"`[^`]*`", "", line)
            if re.search(rf"\b{IDENTIFIER_ONLY}s?\b", prose, re.I):
                # A file of C++ whose code has the identifier may also speak of it.
                if not re.search(rf"\b{IDENTIFIER_ONLY}s?\b", tree.blank.get(name, ""), re.I):
                    yield "words", name, number, f"{IDENTIFIER_ONLY} only as an identifier of C++"


def check_white_space(tree):
    for name, text in tree.files.items():
        for number, line in enumerate(text.splitlines(), 1):
            if line != line.rstrip():
                yield "white-space", name, number, "white space at the end of the line"
            if "\t" in line:
                yield "white-space", name, number, "a tab"
        if text and not text.endswith("\n"):
            yield "white-space", name, len(text.splitlines()), "no line end at the end of the file"


def check_op_pages(tree):
    text = tree.blank.get(OP_LIST)
    if text is None:
        return
    match = re.search(r"using\s+Op\s*=\s*std::variant\s*<([^;]*)>\s*;", text)
    if not match:
        yield "op-pages", OP_LIST, 1, "no line 'using Op = std::variant<...>;'"
        return
    headings = set()
    for name, page in tree.files.items():
        if name.startswith("docs/ops/") and name.endswith(".md"):
            for heading in re.findall(r"^#{2,3} (.*)$", page, re.M):
                headings.update(re.findall(r"(?:^|,|\band\b)\s*`?(\w+)", heading))
    line = text.count("\n", 0, match.start()) + 1
    for opcode in re.findall(r"(?:\w+::)*(\w+)", match[1]):
        if opcode not in headings:
            yield "op-pages", OP_LIST, line, f"{opcode} has no section '## {opcode}' in docs/ops/"


def check_links(tree):
    for name, text in tree.files.items():
        if not name.endswith(".md"):
            continue
        folder = (tree.root / name).parent
        for number, line in enumerate(text.splitlines(), 1):
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"`[^`]*`", "", line)):
                if not re.match(r"\w+:", target) and not (folder / target).exists():
                    yield "links", name, number, f"no such file: {target}"


RULES = [check_layering, check_public_headers, check_public_op, check_neural_surface, check_example_headers,
         check_file_size, check_function_size, check_no_exit, check_no_libm, check_no_omp, check_emitted, check_ascii, check_headers,
         check_target_names, check_words, check_white_space, check_op_pages, check_links]


def violations(root, exceptions):
    tree, used, found = Tree(root), set(), []
    for rule in RULES:
        for violation in rule(tree):
            keys = [(violation[0], violation[1])]
            if len(violation) > 4:
                keys.append((violation[0], violation[1], violation[4]))
            granted = [key for key in keys if key in exceptions]
            used.update(granted)
            if not granted:
                found.append(violation[:4])
    for key in exceptions:
        if key not in used:
            found.append(("exceptions", "scripts/check.py", 1, f"nothing needs the exception {key}"))
    return found


CLEAN_TREE = {
    "topos/topos.h": '// All.\n#pragma once\n#include "topos/model.h"\n',
    "topos/model.h": '// Train.\n#pragma once\n#include "topos/base/a.h"\n#include "topos/neural/n.h"\n',
    "topos/compiler.h": "// Inspect.\n#pragma once\n",
    "topos/custom.h": '// Extend.\n#pragma once\n#include "topos/op/op.h"\n',
    "topos/base/a.h": '// A.\n#pragma once\nnamespace topos {\ninline double f(double x) { return std::fma(x, x, 1.0); }\n}\n',
    "topos/base/target.cpp": "namespace topos::HWY_NAMESPACE {\ntemplate <class T>\nT twin(T x) {\n  return x;\n}\n}\n",
    "topos/op/op.h": "// Ops.\n#pragma once\nnamespace topos::op {\nusing Op = std::variant<Leaf, op::Add>;\n}\n",
    "topos/neural/n.h": '// N.\n#pragma once\n#include "topos/base/a.h"\n',
    "docs/ops/all.md": "# All\n\n## Leaf\n\ntext, see [the map](../map.md)\n\n## Add\n",
    "docs/map.md": "# Map\n",
    "examples/e.cpp": "#include <topos/topos.h>\nint main() { exp(1); }\n",
}


def long_function(lines):
    body = "\n".join("  a = b;" for _ in range(lines))
    return ("// L.\n#pragma once\ntemplate <class V, class W = void>\nstruct S {\n  int x = 0;\n  S() : x{1}, y_{2} {\n"
            + body + "\n  }\n  int z[2] = {1, 2};\n};\n")


# The rules that a file with this text breaks; no other is broken.
PLANTED = [
    ("layering", "topos/base/b.h", '// B.\n#pragma once\n#include "topos/op/op.h"\n'),
    ("layering", "topos/base/b.cpp", "#include <topos/topos.h>\n"),
    ("layering", "topos/base/b.cpp", '#include "examples/e.cpp"\n'),
    ("layering", "topos/unheard/b.cpp", "int b;\n"),
    ("layering neural-surface", "topos/neural/b.cpp", '#include "topos/op/op.h"\n'),
    ("public-headers", "topos/base/b.cpp", '#include "topos/base/none.h"\n'),
    ("public-op", "topos/compiler.h", '// C.\n#pragma once\n#include "topos/custom.h"\n'),
    ("neural-surface", "topos/neural/n.cpp", '#include "topos/custom.h"\n'),
    ("example-headers", "examples/f.cpp", "#include <topos/base/a.h>\n"),
    ("file-size", "topos/base/b.cpp", "int b();\n" * 401),
    ("function-size", "topos/base/b.h", long_function(61)),
    ("no-exit", "topos/base/b.cpp", 'void b() { std::abort(); }\n'),
    ("no-exit", "topos/base/b.cpp", 'void b() { std::cout << 1; }\n'),
    ("no-exit", "topos/base/b.cpp", 'void b() { fprintf(stderr, "x"); }\n'),
    ("no-libm", "topos/base/b.cpp", "double b(double x) { return std::tanh(x); }\n"),
    ("no-libm", "topos/base/b.cpp", "float b(float x) { return expf(x); }\n"),
    ("no-omp", "topos/base/b.cpp", "#pragma omp simd\n"),
    ("emitted", "tests/emit/b_test.cpp", "auto text = plan.emit_stablehlo(options);\n"),
    ("ascii", "topos/base/b.cpp", "// na\u00efve\n"),
    ("pragma-once", "topos/base/b.h", "// B.\nint b();\n"),
    ("header-comment", "topos/base/b.h", "#pragma once\n// B.\n"),
    ("target-names", "topos/base/b.cpp",
     "namespace topos::HWY_NAMESPACE {\ntemplate <class T>\nT twin(T x) {\n  return x;\n}\n}\n"),
    ("words", "docs/map.md", "see /wo" + "rk/main\n"),
    ("words", "docs/map.md", "the last sess" + "ion\n"),
    ("words", "topos/base/b.cpp", "// the sess" + "ion of it\nint b;\n"),
    ("words", "docs/map.md", "the pla" + "tes of the page\n"),
    ("white-space", "docs/map.md", "text \n"),
    ("white-space", "topos/base/b.cpp", "int b;\t// tab\n"),
    ("white-space", "topos/base/b.cpp", "int b;"),
    ("op-pages", "docs/ops/all.md", "# All\n\n## Leaf\n"),
    ("links", "docs/map.md", "[nowhere](none.md)\n"),
]
INNOCENT = [
    ("tests/support/emitted.cpp", "auto text = plan.emit_stablehlo(options);\n"),
    ("tests/package/outside/main.cpp", "auto text = plan.emit_stablehlo();\n"),
    ("topos/base/b.h", long_function(50)),
    ("topos/base/b.cpp", "int sess" + "ion = 0;  // `sess" + "ion` is a number\n"),
    ("topos/base/b.cpp", '// std::cout, exit(1) and std::exp(x) in a comment\nconst char* b = "std::exp(1) printf(";\n'),
    ("topos/base/b.cpp", "auto b = exp(x) + w.exit(1) + std::sqrt(2.0) + 1'000 + std::fma(a, b, c);\n"),
]


def self_test():
    failures = []

    def rules_of(changes, exceptions=None):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**CLEAN_TREE, **changes}.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return [violation[0] for violation in violations(folder, exceptions or {})]

    def expect(what, got, wanted):
        if got != wanted:
            failures.append(f"{what}: found {got}, expected {wanted}")

    expect("the clean tree", rules_of({}), [])
    for name, text in INNOCENT:
        expect(f"innocent {name}: {text[:50]!r}", rules_of({name: text}), [])
    for rule, name, text in PLANTED:
        expect(f"planted in {name}: {text[:50]!r}", sorted(set(rules_of({name: text}))), rule.split())
    big = {"topos/base/b.cpp": "int b();\n" * 401}
    expect("an exception", rules_of(big, {("file-size", "topos/base/b.cpp"): "a table"}), [])
    expect("an exception of a function",
           rules_of({"topos/base/b.h": long_function(61)}, {("function-size", "topos/base/b.h", "S"): "a table"}), [])
    expect("a stale exception", rules_of({}, {("file-size", "topos/base/b.cpp"): "a table"}), ["exceptions"])
    for failure in failures:
        print(failure)
    print(f"self-test: {len(PLANTED)} planted violations, {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent,
                        help="the checkout to look at (default: the one this script is in)")
    parser.add_argument("--self-test", action="store_true", help="plant a violation of each rule and see it found")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    found = violations(arguments.root, EXCEPTIONS)
    for rule, name, line, text in found:
        print(f"{name}:{line}: {rule}: {text}")
    print(f"house rules: {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
