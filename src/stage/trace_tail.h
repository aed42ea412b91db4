// trace_tail.h: the lines that have been added to a trace since one last looked.
//
// It follows a file that other processes are writing. For a finished trace see ../trace/reader.h.
#pragma once

#include <string>
#include <vector>

#include "node/descriptor.h"
#include "trace/record.h"

namespace bully {

class TraceTail {
 public:
  // Makes the file, empty. Throws SetupError.
  explicit TraceTail(const std::string& path);

  // The records of all lines that are complete by now, as they stand in the file. Throws TraceError
  // for a line that is none: what() says "FILE:LINE: why".
  std::vector<Record> next();

 private:
  std::string path_;
  Descriptor file_;
  std::size_t lines_ = 0;
  std::string rest_;  // of a line that is not complete yet
};

}  // namespace bully
