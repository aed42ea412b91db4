// pipe.h: a pipe whose two ends each have an owner. Neither end blocks or survives an exec.
#pragma once

#include "node/descriptor.h"

namespace bully {

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// `purpose` names the pipe in the SetupError that it throws.
Pipe make_pipe(const char* purpose);

// Both set a flag of an open descriptor.
void set_close_on_exec(int fd);
void set_non_blocking(int fd);

}  // namespace bully
