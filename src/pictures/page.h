// page.h: a page that shows the frames of a run or of an exploration.
//
// The binary carries its markup (run.html, orders.html), its style (page.css), the script of all
// pages (frame.js) and the script of each (run.js, orders.js). They contain no algorithm, no words
// for people, and no places of processes or messages: all of these come as data, in parts. A part
// is the markup of a cut's sides and a ring's links, of messages in flight, or of a process. A
// frame names its parts, which it shares with others; so a page of thousands of frames is small.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "pictures/frames_svg.h"
#include "words/words.h"

namespace bully {

// By name, as markup.
using PageValues = std::map<std::string_view, std::string>;

// The page of this directory, NAME.html, with its places filled in: `{{name}}` is this value, or
// the words of this key; `{{file.css}}` is that file, and an .html is filled in like the page.
// REQUIRES: there are such values, words and files.
std::string filled_page(std::string_view name, Language language, const PageValues& values);

// Values with their numbers, from 0: a page stores each value once.
template <typename Value>
class Numbered {
 public:
  std::size_t number_of(const Value& value) {
    return numbers_.try_emplace(value, numbers_.size()).first->second;
  }
  // By their numbers. `value_json`: a value in JSON.
  std::string json(auto value_json) const {
    std::vector<std::string> values(numbers_.size());
    for (const auto& [value, number] : numbers_) values[number] = value_json(value);
    return json_array(values, std::identity(), ",\n");
  }

 private:
  std::map<Value, std::size_t> numbers_ = {};
};

class WebPage {
 public:
  // `scene` has the processes and the messages, and outlives this object. The painter must fit
  // everything that frames will show, and measure, before the first of them.
  WebPage(const Diagram& scene, Language language)
      : painter{.diagram = scene, .language = language} {}

  FramePainter painter;
  Text process_tip = Text::html_hide;  // the effect of a click on a process; {0} is its id

  // The frame's parts: the links, the messages and, on top and by lane, the processes.
  std::vector<std::size_t> numbers_of(const Frame& frame);
  // All parts so far, by their numbers.
  std::string json() const {
    return parts_.json([](const Part& part) { return json_array(part, json_string); });
  }

  // The whole page, PAGE.html. Its script finds `data`, in JSON, under the page's name. `values`:
  // for places of this page alone.
  std::string html(std::string_view page, const std::string& title, const std::string& data,
                   PageValues values = {}) const;

 private:
  // In the picture, in the table of processes, in the list of messages.
  using Part = std::array<std::string, 3>;

  Part links(const Frame& frame) const;
  Part arrow(const Frame& frame, const Frame::Arrow& arrow) const;
  Part process(const Diagram::Place& place, std::size_t at) const;

  Numbered<Part> parts_ = {};
  // Of the latest frame.
  std::vector<Diagram::Place> places_ = {};
  std::vector<std::size_t> processes_ = {};  // the numbers of their parts, by lane
};

}  // namespace bully
