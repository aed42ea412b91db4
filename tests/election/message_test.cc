// message_test.cc: the wire form, and everything that is not one.
#include "election/message.h"
#include "base/json.h"
#include "election/ping_reply.h"
#include "support/messages.h"

#include <doctest/doctest.h>

#include <string>

using namespace bully;
using namespace std::string_view_literals;

TEST_CASE("the example's messages are read") {
  CHECK(decode("1;123") == Message{.type = messages::ping, .from = 123});
  CHECK(decode("E;123") == Message{.type = messages::election, .from = 123});
  CHECK(decode("PE;123") == Message{.type = messages::answer, .from = 123});
  CHECK(decode("C;123") == Message{.type = messages::coordinator, .from = 123});
}

TEST_CASE("a kind that is of no election is read by its type alone") {
  static constexpr Field whose{"whose"};
  static constexpr MessageKind kind{"Q", "question", Role::none, {&whose}};
  CHECK(decode("Q;7;;4") == std::nullopt);
  CHECK(decode("Q;7;;4", kind) == wire_message(kind, 7, {}, 4));
  CHECK(decode("E;7;;4", kind) == std::nullopt);
  CHECK(decode("Q;7;;4;" + std::string(max_message_bytes, '1'), kind) == std::nullopt);
}

TEST_CASE("a third field is the sender's number, and a fourth the subject") {
  CHECK(decode("E;123;45") == wire_message(messages::election, 123, 45));
  CHECK(decode("E;123;45;7") == wire_message(messages::election, 123, 45, 7));
  CHECK(decode("E;123;;7") == wire_message(messages::election, 123, {}, 7));
}

TEST_CASE("up to four fields, each in its place") {
  static constexpr Field whose{"whose", Field::Meaning::sender};
  static constexpr Field by{"by", Field::Meaning::id, 2};
  static constexpr Field count{"count", Field::Meaning::number, 3};
  static constexpr MessageKind kind{"X", "x", Role::asks, {&count, &whose, &fields::epoch, &by}};
  const auto sent = [&] { return Message{.type = kind, .from = 5}; };
  CHECK(encode(sent()) == "X;5");
  CHECK(encode(sent().set(count, 0)) == "X;5;;;;;0");
  CHECK(encode(sent().set(by, 9).set(whose)) == "X;5;;5;;9");
  const Message full = sent().set(by, 9).set(whose).set(count, 3).set(fields::epoch, 2);
  CHECK(encode(full) == "X;5;;5;2;9;3");
  CHECK(full.get(by) == 9U);
  const auto places = full.values.to_wire(kind, 5);
  CHECK(FieldValues::from_wire(kind, 5, places) == full.values);
  CHECK(FieldValues::from_wire(kind, 5, std::span(places).first(3)) ==
        sent().set(by, 9).set(whose).set(fields::epoch, 2).values);
  // A value that is 0 is not one that is missing.
  CHECK(sent().set(count, 0).values != sent().values);
  CHECK(!sent().has(count));
}

TEST_CASE("fields that are not known or cannot be read are ignored") {
  for (const char* bytes : {"E;123;", "E;123;x", "E;123;-4", "E;123;;", "E;123;;x;y;z",
                            "E;123;99999999999999999999", "E;123;\xff"}) {
    CAPTURE(bytes);
    CHECK(decode(bytes) == Message{.type = messages::election, .from = 123});
  }
}

TEST_CASE("what is no message is refused") {
  for (const std::string_view bytes : malformed_messages) {
    CAPTURE(bytes);
    CHECK(decode(bytes) == std::nullopt);
  }
  for (const std::string_view bytes : {"E;2147483648"sv, "E;007"sv, "E;1\0"sv, "\0E;1"sv, "\0"sv}) {
    CHECK(decode(bytes) == std::nullopt);
  }
  CHECK(decode("E;1;" + std::string(max_message_bytes, '1')) == std::nullopt);
}

TEST_CASE("the longest message and the largest id are read") {
  const std::string head = "E;2147483647;";
  const std::string longest = head + std::string(max_message_bytes - head.size(), 'x');
  const auto message = decode(longest);
  REQUIRE(message);
  CHECK(message->from == highest_id);
}

TEST_CASE("every message is read as it was written") {
  for (const MessageType type : known_messages()) {
    for (const Number number : {Number(), Number(9)}) {
      for (const Number subject : {Number(), Number(7)}) {
        const Message message = wire_message(type, 4711, number, subject);
        CAPTURE(encode(message));
        CHECK(decode(encode(message)) == message);
      }
    }
  }
  CHECK(encode(Message{.type = messages::election, .from = 123}) == "E;123");
  CHECK(encode(wire_message(messages::election, 123, 45)) == "E;123;45");
}

TEST_CASE("a ping's reply has the process's id and its coordinator's") {
  CHECK(encode(PingReply{7, 9}) == "1;7;9");
  CHECK(encode(PingReply{7, std::nullopt}) == "1;7");
  for (const PingReply& reply : {PingReply{7, 9}, PingReply{7, {}}, PingReply{0, 0}}) {
    CHECK(decode_ping_reply(encode(reply)) == reply);
  }
  for (const char* bytes : {"", "1", "1;", "E;7;9", "1;x;9", "11;7", "1;7;2147483648"}) {
    CAPTURE(bytes);
    CHECK(decode_ping_reply(bytes) == std::nullopt);
  }
}

TEST_CASE("a follower learns from a ping's reply that the process is coordinator no longer") {
  const PingReply follower{5, 7};
  CHECK(!PingReply{7, 7}.disowns(7, follower));
  CHECK(PingReply{7, 9}.disowns(7, follower));
  CHECK(!PingReply{7, 9}.disowns(7, {5, 9}));     // who asks did not count on it
  CHECK(!PingReply{7, {}}.disowns(7, follower));  // it holds an election: that will be told
}

TEST_CASE("ids are numbers: nine comes before ten") {
  CHECK(*parse_id("9") < *parse_id("10"));
}

TEST_CASE("an id is a number from 0 to the highest, without leading zeros, as text and in JSON") {
  CHECK(parse_id("0") == 0);
  CHECK(parse_id("2147483647") == highest_id);
  for (const char* text :
       {"", "007", "00", "+7", "-7", "7.0", "7 ", "2147483648", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK(parse_id(text) == std::nullopt);
  }
  const auto in_json = [](std::string_view text) { return parse_id(*parse_json(text)); };
  CHECK(in_json("2147483647") == highest_id);
  for (const char* text : {"2147483648", "7.0", "-7", "\"7\"", "null", "[7]"}) {
    CAPTURE(text);
    CHECK(in_json(text) == std::nullopt);
  }
}

TEST_CASE("a field or a list with a number above all ids is left out; other numbers have 64 bits") {
  const auto value = decode("V;1;18446744073709551615;2147483648;18446744073709551615");
  REQUIRE(value);
  CHECK(!value->has(fields::value));
  CHECK(value->number == 18446744073709551615ULL);
  CHECK(value->get(fields::epoch) == 18446744073709551615ULL);
  CHECK(decode("V;1;;2147483647;1")->get(fields::value) == highest_id);
  CHECK(decode("T;1;;1;1;4,2147483647")->list() == FieldValues::List{4, highest_id});
  CHECK(decode("T;1;;1;1;4,2147483648")->list().empty());
}
