#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "http_api/api_rig.h"

namespace weir::http_api {
namespace {

using nlohmann::json;

json Served() {
  ApiRig rig;
  const Answered answer = rig.Get("/openapi.json");
  EXPECT_EQ(answer.status, 200);
  return json::parse(answer.body);
}

json Example(const json& content) {
  return content.contains("example") ? content["example"] : json();
}

// Enough of JSON Schema 2020-12 for our own document.
std::string Mismatch(const json& doc, json schema, const json& value) {
  if (schema.contains("$ref")) {
    schema = doc.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1)));
  }
  if (schema.contains("enum")) {
    for (const json& allowed : schema["enum"]) {
      if (allowed == value) return "";
    }
    return value.dump() + " is not in enum";
  }
  if (schema.contains("const") && schema["const"] != value) return value.dump() + " is not const";
  if (schema.contains("type")) {
    const json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
    const std::string is = value.is_number_integer() ? "integer" : value.type_name();
    if (std::find(types.begin(), types.end(), is) == types.end()) return value.dump() + " is " + is;
  }
  for (const json& name : schema.value("required", json::array())) {
    if (!value.contains(name.get<std::string>())) return "no " + name.dump();
  }
  const json properties = schema.value("properties", json::object());
  if (value.is_object() && schema.contains("properties")) {
    for (const auto& [name, member] : value.items()) {
      if (!properties.contains(name)) return "undocumented " + name;
      if (const auto m = Mismatch(doc, properties[name], member); !m.empty())
        return name + ": " + m;
    }
  }
  if (value.is_array() && schema.contains("items")) {
    for (const json& element : value) {
      if (const auto m = Mismatch(doc, schema["items"], element); !m.empty()) return m;
    }
  }
  return "";
}

TEST(OpenApiTest, DescribesEveryPathThatIsServedAndNoOther) {
  const json doc = Served();
  EXPECT_EQ(doc["openapi"], "3.1.0");
  std::set<std::string> paths;
  for (const auto& [path, methods] : doc["paths"].items()) paths.insert(path);
  EXPECT_EQ(paths, (std::set<std::string>{"/auth", "/healthcheck", "/json", "/openapi.json",
                                          "/v1/check"}));
  HttpApiOptions options;
  options.auth.emplace();
  ApiRig rig(options);
  for (const std::string& path : paths) EXPECT_NE(rig.Get(path).status, 404) << path;
}

TEST(OpenApiTest, ResolvesEveryReference) {
  const json doc = Served();
  const json flat = doc.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    if (!pointer.ends_with("/$ref")) continue;
    EXPECT_TRUE(doc.contains(json::json_pointer(value.get<std::string>().substr(1)))) << value;
  }
}

TEST(OpenApiTest, HasExamplesThatItsSchemasAccept) {
  const json doc = Served();
  for (const auto& [path, methods] : doc["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      for (const auto& [status, response] : operation["responses"].items()) {
        const json contents = response.value("content", json::object());
        for (const auto& [type, content] : contents.items()) {
          const json example = Example(content);
          if (example.is_null()) continue;
          EXPECT_EQ(Mismatch(doc, content["schema"], example), "") << path << status;
        }
      }
    }
  }
}

TEST(OpenApiTest, HasRequestExamplesThatGetTheAnswersItPromises) {
  const json doc = Served();
  for (const char* path : {"/v1/check", "/json"}) {
    const json post = doc["paths"][path]["post"];
    const json request = post["requestBody"]["content"]["application/json"];
    for (const auto& [name, example] : request["examples"].items()) {
      EXPECT_EQ(Mismatch(doc, request["schema"], example["value"]), "") << name;
      ApiRig rig;
      const Answered answer = rig.Post(path, example["value"].dump());
      EXPECT_EQ(answer.status, 200) << name << answer.body;
      const json schema = post["responses"]["200"]["content"]["application/json"]["schema"];
      EXPECT_EQ(Mismatch(doc, schema, json::parse(answer.body)), "") << name << answer.body;
    }
  }
}

TEST(OpenApiTest, ShowsTheAnswersThatAreReallyGiven) {
  const json doc = Served();
  const json check = doc["paths"]["/v1/check"]["post"];
  ApiRig rig;
  const json body = check["requestBody"]["content"]["application/json"]["examples"]["one"]["value"];
  EXPECT_EQ(json::parse(rig.Post("/v1/check", body.dump()).body),
            Example(check["responses"]["200"]["content"]["application/json"]));
  Answered answer;
  for (int i = 0; i < 50; ++i) answer = rig.Post("/v1/check", body.dump());
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(json::parse(answer.body),
            Example(check["responses"]["429"]["content"]["application/json"]));
  answer = rig.Post("/v1/check", R"({"domain":"shop","descriptors":[{"entries":[]}]})");
  EXPECT_EQ(json::parse(answer.body),
            Example(check["responses"]["400"]["content"]["application/problem+json"]));
  ApiRig fresh;
  const json ask = doc["paths"]["/json"]["post"];
  const json one = ask["requestBody"]["content"]["application/json"]["examples"]["one"]["value"];
  json got = json::parse(fresh.Post("/json", one.dump()).body);
  got.erase("responseHeadersToAdd");
  EXPECT_EQ(got, Example(ask["responses"]["200"]["content"]["application/json"]));
}

TEST(OpenApiTest, StatesTheBoundsThatHold) {
  const json schemas = Served()["components"]["schemas"];
  EXPECT_EQ(schemas["CheckRequest"]["properties"]["descriptors"]["maxItems"],
            RequestReader::kMostDescriptors);
  EXPECT_EQ(schemas["Descriptor"]["properties"]["entries"]["maxItems"],
            RequestReader::kMostEntries);
}

}  // namespace
}  // namespace weir::http_api
