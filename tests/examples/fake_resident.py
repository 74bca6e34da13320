"""A resident process without an engine. fake_resident.py [EXIT_CODE]

LOAD takes the text `identity N`, a program that gives its N arguments back; and an emitted training step, of which it
makes a wrong one: the loss is always 9, and the state stays as it is. Tensors are bytes that are never looked into, but
for what their length takes.
"""

import re
import struct
import sys

NINE = struct.pack("<BB6xf4x", 12, 0, 9)
ITEM_SIZES = {1: 1, 5: 8, 10: 2, 12: 4, 13: 8}


class Refusal(Exception):
    """The text of an ERROR."""


def split_tensor(payload, start):
    """The bytes of the tensor at `start`, and where the next thing begins."""
    code, rank = payload[start], payload[start + 1]
    end = start + 8 + 8 * rank
    size = ITEM_SIZES[code]
    for extent in struct.unpack_from(f"<{rank}q", payload, start + 8):
        size *= extent
    end += size + -size % 8
    return payload[start:end], end


def held(slots, number):
    if number not in slots:
        raise Refusal(f"slot {number} holds nothing")
    return slots[number]


def declared(text):
    """The numbers of arguments and of results of a module, and whether a wrong loss comes before the arguments."""
    if match := re.fullmatch(r"identity (\d+)", text):
        return int(match[1]), int(match[1]), False
    if match := re.match(r"module.*? @main\((.*?)\) -> \((.*?)\) \{\n", text, re.S):
        return match[1].count("%arg"), match[2].count("tensor<"), True
    raise Refusal(f"no module: {text}\nline 2 of the reason")


def run(payload, slots, programs):
    arguments, declared_results, wrong = programs[struct.unpack_from("<I", payload)[0]]
    count, position, values, given_up = struct.unpack_from("<I", payload, 4)[0], 8, [], []
    for _ in range(count):
        kind, slot = struct.unpack_from("<II", payload, position)
        position += 8
        if kind == 0:
            value, position = split_tensor(payload, position)
        else:
            value = held(slots, slot)
            given_up += [slot] * (kind == 2)
        values.append(value)
    results, zero = struct.unpack_from("<II", payload, position)
    wanted = [struct.unpack_from("<II", payload, position + 8 + 8 * i) for i in range(results)]
    if zero != 0 or position + 8 + 8 * results != len(payload):
        raise Refusal("the request is not laid out as a RUN")
    if (count, results) != (arguments, declared_results):
        raise Refusal(f"{count} arguments and {results} results, the program has {arguments} and {declared_results}")
    if wrong:
        values = [NINE, *values]
    for slot in given_up:
        del slots[slot]
    for (kind, slot), value in zip(wanted, values):
        if kind == 1:
            slots[slot] = value
    return b"".join(value for (kind, _), value in zip(wanted, values) if kind == 0)


def answer(verb, payload, slots, programs):
    if verb == 2:
        programs.append(declared(payload.decode()))
        return struct.pack("<III", len(programs) - 1, *programs[-1][:2])
    if verb == 3:
        slots[struct.unpack_from("<I", payload)[0]] = payload[8:]
        return b""
    if verb == 4:
        return held(slots, struct.unpack("<II", payload)[0])
    if verb == 5:
        if struct.unpack_from("<I", payload)[0] >= len(programs):
            raise Refusal("no such program")
        return run(payload, slots, programs)
    if verb == 7:
        kind, number = struct.unpack("<II", payload)
        if kind == 0:
            held(slots, number)
            del slots[number]
        return b""
    if verb == 6:
        return b""
    raise Refusal(f"unknown verb {verb}")


def main():
    source, sink, slots, programs = sys.stdin.buffer, sys.stdout.buffer, {}, []
    while head := source.read(16):
        verb, zero, length = struct.unpack("<IIQ", head)
        payload = source.read(length)
        try:
            verb_of_answer, text = zero, answer(verb, payload, slots, programs)
        except Refusal as refusal:
            verb_of_answer, text = 1, str(refusal).encode()
        sink.write(struct.pack("<IIQ", verb_of_answer, 0, len(text)) + text)
        sink.flush()
        if verb == 6:
            return int(sys.argv[1]) if len(sys.argv) > 1 else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
