// Embedding: a learned row for each class.
#pragma once
#include <vector>

#include "topos/spec/tape.h"

namespace topos {

/// A table of rows that is read by index. It holds its parameter's name, as Linear does.
class Embedding {
 public:
  /// Records Parameter `table` [vocabulary, dim]. Throws Error(type) for another rank.
  Embedding(Tape& tape, const Literal& table, Site site = Site::current());

  /// For i64 indices of any shape records Gather: the indices' shape, then dim. An index out of range throws
  /// Error(index) at the run. Throws Error(type) for another element, and Error(family) or Error(coverage) on a tape
  /// that lacks the table.
  Value operator()(const Value& indices, Site site = Site::current()) const;

  Symbol table() const { return table_; }
  std::vector<Symbol> parameters() const { return {table_}; }

 private:
  Symbol table_;
};

}  // namespace topos
