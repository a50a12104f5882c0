# Warnings, sanitizers and the pure-build flags that every target of ours has.
function(hotdesk_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow
    $<$<BOOL:${HOTDESK_WERROR}>:-Werror>
    -Wno-missing-field-initializers  # start({.agent = id}) leaves the rest at its default, on purpose
    # GCC 12 has false alarms in std::string (bug 105329) and, with -O2, in std::visit.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  if(HOTDESK_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${HOTDESK_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${HOTDESK_SANITIZE})
  endif()
endfunction()
