// What a chain of elementwise kernels is: several steps as one pass over tiles that stay in the nearest cache.
#pragma once
#include <vector>

#include "topos/kernel/task.h"

namespace topos::kernel {

inline constexpr std::size_t max_links = 16;

/// A step of a chain: unary, binary, compare, select or convert. It rounds as the same step by itself does.
struct Link {
  Kind kind = Kind::unary;
  Function function = Function::add;    // unary and binary
  Direction direction = Direction::eq;  // compare
  ElementType element = f32;            // of its result
  std::size_t operand_count = 0;
  std::size_t operands[max_operands] = {};  // places among the chain's operands, followed by its links
};

struct ChainTiles;
struct ProductSteps;

/// Each link reads operands and links before it; the result of the last is the chain's.
struct Chain {
  std::vector<View> operands;  // of the result's shape, at most max_chain_operands
  /// Whether a chain follows a product: the first two operands, [batch.., m, k] and [batch.., k, n], are the product's.
  /// For links place 0 is its result, and none reads place 1. The result's memory is no operand's.
  bool follows_product = false;
  std::vector<Link> links;  // at least 1, at most max_links; none divides integers, for a chain refuses no number
  std::shared_ptr<const ChainTiles> tiles;    // how prepare() would have it done
  std::shared_ptr<const ProductSteps> steps;  // and of one that follows a product
};

}  // namespace topos::kernel
