# cmake -DIN=descriptors.bin -DOUT=descriptor_bytes.cc -P embed.cmake
# Writes a file's bytes as a C++ array.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUT} "#include \"proto/descriptor_bytes.h\"

namespace weir::proto {

constexpr unsigned char kBytes[] = {${bytes}};
const std::span<const unsigned char> kDescriptorSet(kBytes);

}  // namespace weir::proto
")
