// page_parts.h: the parts of a frame as markup for a page: links, messages in flight, processes. A
// frame names its parts, which it shares with others; so a page of thousands of frames is small.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "view/frames_svg.h"

namespace bully {

// For a process or an arrow: in the picture, in the table of processes, in the list of messages.
using PagePart = std::array<std::string, 3>;

class PageParts {
 public:
  // `scene` has the processes and the messages, and outlives this object. Its groups, and
  // everything that frames will show, must be known before the first part: fit(), then ready().
  PageParts(const Diagram& scene, Language language, std::vector<Group> groups);

  FramePainter painter;
  void ready();
  Text process_tip = Text::html_hide;  // the effect of a click on a process; {0} is its id

  std::size_t number_of(const PagePart& part) {
    return numbers_.try_emplace(part, numbers_.size()).first->second;
  }
  PagePart links(const Frame& frame) const;
  // Looks like the newest message on it.
  PagePart arrow(const Frame& frame, const Frame::Arrow& arrow) const;
  PagePart process(const Frame::Place& place, std::size_t at) const;

  std::string view_box() const { return "0 0 " + svg_point(painter.width(), painter.height()); }
  // All parts so far, by their numbers.
  std::string json() const;
  // Colours and heads of messages; the page's other styles.
  std::string style() const;
  std::string picture() const;
  std::string table() const;
  std::string list() const;

 private:
  std::string say(Text words) const { return escaped(text(words, language_)); }

  const Diagram& scene_;
  Language language_;
  std::map<PagePart, std::size_t> numbers_;
};

// The meaning of the letters on the arrows, and of the signs of the processes.
std::string page_legend(const Diagram& diagram, Language language);

}  // namespace bully
