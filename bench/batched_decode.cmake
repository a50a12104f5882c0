# bench_batched_decode: the worker against bare llama_decode. Included by cmake/Engine.cmake.
add_executable(bench_batched_decode ${CMAKE_CURRENT_LIST_DIR}/batched_decode.cc)
target_link_libraries(bench_batched_decode PRIVATE hotdesk_wire hotdesk_llama)
target_compile_definitions(bench_batched_decode PRIVATE HOTDESK_ENGINE_LIBS="${HOTDESK_ENGINE_LIBS}")
hotdesk_options(bench_batched_decode)
