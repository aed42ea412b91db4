// overloaded.h: several lambdas as one visitor of a std::variant, a lambda for each alternative.
//
// Both stages of a script visit its steps with it. It does nothing else. Read next: stage.h.
#pragma once

namespace bully {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace bully
