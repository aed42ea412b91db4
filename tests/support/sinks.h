// sinks.h: what a test does with the records of a run, if it does not keep all of them.
#pragma once

#include <functional>
#include <utility>

#include "election/record.h"

namespace bully {

struct Unread : Sink {
  void record(const Record&) override {}
};

// Does this with each.
class EachRecord : public Sink {
 public:
  explicit EachRecord(std::function<void(const Record&)> take) : take_(std::move(take)) {}
  void record(const Record& record) override { take_(record); }

 private:
  std::function<void(const Record&)> take_;
};

}  // namespace bully
