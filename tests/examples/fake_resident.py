"""A resident process without an engine: its one program gives its arguments back. fake_resident.py [EXIT_CODE]

LOAD takes the text `identity N`, the number of arguments and of results. Tensors are bytes that are never looked into,
but for what their length takes.
"""

import struct
import sys

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


def run(payload, slots):
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
    if results != count:
        raise Refusal(f"{results} results named, the program has {count}")
    for slot in given_up:
        del slots[slot]
    for (kind, slot), value in zip(wanted, values):
        if kind == 1:
            slots[slot] = value
    return b"".join(value for (kind, _), value in zip(wanted, values) if kind == 0)


def answer(verb, payload, slots, programs):
    if verb == 2:
        words = payload.decode().split()
        if len(words) != 2 or words[0] != "identity":
            raise Refusal(f"no module: {payload.decode()}\nline 2 of the reason")
        programs.append(int(words[1]))
        return struct.pack("<III", len(programs) - 1, programs[-1], programs[-1])
    if verb == 3:
        slots[struct.unpack_from("<I", payload)[0]] = payload[8:]
        return b""
    if verb == 4:
        return held(slots, struct.unpack("<II", payload)[0])
    if verb == 5:
        if struct.unpack_from("<I", payload)[0] >= len(programs):
            raise Refusal("no such program")
        return run(payload, slots)
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
