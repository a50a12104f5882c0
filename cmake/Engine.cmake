# The engine: llama.cpp at one pinned tag, in one of two ways (tools/fetch_engine.sh brings both).
#   HOTDESK_ENGINE=prebuilt   the pinned libraries in ${HOTDESK_ENGINE_DIR}/cpu/bins/linux-x64
#   HOTDESK_ENGINE=source     the same libraries, built here from ${HOTDESK_ENGINE_DIR}/llama.cpp
# Headers and vocabularies are the source's in both. Defines hotdesk_ggml_base (gguf, tensors,
# backends), hotdesk_llama (that and libllama) and hotdesk_llama_common.
set(HOTDESK_ENGINE_DIR "${CMAKE_SOURCE_DIR}/.cache/engine" CACHE PATH
    "Where tools/fetch_engine.sh put the engine")
set(HOTDESK_ENGINE_SOURCE "${HOTDESK_ENGINE_DIR}/llama.cpp")
if(NOT EXISTS ${HOTDESK_ENGINE_SOURCE}/include/llama.h)
  message(FATAL_ERROR "there is no engine in ${HOTDESK_ENGINE_DIR}. Run ./dev setup, or "
                      "tools/fetch_engine.sh ${HOTDESK_ENGINE_DIR}; to build without the worker, "
                      "give -DHOTDESK_WORKER=OFF.")
endif()

if(HOTDESK_ENGINE STREQUAL "prebuilt")
  set(HOTDESK_ENGINE_LIBS "${HOTDESK_ENGINE_DIR}/cpu/bins/linux-x64")
  set(llama_suffix ".v0.4.0")
elseif(HOTDESK_ENGINE STREQUAL "source")
  include(ExternalProject)
  set(HOTDESK_ENGINE_LIBS "${CMAKE_BINARY_DIR}/engine/bin")
  set(llama_suffix "")
  foreach(lib ggml-base ggml llama llama-common)
    list(APPEND engine_products ${HOTDESK_ENGINE_LIBS}/lib${lib}.so)
  endforeach()
  # Each library looks for the others beside itself, wherever they are installed.
  # Some 15 minutes of CPU time; -Os and the like would change nothing about the speed of a step,
  # which is the CPU backend's.
  ExternalProject_Add(engine
    SOURCE_DIR ${HOTDESK_ENGINE_SOURCE}
    BINARY_DIR ${CMAKE_BINARY_DIR}/engine
    CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON -DGGML_BACKEND_DL=ON
               -DGGML_NATIVE=ON -DGGML_OPENMP=OFF -DGGML_CCACHE=OFF -DLLAMA_OPENSSL=OFF
               -DLLAMA_BUILD_COMMON=ON -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF
               -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_APP=OFF
               -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
               -DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}
    BUILD_COMMAND ${CMAKE_COMMAND} --build . --target ggml ggml-cpu llama llama-common
    INSTALL_COMMAND ""
    BUILD_BYPRODUCTS ${engine_products})
else()
  message(FATAL_ERROR "HOTDESK_ENGINE is \"${HOTDESK_ENGINE}\": it is prebuilt or source")
endif()

add_library(hotdesk_ggml_base INTERFACE)
target_include_directories(hotdesk_ggml_base SYSTEM INTERFACE ${HOTDESK_ENGINE_SOURCE}/ggml/include)
target_link_libraries(hotdesk_ggml_base INTERFACE ${HOTDESK_ENGINE_LIBS}/libggml-base.so)

add_library(hotdesk_llama INTERFACE)
target_include_directories(hotdesk_llama SYSTEM INTERFACE ${HOTDESK_ENGINE_SOURCE}/include)
target_link_libraries(hotdesk_llama INTERFACE hotdesk_ggml_base
  ${HOTDESK_ENGINE_LIBS}/libllama${llama_suffix}.so ${HOTDESK_ENGINE_LIBS}/libggml${llama_suffix}.so)

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
