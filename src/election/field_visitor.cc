// field_visitor.cc: a message as words.
#include "election/field_visitor.h"

namespace bully {

void FieldVisitor::operator()(Message& message) {
  std::size_t type = index_of(message.type);
  (*this)(type);
  // Clears the message that was in this place before.
  if (saved_ == nullptr) message = {.type = known_messages()[type]};
  for (std::size_t i = 0; i < max_fields && message.type->fields.at(i) != nullptr; ++i) {
    FieldValues::Value value = message.values[i];
    (*this)(value);
    message.values.put(i, value);
  }
  if (message.type->list != nullptr) {
    FieldValues::List list = message.list();
    (*this)(list);
    if (saved_ == nullptr) message.values.set_list(std::move(list));
  }
  (*this)(message.from);
}

}  // namespace bully
