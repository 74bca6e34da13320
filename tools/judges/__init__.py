"""What the tools that put emitted StableHLO before other implementations share.

frames       the format of frames, tensors and case files
modules      MLIR: parse, verify, signature, portable artifacts, values as results, cutting
engines      the StableHLO reference interpreter and XLA on the CPU, both out of the jaxlib wheel
service      the resident process that answers framed requests with an engine
worker       the client of such a process, with time-outs and restarts
toolchain    the pinned Python packages, and what to say when they are absent
"""
