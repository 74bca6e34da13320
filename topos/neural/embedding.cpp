#include "topos/neural/embedding.h"

#include "topos/neural/misuse.h"
#include "topos/spec/composite.h"

namespace topos {

Embedding::Embedding(Tape& tape, const Literal& table, Site site) {
  Composite scope(tape, site);
  const auto rows = tape.parameter(table);
  if (rows.shape().rank() != 2)
    neural::refuse_type("Embedding", "the table " + rows.type().text() + " is not [vocabulary, dim]",
                        {rows.type().text()}, site);
  table_ = rows;
}

Value Embedding::operator()(const Value& indices, Site site) const {
  const auto table = indices.resolve(table_);
  if (!(indices.element() == i64))
    neural::refuse_type("Embedding", "the indices " + indices.type().text() + " are not i64",
                        {table.type().text(), indices.type().text()}, site);
  return gather(table, indices, site);
}

}  // namespace topos
