// place_program.cc: searches a program as a shell does, and its interpreter.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "grade/place.h"

namespace bully {

namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Where a program of this name is; empty: nowhere.
std::string path_of(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_file(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream places(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string place; std::getline(places, place, ':');) {
    std::string file = (place.empty() ? "." : place) + '/' + name;
    if (is_file(file) && access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace

std::optional<Problem> why_not_startable(const std::string& program) {
  const std::string path = path_of(program);
  std::error_code ignored;
  if (path.empty() && fs::is_directory(program, ignored)) {
    return Problem{"grade_is_directory", {program}};
  }
  if (path.empty()) return Problem{"grade_no_program", {program}};
  if (access(path.c_str(), X_OK) != 0) return Problem{"grade_not_executable", {program}};
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  if (!line.starts_with("#!")) {
    const bool is_text = file && line.find('\0') == std::string::npos;
    return is_text ? std::optional(Problem{"grade_no_first_line", {program}}) : std::nullopt;
  }
  // The system takes a tab for a space as well, and all else for a part of the name.
  std::ranges::replace(line, '\t', ' ');
  std::istringstream words(line.substr(2));
  std::string interpreter;
  std::string name;
  std::getline(words >> std::ws, interpreter, ' ');
  if (interpreter.ends_with("/env")) std::getline(words >> std::ws, name, ' ');
  const bool is_there = !path_of(interpreter).empty() &&
                        (name.empty() || name.starts_with('-') || !path_of(name).empty());
  if (is_there) return std::nullopt;
  return Problem{"grade_no_interpreter", {program, readable(line)}};
}

}  // namespace bully
