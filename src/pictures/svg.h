// svg.h: a picture in SVG, put together shape by shape. Units are pixels; y grows downwards. The
// picture's style gives a shape its look, by its class (or classes), `kind`. Colour alone must
// never carry information.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/carried.h"
#include "base/layout.h"
#include "base/text.h"

namespace bully {

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  bool overlaps(const Box& other) const {
    return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
           other.y < y + height;
  }
};

struct Line {
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;
};

inline constexpr double label_font = 12;
inline constexpr double small_font = 10;
inline constexpr double margin = 24;  // round a picture, and between its parts
// A viewer may refuse a larger picture, and a page of paper cannot show it.
inline constexpr double max_picture_side = 4096;

// A file of this directory that the binary carries: a style sheet, a script, markup.
// REQUIRES: there is such a file.
inline std::string page_file(std::string_view name, std::string_view kind) {
  return std::string(find_carried(page_files(), name, kind).value());
}

// The largest width of `words` in a sans-serif font of this size: no usual font is wider.
inline double text_width(std::string_view words, double font_size) {
  double em = 0;
  for (const char c : words) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // counted with its first byte
    const bool narrow = std::string_view(" ijl.:").find(c) != std::string_view::npos;
    const bool slim = std::string_view("()[],;/").find(c) != std::string_view::npos;
    const bool wide = (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w';
    const bool other = static_cast<unsigned char>(c) >= 0x80;
    em += other ? 0.85 : wide ? 0.78 : narrow ? 0.36 : slim ? 0.46 : 0.635;
  }
  return em * font_size;
}

// A coordinate, to the tenth of a pixel.
inline std::string svg_number(double value) {
  const auto tenths = std::llround(value * 10);
  std::string shown = std::to_string(tenths / 10);
  if (tenths % 10 != 0) shown += '.' + std::to_string(std::llabs(tenths % 10));
  return tenths < 0 && tenths > -10 ? '-' + shown : shown;
}

inline std::string svg_point(double x, double y) {
  return svg_number(x) + ' ' + svg_number(y);
}

class Svg {
 public:
  void text(std::string_view kind, double x, double y, std::string_view words) {
    shape("text", kind, {{"x", x}, {"y", y}}, '>' + escaped(words) + "</text>");
  }
  // Lower by a part of the font, in whatever size the picture's style shows it.
  void text(std::string_view kind, double x, double y, double ems, std::string_view words) {
    shape("text", kind, {{"x", x}, {"y", y}},
          " dy=\"" + svg_number(ems) + "em\">" + escaped(words) + "</text>");
  }
  void line(std::string_view kind, const Line& line) {
    shape("line", kind, {{"x1", line.x1}, {"y1", line.y1}, {"x2", line.x2}, {"y2", line.y2}});
  }
  void rect(std::string_view kind, const Box& box, double corner = 0) {
    shape(
        "rect", kind,
        {{"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}, {"rx", corner}});
  }
  void circle(std::string_view kind, double x, double y, double radius) {
    shape("circle", kind, {{"cx", x}, {"cy", y}, {"r", radius}});
  }
  void path(std::string_view kind, const std::string& steps) {
    shape("path", kind, {}, " d=\"" + steps + "\"/>");
  }
  void cross(double x, double y, double arm) {
    path("cross", "M " + svg_point(x - arm, y - arm) + " L " + svg_point(x + arm, y + arm) + " M " +
                      svg_point(x - arm, y + arm) + " L " + svg_point(x + arm, y - arm));
  }
  // The shapes up to the end of the tip have this tooltip.
  void begin_tip(std::string_view sentence) {
    shapes_ += "<g><title>" + escaped(sentence) + "</title>";
  }
  void end_tip() { shapes_ += "</g>\n"; }

  const std::string& shapes() const { return shapes_; }
  // The whole picture, with a title at the top. `style` is CSS; `definitions` are elements that are
  // not drawn.
  std::string picture(const std::string& title, const std::string& style,
                      const std::string& definitions, double width, double height) const {
    Svg page;
    page.rect("paper", {0, 0, width, height});
    page.text("title", 24, 38, title);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" + svg_number(width) +
           "\" height=\"" + svg_number(height) + "\" viewBox=\"0 0 " + svg_point(width, height) +
           "\">\n<title>" + escaped(title) + "</title>\n<style>\n" + page_file("picture", "css") +
           style + "</style>\n<defs>\n" + definitions + "</defs>\n" + page.shapes_ + shapes_ +
           "</svg>\n";
  }

 private:
  using Numbers = std::initializer_list<std::pair<std::string_view, double>>;
  void shape(std::string_view tag, std::string_view kind, Numbers numbers,
             const std::string& rest = "/>") {
    shapes_.append("<").append(tag).append(" class=\"").append(kind).append("\"");
    for (const auto& [name, value] : numbers) {
      shapes_.append(" ").append(name).append("=\"").append(svg_number(value)).append("\"");
    }
    shapes_ += rest + '\n';
  }

  std::string shapes_;
};

// Entries of a legend, from left to right, and on in the next line if there is no more room.
struct LegendFlow {
  double right = 0;
  double y = 0;
  double line = 0;
  double x = margin;

  double place(double width) {
    if (x > margin && x + width > right) new_line();
    return std::exchange(x, x + width);
  }
  void new_line() {
    x = margin;
    y += line;
  }
};

}  // namespace bully
