// SPDX-License-Identifier: MIT
#pragma once
// Between the tokens of a model and the client: lets text pass that is whole. Bytes of an
// unfinished UTF-8 character wait for the rest; text that may be the beginning of a stop string
// waits until it is one (then nothing of it passes, ever) or is not.

#include <string>
#include <string_view>
#include <vector>

namespace hotdesk::worker {

class TextGate {
  public:
    // Empty stop strings are ignored.
    explicit TextGate(std::vector<std::string> stops = {});

    // Takes the bytes of one token. Returns what may be shown now, often "".
    // After is_stopped() it returns "".
    std::string push(std::string_view bytes);

    // Ends the text: returns what was still held. An unfinished character passes as it is.
    std::string flush();

    bool is_stopped() const { return is_stopped_; }  // a stop string was found

  private:
    std::vector<std::string> stops_;
    std::string held_;
    bool is_stopped_ = false;
};

}  // namespace hotdesk::worker
