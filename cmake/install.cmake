# Installs the library so that another project can say
#   find_package(weir CONFIG REQUIRED)
#   target_link_libraries(app PRIVATE weir::weir)
# weir::weir is all of the library; weir::base, weir::core, ... are its parts.  Warning flags and
# sanitizers stay in this build.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(weir_all INTERFACE)
add_library(weir::weir ALIAS weir_all)
set_target_properties(weir_all PROPERTIES EXPORT_NAME weir)
target_compile_features(weir_all INTERFACE cxx_std_20)

# How a consumer finds what our parts link; pkg-config modules are found by themselves.
set(weir_find_Threads::Threads "find_dependency(Threads)")
set(weir_find_re2::re2 "find_dependency(re2 CONFIG)")
set(weir_find_nlohmann_json::nlohmann_json "find_dependency(nlohmann_json)")

set(WEIR_FIND_DEPENDENCIES "")
set(weir_installed weir_all)
foreach(part base core store fleet failure limiter config answer)
  set(target weir_${part})
  if(NOT TARGET ${target})
    continue()
  endif()
  add_library(weir::${part} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${part})
  target_link_libraries(weir_all INTERFACE ${target})
  list(APPEND weir_installed ${target})

  get_target_property(type ${target} TYPE)
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    get_target_property(private_links ${target} LINK_LIBRARIES)
    list(APPEND links ${private_links})
  endif()
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
    if(link MATCHES "^PkgConfig::(.*)$")
      set(prefix ${CMAKE_MATCH_1})
      list(APPEND WEIR_FIND_DEPENDENCIES "find_dependency(PkgConfig)"
        "pkg_check_modules(${prefix} REQUIRED QUIET IMPORTED_TARGET ${${prefix}_MODULE_NAME})")
    elseif(DEFINED weir_find_${link})
      list(APPEND WEIR_FIND_DEPENDENCIES "${weir_find_${link}}")
    elseif(link MATCHES "::")
      message(FATAL_ERROR "cmake/install.cmake: say how a consumer of ${target} finds ${link}")
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES WEIR_FIND_DEPENDENCIES)
list(JOIN WEIR_FIND_DEPENDENCIES "\n" WEIR_FIND_DEPENDENCIES)

set(weir_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
install(TARGETS ${weir_installed} EXPORT weirTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT weirTargets NAMESPACE weir:: DESTINATION ${weir_config_dir})
configure_package_config_file(cmake/weirConfig.cmake.in weirConfig.cmake
  INSTALL_DESTINATION ${weir_config_dir})
write_basic_package_version_file(weirConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weirConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/weirConfigVersion.cmake
  DESTINATION ${weir_config_dir})
if(TARGET weir)
  install(TARGETS weir RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
