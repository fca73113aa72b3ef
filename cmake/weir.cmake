# The four words the folders are built from: weir_library, weir_test, weir_fuzz, weir_program.

find_package(Threads REQUIRED)

add_library(weir_flags INTERFACE)
target_compile_options(weir_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 sees an overlap in `"literal" + std::move(string)` that is not there (GCC bug 105651).
  target_compile_options(weir_flags INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc 12 invents overflows and unset members in inlined library code.
  target_compile_options(weir_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()
if(WEIR_WERROR)
  target_compile_options(weir_flags INTERFACE -Werror)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # The memory store swaps a slot's identity and state in one 16-byte compare-and-swap.
  target_compile_options(weir_flags INTERFACE -mcx16)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(weir_flags INTERFACE -Wthread-safety)
endif()
if(WEIR_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
elseif(WEIR_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
if(WEIR_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
if(WEIR_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()

# Most of a small file's compile time is reading standard headers: read them once.  Only for gcc;
# clang's builds (fuzz, tidy) go without, and so notice what a file forgot to include.
if(WEIR_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(weir_std_headers <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <functional> <map>
      <memory> <mutex> <optional> <span> <string> <string_view> <unordered_map> <utility> <variant>
      <vector>)
  add_library(weir_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
  target_link_libraries(weir_pch PRIVATE weir_flags)
  target_precompile_headers(weir_pch PRIVATE ${weir_std_headers})
  if(WEIR_TESTS)
    find_package(GTest REQUIRED)
    add_library(weir_test_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
    target_link_libraries(weir_test_pch PRIVATE weir_flags GTest::gmock GTest::gtest)
    target_precompile_headers(weir_test_pch PRIVATE ${weir_std_headers} <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()

# A target with definitions of its own reads the headers again; that is no fault.
target_compile_options(weir_flags INTERFACE -pthread $<$<CXX_COMPILER_ID:GNU>:-Wno-invalid-pch>)

# Uses the headers that `pch` has compiled, if there are any.
function(weir_use_pch name pch)
  if(TARGET ${pch})
    target_precompile_headers(${name} REUSE_FROM ${pch})
  endif()
endfunction()

# weir_library(NAME SOURCES a.cc ... HEADERS a.h ... DEPS t ... [PRIVATE_DEPS t ...])
# One folder, one library.  Headers are listed so that each can be compiled by itself.
function(weir_library name)
  cmake_parse_arguments(L "" "" "SOURCES;HEADERS;DEPS;PRIVATE_DEPS" ${ARGN})
  if(L_SOURCES)
    add_library(${name} STATIC ${L_SOURCES})
    target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR} FILES ${L_HEADERS})
    target_link_libraries(${name} PUBLIC ${L_DEPS} PRIVATE $<BUILD_INTERFACE:weir_flags> ${L_PRIVATE_DEPS})
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>
                                              $<INSTALL_INTERFACE:include>)
    set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
    weir_use_pch(${name} weir_pch)
  else()
    add_library(${name} INTERFACE)
    target_sources(${name} INTERFACE FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR} FILES ${L_HEADERS})
    target_link_libraries(${name} INTERFACE ${L_DEPS})
    target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>
                                                 $<INSTALL_INTERFACE:include>)
  endif()
endfunction()

# weir_test(NAME SOURCES a_test.cc ... DEPS t ... [LABELS l ...] [TIMEOUT s])
function(weir_test name)
  if(NOT WEIR_TESTS)
    return()
  endif()
  cmake_parse_arguments(T "" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_DEPS} weir_flags GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  weir_use_pch(${name} weir_test_pch)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}")
endfunction()

# weir_fuzz(NAME SOURCES a_fuzz.cc DEPS t ...): a libFuzzer target, built by the preset `fuzz`.
function(weir_fuzz name)
  if(NOT WEIR_FUZZ)
    return()
  endif()
  cmake_parse_arguments(F "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${F_SOURCES})
  target_link_libraries(${name} PRIVATE ${F_DEPS} weir_flags)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  set_property(GLOBAL APPEND PROPERTY WEIR_FUZZ_TARGETS ${name})
endfunction()

# weir_program(NAME SOURCES ... DEPS ...)
function(weir_program name)
  cmake_parse_arguments(P "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${P_SOURCES})
  target_link_libraries(${name} PRIVATE ${P_DEPS} weir_flags)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
endfunction()
