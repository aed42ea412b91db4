// page.h: a page that shows the frames of a run or of an exploration.
//
// The binary carries its style (frames.css, page.css), the script of all pages (frame.js) and the
// script of each (run.js, orders.js). They contain no algorithm, no words for people, and no
// layout: all of these come as data, in parts. A part is the markup of a ring's links, of messages
// in flight, or of a process. A frame names its parts, which it shares with others; so a page of
// thousands of frames is small.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/frames_svg.h"
#include "words/words.h"

namespace bully {

class WebPage {
 public:
  // `scene` has the processes and the messages, and outlives this object. The painter must fit
  // everything that frames will show, and measure, before the first of them.
  WebPage(const Diagram& scene, Language language)
      : painter{.diagram = scene, .language = language, .covered = 0.62, .font = 16, .circle = 20} {
  }

  FramePainter painter;                // messages in flight cover that part of their way
  Text process_tip = Text::html_hide;  // the effect of a click on a process; {0} is its id

  // The frame's parts: the links, the messages and, on top and by lane, the processes.
  std::vector<std::size_t> numbers_of(const Frame& frame);
  // All parts so far, by their numbers.
  std::string json() const;

  std::string picture() const;
  // Of processes, and of messages in flight.
  std::string tables() const;
  // The meaning of the letters on the arrows, and of the signs of the processes.
  std::string legend() const;
  // A button that plays, and the pause after each step.
  std::string player() const;
  // A button with a sign; its words are for a user who hovers or cannot see it.
  std::string button(std::string_view id, std::string_view sign, Text words) const;
  // The whole page. Its script finds `data`, in JSON, under the script's own name.
  std::string html(const std::string& title, const std::string& body, std::string_view script,
                   const std::string& data) const;

  std::string say(Text words) const { return escaped(text(words, painter.language)); }
  std::string heading(Text words) const { return "<h2>" + say(words) + "</h2>\n"; }

 private:
  // In the picture, in the table of processes, in the list of messages.
  using Part = std::array<std::string, 3>;

  std::size_t number_of(const Part& part);
  Part links(const Frame& frame) const;
  // Looks like the newest message on it.
  Part arrow(const Frame& frame, const Frame::Arrow& arrow) const;
  Part process(const Diagram::Place& place, std::size_t at) const;

  std::map<Part, std::size_t> numbers_ = {};
  // Of the latest frame.
  std::vector<Diagram::Place> places_ = {};
  std::vector<std::size_t> processes_ = {};  // the numbers of their parts, by lane
};

}  // namespace bully
