"""Writes the ```cpp blocks of a Markdown file as programs: extract.py README.md FOLDER.

A block with its own main is taken as it stands. Of any other, the #include lines go to the top and the rest becomes
the body of main. A ```text block that follows with no other block between is the expected output, kept beside the
program. Prints the programs' names as a CMake list.
"""

import pathlib
import re
import sys


def blocks(text):
    """Yields (language, number of the first line inside, lines) of each fenced block."""
    language, start, lines = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if language is None:
            fence = re.match(r"```(\w*)\s*$", line)
            if fence:
                language, start, lines = fence[1], number + 1, []
        elif line.rstrip() == "```":
            yield language, start, lines
            language = None
        else:
            lines.append(line)


def program(path, start, lines):
    place = f'#line {start} "{path}"'
    if any(re.match(r"int main\(", line) for line in lines):
        return "\n".join([place, *lines, ""])
    is_include = [line.startswith("#include") for line in lines]
    includes = [line for line, include in zip(lines, is_include) if include]
    body = ["" if include else line for line, include in zip(lines, is_include)]
    return "\n".join([*includes, "int main() {", place, *body, "}", ""])


def write(path, text):
    """Leaves a file alone that already holds the text, so that nothing is rebuilt for it."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    names, open_program = [], False
    for language, start, lines in blocks(source.read_text(encoding="utf-8")):
        if language == "cpp":
            names.append(f"{source.stem.lower()}_{len(names) + 1}")
            write(folder / f"{names[-1]}.cpp", program(source, start, lines))
            write(folder / f"{names[-1]}.txt", "")
        elif language == "text" and open_program:
            write(folder / f"{names[-1]}.txt", "\n".join(lines) + "\n")
        open_program = language == "cpp"
    print(";".join(names))


main()
