// The scope that a composite opens: its nodes carry the caller's line, and an exception takes them back.
#pragma once
#include "topos/spec/value.h"

namespace topos {

class Tape;

/// While one is alive, every node recorded on the tape carries the line of the outermost scope; if an exception leaves
/// it, what was recorded inside is taken back, so that a composite is recorded whole or not at all.
///
///   Value relu(const Value& x, Site site = Site::current()) {
///     Composite scope(x, site);
///     return maximum(x, 0.0);
///   }
class Composite {
 public:
  Composite(const Value& value, const Site& site);
  Composite(Tape& tape, const Site& site);
  Composite(Recorder& recorder, const Site& site);
  ~Composite();
  Composite(const Composite&) = delete;
  Composite& operator=(const Composite&) = delete;

 private:
  Recorder& recorder_;
  const Site* outer_;
  Site site_;
  Index nodes_;
  std::size_t links_, parameters_, inputs_;
  int exceptions_;
};

}  // namespace topos
