# The library: one target a folder, in link order, and topos::topos over all of them.
include_guard()

# GLOBAL: a project that adds this one by add_subdirectory links these targets from its own directory.
find_package(fmt REQUIRED GLOBAL)
find_package(hwy CONFIG REQUIRED GLOBAL)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED GLOBAL)

set(TOPOS_FOLDERS)  # all folders, in link order
# The fuzzers watch which branches an input takes, where branches depend on programs and texts rather than on numbers.
set(topos_unwatched element tensor kernel neural)

# topos_folder(NAME [FOLDERS...] [PRIVATE LIBRARIES...]): the target of topos/NAME over the folders below it.
macro(topos_folder name)
  cmake_parse_arguments(folder "" "" "PRIVATE" ${ARGN})
  list(TRANSFORM folder_UNPARSED_ARGUMENTS PREPEND "topos::")
  file(GLOB folder_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/topos/${name}/*.cpp"
       "${PROJECT_SOURCE_DIR}/topos/${name}/*/*.cpp")
  file(GLOB folder_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/topos/${name}/*.h"
       "${PROJECT_SOURCE_DIR}/topos/${name}/*/*.h")
  if(NOT folder_sources)
    # A folder of headers only: they are compiled as one file, which shows that they stand alone. It is an archive like
    # the others because the group below can only hold archives.
    set(folder_lines "// The headers of topos/${name}.")
    foreach(header IN LISTS folder_headers)
      string(APPEND folder_lines "\n#include \"${header}\"")
    endforeach()
    set(folder_sources "${PROJECT_BINARY_DIR}/headers/topos_${name}.cpp")
    file(CONFIGURE OUTPUT "${folder_sources}" CONTENT "${folder_lines}\n" @ONLY)
  endif()
  add_library(topos_${name} STATIC ${folder_sources} ${folder_headers})
  add_library(topos::${name} ALIAS topos_${name})
  target_link_libraries(topos_${name} PUBLIC topos::language ${folder_UNPARSED_ARGUMENTS} PRIVATE ${folder_PRIVATE})
  topos_warnings(topos_${name})
  set_target_properties(topos_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  if(TOPOS_FUZZ AND NOT "${name}" IN_LIST topos_unwatched)
    target_compile_options(topos_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  list(APPEND TOPOS_FOLDERS ${name})
endmacro()

target_link_libraries(topos_language INTERFACE fmt::fmt Threads::Threads)

topos_folder(base)
topos_folder(element base)
topos_folder(type element)
topos_folder(tensor type PRIVATE hwy::hwy)
topos_folder(stablehlo type)
topos_folder(op type stablehlo)
topos_folder(spec op tensor)
topos_folder(autodiff spec)
topos_folder(interpret autodiff)
topos_folder(kernel type PRIVATE hwy::hwy)
topos_folder(plan autodiff kernel)
topos_folder(execute plan interpret kernel)
topos_folder(emit execute plan stablehlo)
topos_folder(neural spec interpret tensor)

# What most files of the folders over the opcodes include, compiled once. Only builds that nobody edits in use it: the
# others notice a header that is missing.
if(TOPOS_PRECOMPILED_HEADERS)
  set(topos_common_headers <fmt/format.h> <map> <memory> <optional> <unordered_map> <vector>
                           "${PROJECT_SOURCE_DIR}/topos/op/op.h" "${PROJECT_SOURCE_DIR}/topos/tensor/algebra.h")
  target_precompile_headers(topos_spec PRIVATE ${topos_common_headers})
  foreach(folder autodiff interpret plan execute emit)
    target_precompile_headers(topos_${folder} REUSE_FROM topos_spec)
  endforeach()
  if(TOPOS_SANITIZE)  # where speed is not asked for
    foreach(folder type stablehlo op spec autodiff interpret plan execute emit neural)
      set_target_properties(topos_${folder} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    endforeach()
  endif()
endif()

# Loops over numbers are written for the vectoriser. No error number is read and no trap is installed, so neither may
# keep a loop scalar; these options reorder nothing and change no bit.
foreach(folder tensor kernel)
  target_compile_options(topos_${folder} PRIVATE -fno-math-errno -fno-trapping-math)
  if(TOPOS_DISABLED_TARGETS)
    target_compile_definitions(topos_${folder} PRIVATE "TOPOS_DISABLED_TARGETS=(${TOPOS_DISABLED_TARGETS})")
  endif()
  if(CMAKE_BUILD_TYPE MATCHES "Rel")
    target_compile_options(topos_${folder} PRIVATE -O3)
  endif()
endforeach()

set_source_files_properties("${PROJECT_SOURCE_DIR}/topos/kernel/build_info.cpp" PROPERTIES
                            COMPILE_DEFINITIONS TOPOS_VERSION="${PROJECT_VERSION}")
if(TOPOS_NATIVE)
  target_compile_options(topos_kernel PRIVATE -march=native)
  target_compile_definitions(topos_kernel PRIVATE HWY_COMPILE_ONLY_STATIC)  # its best vectors, no others
endif()
if(TOPOS_ALL_TARGETS)
  target_compile_definitions(topos_kernel PRIVATE TOPOS_ALL_TARGETS)
endif()

# Some members are declared in one folder and defined in a later one, which owns their result (Network::forward), so
# the archives refer to each other in both directions. Where the linker reads archives once, they form one group.
add_library(topos_topos INTERFACE)
add_library(topos::topos ALIAS topos_topos)
set_target_properties(topos_topos PROPERTIES EXPORT_NAME topos)
list(TRANSFORM TOPOS_FOLDERS PREPEND "topos::" OUTPUT_VARIABLE folder_archives)
if(CMAKE_CXX_LINK_GROUP_USING_RESCAN_SUPPORTED OR CMAKE_LINK_GROUP_USING_RESCAN_SUPPORTED)
  list(JOIN folder_archives "," folder_archives)
  target_link_libraries(topos_topos INTERFACE "$<LINK_GROUP:RESCAN,${folder_archives}>")
else()
  target_link_libraries(topos_topos INTERFACE ${folder_archives})
endif()
