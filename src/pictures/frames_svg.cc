// frames_svg.cc: the frames of a run on paper, in rows.
#include "pictures/frames_svg.h"

#include "pictures/style.h"
#include "words/names.h"
#include "words/words.h"

namespace bully {

namespace {

constexpr double frames_in_row = 4;  // more if the picture would be too high otherwise
constexpr double title_room = 60;

// All frames, with the number and the sentence of each above it.
struct FrameSheet {
  const Diagram& diagram;
  Language language;
  FramePainter painter{diagram, language};
  double caption_high = 0;
  double frame_wide = 0;
  double frame_high = 0;
  double columns = 1;
  Svg svg = {};

  std::optional<std::string> draw() {
    measure();
    const auto all = static_cast<double>(diagram.steps.size() + 1);
    const double width = std::max(margin + columns * (frame_wide + margin),
                                  2 * margin + text_width(title_of(diagram, language), 18));
    const double bottom = title_room + std::ceil(all / columns) * (frame_high + margin) + 14;
    if (width > max_picture_side || bottom > max_picture_side) return std::nullopt;
    each_frame(diagram, [this](const Frame& frame) {
      const auto i = static_cast<double>(frame.steps);
      draw(frame, margin + std::fmod(i, columns) * (frame_wide + margin),
           title_room + std::floor(i / columns) * (frame_high + margin));
    });
    const double height = legend(width, bottom) + margin;
    if (height > max_picture_side) return std::nullopt;
    return svg.picture(title_of(diagram, language), page_file("frames", "css"),
                       page_file("heads", "svg"), width, height);
  }

  void measure() {
    each_frame(diagram, [this](const Frame& frame) { painter.fit(frame); });
    painter.measure();
    frame_wide = std::max(painter.width(), 250.0);
    each_frame(diagram, [this](const Frame& frame) {
      const auto lines = static_cast<double>(caption(frame).size());
      caption_high = std::max(caption_high, (lines + 1) * frame_words_high + 8);
    });
    frame_high = caption_high + painter.height();
    const auto all = static_cast<double>(diagram.steps.size() + 1);
    const double rows_that_fit = std::floor((max_picture_side - 200) / (frame_high + margin));
    const double that_fit = std::floor((max_picture_side - margin) / (frame_wide + margin));
    columns = std::max(
        {1.0, std::min(frames_in_row, that_fit), std::ceil(all / std::max(1.0, rows_that_fit))});
    columns = std::min(columns, all);
  }

  std::vector<std::string> caption(const Frame& frame) const {
    constexpr double widest = 0.6 * label_font;
    return wrapped(words_of(diagram, frame, language).caption,
                   static_cast<std::size_t>((frame_wide - 16) / widest));
  }

  void draw(const Frame& frame, double x, double y) {
    const FrameWords shown = words_of(diagram, frame, language);
    svg.rect("frame", {x, y, frame_wide, frame_high}, 6);
    svg.text("number", x + 8, y + 16, shown.heading);
    svg.begin_tip(shown.rule.empty() ? shown.caption : shown.rule);
    double caption_y = y + 16;
    for (const std::string& line : caption(frame)) {
      svg.text("caption", x + 8, caption_y += frame_words_high, line);
    }
    svg.end_tip();
    painter.centre = {x + frame_wide / 2, y + caption_high + painter.above()};
    painter.links(svg, frame);
    for (const Frame::Arrow& arrow : frame.arrows) painter.message(svg, frame, arrow, "link full");
    for (std::size_t i = 0; i < frame.places.size(); ++i) painter.process(svg, frame.places[i], i);
  }

  // Returns its end.
  double legend(double width, double top) {
    LegendFlow flow{.right = width - margin, .y = top, .line = 26};
    const auto process = [&](const std::string& look, const std::string& words) {
      const double x = flow.place(text_width(words, label_font) + 46);
      svg.circle(look, x + 10, flow.y - 4, 9);
      svg.text("note", x + 26, flow.y, words);
    };
    for (const std::string_view state : states_in(diagram)) {
      process("process " + std::string(style_of_state(state).css), state_words(state, language));
    }
    process("process absent", state_words(Snapshot{}, language));
    process("acts", text(Text::ring_acts, language, {"○"}));
    flow.new_line();
    const auto note = [&](const std::string& words) {
      const double x = flow.place(text_width(words, label_font) + 24);
      svg.text("note", x, flow.y, words);
    };
    for (const MessageType type : messages_in(diagram)) {
      note(std::string(type->code) + ": " + name_of(type, language));
    }
    std::ranges::for_each(ring_notes(diagram, language), note);
    return flow.y;
  }
};

}  // namespace

std::optional<std::string> ring_svg(const Diagram& diagram, Language language) {
  return FrameSheet{diagram, language}.draw();
}

}  // namespace bully
