#include "rls/wire_reader.h"

namespace weir::rls {

std::string_view TextOf(Decoding decoding) {
  switch (decoding) {
    case Decoding::kOk:
      return {};
    case Decoding::kMalformed:
      return "the message is not protobuf";
    case Decoding::kInvalidUtf8:
      return "a string field of the message is not UTF-8";
    case Decoding::kUnsupported:
      return "the message holds a group or a reserved field number";
    case Decoding::kTooMany:
      return "the message has too many parts";
  }
  return {};
}

}  // namespace weir::rls
