#include "view/svg_shapes.h"

#include <cmath>

#include "view/looks.h"

namespace bully {

// A coordinate, to the tenth of a pixel.
std::string svg_number(double value) {
  const auto tenths = std::llround(value * 10);
  std::string shown = std::to_string(tenths / 10);
  if (tenths % 10 != 0) shown += '.' + std::to_string(std::llabs(tenths % 10));
  return tenths < 0 && tenths > -10 ? '-' + shown : shown;
}

// The style and the arrow head of each kind of message.
std::string svg_looks_of(const std::vector<MessageType>& types) {
  std::string styles;
  std::string heads;
  for (const MessageType type : types) {
    const MessageLook& look = look_of(type);
    const std::string css(look.css);
    styles += '.' + css + " { stroke: " + std::string(look.ink) +
              "; stroke-width: " + svg_number(look.stroke) +
              (look.dashes.empty() ? "" : "; stroke-dasharray: " + std::string(look.dashes)) +
              "; }\n";
    std::string side = "9\" markerHeight=\"9";
    std::string path = "d=\"M0 1L10 5L0 9z\" fill=\"" + std::string(look.ink) + "\"/>";
    if (look.head == Head::heavy) {
      side = "12\" markerHeight=\"12";
      path = "d=\"M0 0L10 5L0 10z\" fill=\"" + std::string(look.ink) + "\"/>";
    }
    if (look.head == Head::open) {
      side = "10\" markerHeight=\"10";
      path = "d=\"M1 1L9 5L1 9\" fill=\"none\" stroke=\"" + std::string(look.ink) +
             "\" stroke-width=\"1.6\"/>";
    }
    heads += "<marker id=\"head-" + css + "\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" " +
             "markerWidth=\"" + side +
             "\"\n markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path " + path + "</marker>\n";
  }
  return styles + "</style>\n<defs>\n" + heads + "</defs>\n";
}

std::string svg_text(std::string_view kind, double x, double y, std::string_view words) {
  return "<text class=\"" + std::string(kind) + "\" x=\"" + svg_number(x) + "\" y=\"" +
         svg_number(y) + "\">" + escaped(words) + "</text>";
}

std::string svg_line(std::string_view kind, const Line& line, std::string_view more) {
  return "<line class=\"" + std::string(kind) + "\" x1=\"" + svg_number(line.x1) + "\" y1=\"" +
         svg_number(line.y1) + "\" x2=\"" + svg_number(line.x2) + "\" y2=\"" + svg_number(line.y2) +
         "\"" + std::string(more) + "/>";
}

std::string svg_cross(double x, double y, double arm) {
  return "<path class=\"cross\" d=\"M" + svg_number(x - arm) + ' ' + svg_number(y - arm) + 'L' +
         svg_number(x + arm) + ' ' + svg_number(y + arm) + 'M' + svg_number(x - arm) + ' ' +
         svg_number(y + arm) + 'L' + svg_number(x + arm) + ' ' + svg_number(y - arm) + "\"/>";
}

std::string svg_titled(const std::string& sentence, const std::string& shapes) {
  return "<g><title>" + escaped(sentence) + "</title>" + shapes + "</g>\n";
}

std::string svg_class_of(MessageType type) {
  return "message " + std::string(look_of(type).css);
}

std::string svg_head_of(MessageType type) {
  return " marker-end=\"url(#head-" + std::string(look_of(type).css) + ")\"";
}

std::string escaped(std::string_view words) {
  std::string shown;
  for (const char c : words) {
    if (c == '&') {
      shown += "&amp;";
    } else if (c == '<') {
      shown += "&lt;";
    } else if (c == '>') {
      shown += "&gt;";
    } else if (c == '"') {
      shown += "&quot;";
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace bully
