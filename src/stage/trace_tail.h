// trace_tail.h: the lines that have been added to a trace since one last looked.
//
// It follows a file that other processes are writing; also where it is emptied, or removed and made
// again, as one does between two runs. For a finished trace see ../trace/reader.h.
#pragma once

#include <string>
#include <vector>

#include "election/record.h"
#include "node/descriptor.h"

namespace bully {

class TraceTail {
 public:
  // Makes the file, empty. Throws SetupError.
  explicit TraceTail(const std::string& path);

  // The records of all lines that are complete by now, as they stand in the file. A line that is
  // none, as a writer that crashed may leave it, is skipped.
  std::vector<Record> next();
  // The first line that was skipped: "FILE:LINE: why". Empty while there is none.
  const std::string& damage() const { return damage_; }

 private:
  void read_on();
  void take_lines(std::vector<Record>& records);
  // Whether the file has been emptied, or another one has its name. That is then read from its
  // beginning.
  bool begins_anew();

  std::string path_;
  Descriptor file_;
  std::size_t lines_ = 0;
  std::string rest_;  // of a line that is not complete yet
  std::string damage_;
};

}  // namespace bully
