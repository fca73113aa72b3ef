#include "net/grpc_reflection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "net/h2_client_for_test.h"

namespace weir::net {
namespace {

using protozero::pbf_writer;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string Named(std::string_view name) {
  std::string out;
  pbf_writer(out).add_string(1, name.data(), name.size());
  return out;
}

// a.proto: package a; imports b.proto; message M { message N; enum E { V } field f }, service S
// with method D, and an extension of M numbered 100.
std::string FileA() {
  std::string enumeration = Named("E");
  pbf_writer(enumeration).add_message(2, Named("V"));
  std::string message = Named("M");
  pbf_writer message_writer(message);
  message_writer.add_message(2, Named("f"));
  message_writer.add_message(3, Named("N"));
  message_writer.add_message(4, enumeration);
  std::string service = Named("S");
  pbf_writer(service).add_message(2, Named("D"));
  std::string extension = Named("x");
  pbf_writer extension_writer(extension);
  extension_writer.add_string(2, ".a.M");
  extension_writer.add_int32(3, 100);
  std::string file = Named("a.proto");
  pbf_writer writer(file);
  writer.add_string(2, "a");
  writer.add_string(3, "b.proto");
  writer.add_message(4, message);
  writer.add_message(6, service);
  writer.add_message(7, extension);
  return file;
}

// b.proto imports a.proto: a circle, which no compiler accepts, must not hang us.
std::string FileB() {
  std::string file = Named("b.proto");
  pbf_writer(file).add_string(3, "a.proto");
  return file;
}

class GrpcReflectionTest : public testing::Test {
 protected:
  GrpcReflectionTest() {
    EXPECT_TRUE(files_.Add(FileA()));
    EXPECT_TRUE(files_.Add(FileB()));
  }
  std::string Ask(std::uint32_t kind, const std::string& text) {
    std::string request;
    pbf_writer(request).add_string(kind, text);
    const std::string answer =
        service_.Answer({reinterpret_cast<const std::uint8_t*>(request.data()), request.size()});
    protozero::pbf_reader reader(answer);
    std::string found;
    while (reader.next()) {
      kind_ = reader.tag();
      found = reader.get_string();
    }
    return found;
  }

  DescriptorFiles files_;
  ReflectionService service_{files_, {"z.Z", "a.S"}};
  std::uint32_t kind_ = 0;
};

TEST_F(GrpcReflectionTest, KnowsEverySymbol) {
  for (const char* symbol : {"a.M", "a.M.f", "a.M.N", "a.M.E", "a.M.V", "a.S", "a.S.D", "a.x"}) {
    EXPECT_EQ(files_.FileOfSymbol(symbol), "a.proto") << symbol;
  }
  EXPECT_THAT(files_.FileOfSymbol("a.No"), IsEmpty());
  EXPECT_EQ(files_.FileOfExtension("a.M", 100), "a.proto");
  EXPECT_THAT(files_.ExtensionsOf("a.M"), ElementsAre(100));
}

TEST_F(GrpcReflectionTest, AnswersWithAFileAndItsImports) {
  EXPECT_THAT(files_.WithImports("a.proto"), ElementsAre(FileA(), FileB()));
  Ask(3, "a.proto");
  EXPECT_EQ(kind_, 4U);
  Ask(4, "a.S");
  EXPECT_EQ(kind_, 4U);
}

TEST_F(GrpcReflectionTest, ListsServicesInOrder) {
  EXPECT_EQ(Ask(7, ""),
            "\x0a\x05\x0a\x03"
            "a.S"
            "\x0a\x05\x0a\x03"
            "z.Z");
  EXPECT_EQ(kind_, 6U);
}

TEST_F(GrpcReflectionTest, AnswersNumbersOfExtensions) {
  EXPECT_EQ(Ask(6, "a.M"),
            "\x0a\x03"
            "a.M"
            "\x12\x01"
            "d");
  EXPECT_EQ(kind_, 5U);
  Ask(6, "a.No");
  EXPECT_EQ(kind_, 7U);
}

TEST_F(GrpcReflectionTest, SaysNotFoundInItsAnswer) {
  EXPECT_EQ(Ask(3, "no.proto").substr(0, 2), "\x08\x05");
  EXPECT_EQ(kind_, 7U);
  Ask(4, "a.No");
  EXPECT_EQ(kind_, 7U);
}

TEST_F(GrpcReflectionTest, RefusesWhatDoesNotParse) {
  EXPECT_FALSE(files_.Add("\x0a\x7f"));
  const std::uint8_t junk[] = {0x0a, 0x7f};
  EXPECT_THAT(service_.Answer(junk), IsEmpty());
}

TEST_F(GrpcReflectionTest, ServesBothVersionsAnAnswerARequest) {
  GrpcRouter router;
  service_.AddTo(router);
  MemoryTransport transport;
  H2Client client(transport);
  const GrpcOptions options;
  const auto session = NewGrpcSession(transport, router, options);
  for (const char* version : {"v1", "v1alpha"}) {
    const auto stream = client.Call(
        "/grpc.reflection." + std::string(version) + ".ServerReflection/ServerReflectionInfo",
        Framed("\x3a\x01*") + Framed("\x3a\x01*"));
    client.Exchange(*session);
    EXPECT_EQ(client.responses[stream].field("grpc-status"), "0");
    EXPECT_GT(client.responses[stream].content.size(), 2 * kGrpcPrefixSize);
  }
}

}  // namespace
}  // namespace weir::net
