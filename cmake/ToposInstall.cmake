# The installed package: headers, archives and toposConfig.cmake, found by find_package(topos).
include_guard()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

list(TRANSFORM TOPOS_FOLDERS PREPEND "topos_" OUTPUT_VARIABLE folder_targets)
install(TARGETS topos_language topos_topos ${folder_targets} EXPORT toposTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/topos" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/topos)
install(EXPORT toposTargets NAMESPACE topos:: DESTINATION ${package_folder})
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/toposConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/toposConfig.cmake" INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/toposConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/toposConfig.cmake" "${PROJECT_BINARY_DIR}/toposConfigVersion.cmake"
        DESTINATION ${package_folder})
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE-MIT" "${PROJECT_SOURCE_DIR}/LICENSE-APACHE"
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/topos)
