#include "net/http1_chunks.h"

#include <gtest/gtest.h>

namespace weir::net {
namespace {

class ChunkDecoderTest : public testing::Test {
 protected:
  // Feeds `text` in pieces of `piece` bytes; returns the last status, `consumed_` counts.
  ChunkDecoder::Status Feed(std::string_view text, std::size_t piece, std::uint64_t max = 1000) {
    decoder_.Reset(max);
    body_.clear();
    consumed_ = 0;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      const ChunkDecoder::Step step = decoder_.Put(text.substr(at, piece), &body_);
      consumed_ += step.consumed;
      if (step.status != ChunkDecoder::Status::kMore) return step.status;
    }
    return ChunkDecoder::Status::kMore;
  }

  ChunkDecoder decoder_;
  std::string body_;
  std::size_t consumed_ = 0;
};

TEST_F(ChunkDecoderTest, DecodesHoweverTheBytesAreSplit) {
  const std::string text =
      "3\r\nabc\r\n00A;x=\"y\";z\r\n0123456789\r\n1 \t;q\r\n!\r\n000\r\nTrailer: t\r\n\r\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(Feed(text, piece), ChunkDecoder::Status::kDone) << piece;
    EXPECT_EQ(body_, "abc0123456789!");
    EXPECT_EQ(consumed_, text.size());
  }
}

TEST_F(ChunkDecoderTest, TakesALastChunkThatArrivesInSmallPieces) {
  for (std::size_t piece = 1; piece <= 5; ++piece) {
    EXPECT_EQ(Feed("0\r\n\r\n", piece), ChunkDecoder::Status::kDone) << piece;
  }
}

TEST_F(ChunkDecoderTest, LeavesWhatFollowsForTheNextRequest) {
  EXPECT_EQ(Feed("1\r\na\r\n0\r\n\r\nGET /", 100), ChunkDecoder::Status::kDone);
  EXPECT_EQ(consumed_, 11U);
}

TEST_F(ChunkDecoderTest, RefusesWhatIsNotTheChunkedCoding) {
  for (const char* text : {"\r\n\r\n",
                           "x\r\n",
                           "0x3\r\nabc\r\n",
                           "-1\r\n",
                           " 3\r\nabc\r\n",
                           "3\nabc\r\n",
                           "3\r\nabcd\r\n0\r\n\r\n",
                           "3\r\nabc0\r\n\r\n",
                           "3;\n\r\nabc\r\n",
                           "3;a\nb\r\nabc\r\n",
                           "3;a\rb\r\nabc\r\n",
                           "3 x\r\nabc\r\n",
                           "3 \r\nabc\r\n",
                           "3\r\nabc\n0\r\n\r\n",
                           "3\rabc\r\n",
                           "0\r\n: x\r\n\r\n",
                           "0\r\nA\r\n\r\n",
                           "0\r\nA : x\r\n\r\n",
                           "0\r\nA: x\n\r\n",
                           "0\r\nA: x\r\n folded\r\n\r\n",
                           "0\r\n\rx"}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{100}}) {
      EXPECT_EQ(Feed(std::string(text) + "0\r\n\r\n0\r\n\r\n", piece), ChunkDecoder::Status::kBad)
          << text;
    }
  }
}

TEST_F(ChunkDecoderTest, HoldsTheBodyLimitExactly) {
  EXPECT_EQ(Feed("2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", 100, 4), ChunkDecoder::Status::kDone);
  EXPECT_EQ(Feed("2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n", 100, 4), ChunkDecoder::Status::kTooLarge);
  EXPECT_EQ(Feed("0\r\n\r\n", 100, 0), ChunkDecoder::Status::kDone);
  EXPECT_EQ(Feed("1\r\n", 100, 0), ChunkDecoder::Status::kTooLarge);
}

TEST_F(ChunkDecoderTest, KnowsSizesThatOverflowAsTooLarge) {
  EXPECT_EQ(Feed("ffffffffffffffff\r\n", 100, 4), ChunkDecoder::Status::kTooLarge);
  EXPECT_EQ(Feed("10000000000000003\r\nabc", 100, ~0ULL), ChunkDecoder::Status::kTooLarge);
  EXPECT_EQ(Feed("ffffffffffffffff\r\n", 100, ~0ULL), ChunkDecoder::Status::kMore);
}

TEST_F(ChunkDecoderTest, BoundsSizeLinesAndTrailers) {
  const std::string filler(ChunkDecoder::kMaxLine, 'a');
  EXPECT_EQ(Feed("3;" + filler, 100), ChunkDecoder::Status::kBad);
  EXPECT_EQ(Feed(std::string(ChunkDecoder::kMaxLine + 1, '0'), 100), ChunkDecoder::Status::kBad);
  EXPECT_EQ(Feed("0\r\nA: " + filler, 100), ChunkDecoder::Status::kBad);
  std::string many = "0\r\n";
  for (std::size_t i = 0; i < ChunkDecoder::kMaxLine / 6 + 1; ++i) many += "A: b\r\n";
  EXPECT_EQ(Feed(many, 100), ChunkDecoder::Status::kBad);
}

}  // namespace
}  // namespace weir::net
