# `cmake --install build/release --prefix ~/.local`: everything lies in lib/hotdesk, the engine's
# libraries too, and finds what it needs beside itself ($ORIGIN), so that the folder can be moved and the
# build directory deleted. bin/hotdesk is a link into it.
set(home lib/hotdesk)

foreach(program hotdesk hotdesk-worker hotdesk-mkmodel hotdesk-emulated-ledger ggml-emulated)
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN")
    install(TARGETS ${program} RUNTIME DESTINATION ${home} LIBRARY DESTINATION ${home})
  endif()
endforeach()
if(HOTDESK_WORKER)
  install(DIRECTORY ${HOTDESK_ENGINE_LIBS}/ DESTINATION ${home}
          FILES_MATCHING PATTERN "lib*.so*" PATTERN "CMakeFiles" EXCLUDE)
endif()
install(FILES scenarios/demo/agent.py DESTINATION ${home}/share/hotdesk/demo)
install(FILES ${scenarios} DESTINATION ${home}/share/hotdesk/scenarios)
install(FILES clients/python/hotdesk.py DESTINATION ${home}/python)
install(FILES packaging/hotdesk.bash DESTINATION share/bash-completion/completions RENAME hotdesk)
install(FILES packaging/hotdesk.service DESTINATION share/systemd/user)
install(CODE "
  file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
  file(CREATE_LINK ../${home}/hotdesk \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/hotdesk\" SYMBOLIC)")
