// lesson_page.h: a play as a page: a lesson's words, its questions and its answers as chapters,
// beside pictures of the moments that they are about.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/diagram.h"
#include "trace/trace.h"
#include "values/scenario.h"

namespace bully {

// Collects a play; decides nothing. Its records and its steps come from the stage and the player.
class LessonPage : public Listener, public Sink {
 public:
  // The scenario outlives it.
  LessonPage(const Scenario& scenario, Language language)
      : scenario_(scenario), language_(language) {}

  void record(const Record& record) override;
  void on_step(const Step& step) override;
  void on_say(Language language, std::string_view words) override;
  void on_frame(const Texts& label, std::span<const Snapshot> nodes,
                const MessageCounts& sent) override;
  void on_kept(const Step& step) override;
  void on_broken(const Step& step, std::span<const Problem> wrong) override;

  // The whole page, after the last step.
  std::string html();

 private:
  // A chapter, but with the number of records before it.
  struct Part {
    std::size_t records = 0;
    std::string words = {};
    std::string line = {};
  };

  void finish_paragraph();
  // A line below the latest paragraph. The words of a picture, and a question, come before the
  // steps since the latest chapter, which may say the answer; a verdict comes after them.
  void add(std::size_t records, const std::string& line);
  void add_verdict(const std::string& verdict);

  const Scenario& scenario_;
  Language language_;
  Trace trace_;
  std::size_t founded_ = 0;  // records before the lesson: the processes come to agree
  bool is_founding_ = false;
  std::string paragraph_;   // not finished
  std::string words_;       // the latest finished one
  std::string question_;    // without its answer yet; or empty
  std::size_t latest_ = 0;  // records when the latest chapter was added
  std::vector<Part> parts_;
  std::vector<std::size_t> counted_from_;  // records before the counter begins again
};

}  // namespace bully
