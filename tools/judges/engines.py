"""Two implementations of StableHLO out of the jaxlib wheel alone: the reference interpreter, and XLA on the CPU.

A program is an engine's class made from a module's text. It has `inputs` and `outputs` (Specs); called with arrays
it gives arrays. `execute` does the same with values in the engine's own memory, which `put` and `get` convert.

XLA reads its flags once, when it starts: strict ones, unless TOPOS_XLA_FLAGS holds others ("" for its defaults).
"""

import os

from judges import flags

os.environ["XLA_FLAGS"] = os.environ.get("TOPOS_XLA_FLAGS", flags.STRICT)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # otherwise the client greets on stderr

import numpy as np
from jaxlib import _jax, xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from judges import modules, toolchain
from judges.frames import ELEMENTS
from judges.modules import Spec

BF16 = ELEMENTS["bf16"]


class Interpreter:
    """The reference interpreter. It ends the process on an operation that it lacks: run it in a process of its own."""

    def __init__(self, text):
        self.module = modules.parse(text)
        self.inputs, self.outputs = modules.signature(self.module)
        self._elements = [type_.element_type for type_ in modules.entry(self.module).type.inputs]
        modules.legalize(self.module)
        self._return_bits_of_bf16()

    def _return_bits_of_bf16(self):
        """The bindings have no buffer for bf16 results: returns them as ui16."""
        main = modules.entry(self.module)
        *_, last = main.entry_block.operations
        with self.module.context, ir.Location.unknown(), ir.InsertionPoint(last):
            bits = ir.IntegerType.get_unsigned(16)
            for index, (value, spec) in enumerate(zip(list(last.operands), self.outputs)):
                if spec.dtype == BF16:
                    last.operands[index] = stablehlo.bitcast_convert(ir.RankedTensorType.get(spec.shape, bits), value)
            results = [value.type for value in last.operands]
            main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(main.type.inputs, results))

    @staticmethod
    def put(array):
        return array

    @staticmethod
    def get(value):
        return value

    @staticmethod
    def is_gone(value):
        return False

    def execute(self, arrays):
        """Arrays to arrays. Throws ModuleError."""
        with self.module.context, ir.Location.unknown():
            attributes = [self._attribute(*one) for one in zip(arrays, self._elements)]
            try:
                results = stablehlo.eval_module(self.module, attributes)
            except (ir.MLIRError, ValueError, RuntimeError) as error:
                raise modules.ModuleError(f"the interpreter failed: {error}") from None
            return [np.array(result).view(spec.dtype).reshape(spec.shape)
                    for result, spec in zip(results, self.outputs)]

    @staticmethod
    def _attribute(array, element):
        bits = array.view(np.uint16) if array.dtype == BF16 else array
        return ir.DenseElementsAttr.get(np.asarray(bits, order="C"), type=element, shape=list(array.shape))

    def __call__(self, *arrays):
        modules.check_arguments([Spec.of(array) for array in arrays], self.inputs)
        return self.execute(arrays)


class _Sharding(xla_client.SingleDeviceSharding):
    """As much of a sharding as a transfer to the device asks for."""

    memory_kind = None

    def _to_xla_hlo_sharding(self, rank):
        return xla_client.HloSharding.replicate()


class _Aval:
    """What a transfer wants to know of an array."""

    weak_type = False

    def __init__(self, array):
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim


class Xla:
    """XLA on the CPU, with one client a process."""

    _client = None
    _device = None

    @classmethod
    def start(cls):
        """Makes the client unless there is one. Throws ToolchainError if jaxlib is not as the pinned version."""
        if cls._client is None:
            if not hasattr(_jax, "batched_device_put"):
                raise toolchain.moved("_jax.batched_device_put")
            cls._client = xla_client.make_cpu_client(asynchronous=False, num_devices=1)
            cls._device = cls._client.local_devices()[0]

    def __init__(self, text):
        self.start()
        module = modules.parse(text)
        self.inputs, self.outputs = modules.signature(module)
        with module.context:  # XLA knows the function that is run by this name only
            modules.entry(module).attributes["sym_name"] = ir.StringAttr.get("main")
        self._executable = self._client.compile_and_load(
            module, xla_client.DeviceList((self._device,)), xla_client.CompileOptions())

    @classmethod
    def put(cls, array):
        """A copy of the array as a buffer of the device. Throws ToolchainError."""
        cls.start()
        array = np.asarray(array, order="C")
        try:
            return _jax.batched_device_put(
                _Aval(array), _Sharding(cls._device), [array], [cls._device], True, enable_x64=True,
                host_buffer_semantics=_jax.HostBufferSemantics.IMMUTABLE_ONLY_DURING_CALL)
        except (TypeError, AttributeError) as error:
            raise toolchain.moved(f"_jax.batched_device_put in this form ({error})") from error

    @staticmethod
    def get(buffer):
        """A buffer's array, which nobody else writes."""
        return buffer._single_device_array_to_np_array_did_copy()[0]

    @staticmethod
    def is_gone(buffer):
        """Whether the buffer was donated to a run."""
        return buffer.is_deleted()

    def execute(self, buffers):
        """Buffers to buffers. Throws jaxlib's JaxRuntimeError."""
        return self._executable.execute(list(buffers))

    def __call__(self, *arrays):
        modules.check_arguments([Spec.of(array) for array in arrays], self.inputs)
        return [self.get(buffer) for buffer in self.execute(map(self.put, arrays))]


# Name on command lines -> class. xla-default is XLA in a process of its own, with TOPOS_XLA_FLAGS empty.
ENGINES = {"interpreter": Interpreter, "xla": Xla, "xla-default": Xla}
