# The engine: pinned llama.cpp libraries with the headers of the same tag (tools/fetch_engine.sh).
#   ${HOTDESK_ENGINE_DIR}/cpu/bins/linux-x64/*.so   the libraries, one CPU backend per instruction set
#   ${HOTDESK_ENGINE_DIR}/llama.cpp/                the source, for its headers and vocabularies
# Defines hotdesk_ggml_base (gguf, tensors, backends) and hotdesk_llama (ggml_base and libllama).
set(HOTDESK_ENGINE_DIR "${CMAKE_SOURCE_DIR}/.cache/engine" CACHE PATH
    "Where tools/fetch_engine.sh put the engine")
set(HOTDESK_ENGINE_LIBS "${HOTDESK_ENGINE_DIR}/cpu/bins/linux-x64")
set(HOTDESK_ENGINE_SOURCE "${HOTDESK_ENGINE_DIR}/llama.cpp")
if(NOT EXISTS ${HOTDESK_ENGINE_LIBS}/libggml-base.so)
  message(WARNING "no engine in ${HOTDESK_ENGINE_DIR}: building without it, so without the worker. "
                  "Run tools/fetch_engine.sh ${HOTDESK_ENGINE_DIR} and configure again.")
  return()
endif()

add_library(hotdesk_ggml_base INTERFACE)
target_include_directories(hotdesk_ggml_base SYSTEM INTERFACE ${HOTDESK_ENGINE_SOURCE}/ggml/include)
target_link_libraries(hotdesk_ggml_base INTERFACE ${HOTDESK_ENGINE_LIBS}/libggml-base.so)
target_link_options(hotdesk_ggml_base INTERFACE -Wl,-rpath,${HOTDESK_ENGINE_LIBS})

add_library(hotdesk_llama INTERFACE)
target_include_directories(hotdesk_llama SYSTEM INTERFACE ${HOTDESK_ENGINE_SOURCE}/include)
target_link_libraries(hotdesk_llama INTERFACE hotdesk_ggml_base
  ${HOTDESK_ENGINE_LIBS}/libllama.v0.4.0.so ${HOTDESK_ENGINE_LIBS}/libggml.v0.4.0.so)

# The worker's: chat templates, grammars and sampling. src/ is there for llama-ext.h alone.
add_library(hotdesk_llama_common INTERFACE)
target_include_directories(hotdesk_llama_common SYSTEM INTERFACE
  ${HOTDESK_ENGINE_SOURCE}/common ${HOTDESK_ENGINE_SOURCE}/src)
target_link_libraries(hotdesk_llama_common INTERFACE hotdesk_llama
  ${HOTDESK_ENGINE_LIBS}/libllama-common.so)

add_subdirectory(tools/mkmodel)
if(EXISTS ${CMAKE_SOURCE_DIR}/test/emulated_gpu/CMakeLists.txt)
  add_subdirectory(test/emulated_gpu)
endif()
add_subdirectory(src/worker)
if(HOTDESK_TESTS AND EXISTS ${CMAKE_SOURCE_DIR}/test/worker/CMakeLists.txt)
  add_subdirectory(test/worker)
endif()
if(HOTDESK_BENCH)
  include(bench/batched_decode.cmake)
endif()
