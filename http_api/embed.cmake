# cmake -DIN=openapi.json -DOUT=openapi_text.cc -P embed.cmake: a C++ source that holds the file.
file(READ ${IN} text)
file(WRITE ${OUT}
  "#include \"http_api/http_api.h\"\n\n"
  "namespace weir::http_api {\n\n"
  "std::string_view OpenApiText() {\n"
  "  return R\"JSON(${text})JSON\";\n"
  "}\n\n"
  "}  // namespace weir::http_api\n")
