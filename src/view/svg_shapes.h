// svg_shapes.h: what the pictures in SVG are put together from. Units are pixels.
//
// Nothing is told by colour alone: lines differ in their dashes and width, and in their heads.
// Read next: diagram_svg.h, ring_svg.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/diagram_layout.h"

namespace bully {

// A coordinate, to the tenth of a pixel.
std::string svg_number(double value);

// The shapes, each of the class (or classes) `kind`; `more` are further attributes.
std::string svg_text(std::string_view kind, double x, double y, std::string_view words);
std::string svg_line(std::string_view kind, const Line& line, std::string_view more = "");
std::string svg_cross(double x, double y, double arm);
// `shapes`, with a tooltip.
std::string svg_titled(const std::string& sentence, const std::string& shapes);

// The end of a style, and definitions: the line and the arrow head of each kind of message.
std::string svg_looks_of(const std::vector<MessageType>& types);
// The classes of a message's line, and the attribute that gives it its head.
std::string svg_class_of(MessageType type);
std::string svg_head_of(MessageType type);

// `words` with what XML and HTML want escaped escaped.
std::string escaped(std::string_view words);

}  // namespace bully
