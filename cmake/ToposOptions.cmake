# What every target of this project is compiled with.
include_guard()

# Exact bits are a promise of the library, and users instantiate its templates in their own files: so the language
# level and the refusal to contract a multiply and an add into one rounding are usage requirements, not build flags.
add_library(topos_language INTERFACE)
add_library(topos::language ALIAS topos_language)
set_target_properties(topos_language PROPERTIES EXPORT_NAME language)
target_compile_features(topos_language INTERFACE cxx_std_20)
target_compile_options(topos_language INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
target_include_directories(topos_language INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                    $<INSTALL_INTERFACE:include>)

set(CMAKE_CXX_EXTENSIONS OFF)

if(TOPOS_SANITIZE)
  add_compile_options(-fsanitize=${TOPOS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(TOPOS_SANITIZE MATCHES "address")
    add_compile_options(-fno-sanitize=object-size)  # a guess at what the address sanitizer knows; a third of the time
  endif()
  add_link_options(-fsanitize=${TOPOS_SANITIZE})
endif()

if(TOPOS_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "TOPOS_FUZZ needs clang, which brings libFuzzer: cmake --preset fuzz")
  endif()
endif()

# topos_warnings(TARGET): the warnings that the project's own targets are held to.
function(topos_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic $<$<BOOL:${TOPOS_WERROR}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 reports these inside std::string and fmt, on code that is right (GCC bugs 105329 and 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# topos_program(TARGET SOURCE...): an executable of this project over the whole library.
function(topos_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE topos::topos)
  topos_warnings(${target})
endfunction()

# topos_keep_assertions(TARGET): programs that prove something by assert() prove it in release builds too.
function(topos_keep_assertions target)
  target_compile_options(${target} PRIVATE -UNDEBUG)
endfunction()
