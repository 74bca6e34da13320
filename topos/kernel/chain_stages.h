// Owns how a chain is done over one tile: link by link with their own kernels, and neighbours that are plain arithmetic
// as one program. Internal.
#pragma once
#include <vector>

#include "topos/kernel/arithmetic.h"
#include "topos/kernel/chain.h"

namespace topos::kernel {

/// Values of a chain are counted as links count them: the operands, then what the links give.
struct Instruction {
  Action action;
  bool in_scratch;  // `place` is a byte of scratch; else a value
  bool repeats;     // one number, repeated
  std::size_t place;
};

/// One of three: a program of arithmetic, an operand that is laid out for such programs, or a link by its kernel.
struct Stage {
  Arithmetic arithmetic = nullptr;
  std::vector<Instruction> program;
  Prepared kernel;
  std::size_t link = 0;
  std::size_t laid_out = 0;  // where in scratch the operand `link` is laid out; 0: `link` is a link
};
struct ChainTile {
  Extent volume = 0;
  std::vector<Stage> stages;  // none: a link has no kernel
};

/// Where in scratch an operand stands as programs read it; 0: nowhere.
struct OperandRoom {
  std::size_t repeated = 0;  // that is one number
  std::size_t laid_out = 0;  // that has gaps
};

/// Tiles are so many positions of one axis, and all axes behind it.
struct ChainTiles {
  std::size_t axis = 0;
  Extent length = 1;
  ChainTile whole, last;                   // of the length, and of what is left at the end of the axis
  std::vector<std::size_t> buffers;        // of each link but the last: where in scratch its result is
  std::vector<OperandRoom> rooms;          // of each operand
  std::vector<std::vector<Extent>> steps;  // bytes, by axis and operand; behind the operands the result
};

/// What a tile of the shape shows of a view.
View tile_view(const View& view, const Shape& shape);

/// Divides the chain into stages for tiles of the shape.
ChainTile stages_of(const Chain& chain, const View& result, const Shape& shape, const ChainTiles& tiles);

}  // namespace topos::kernel
