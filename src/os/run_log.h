// SPDX-License-Identifier: MIT
#pragma once
// The output of one run, in a file that never grows past its bound: the beginning, a line that says
// how much was cut, and the end, which is where errors stand. Plain text at every moment.

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "os/fd.h"

namespace hotdesk {

// What a run's log may take: fifty agents of four runs an hour for 90 days at 2 KB each are 900 MB;
// one that prints in a loop takes 1 MiB and no more.
inline constexpr Bytes kRunLogMax = mib(1);

// Owns: the file. Thread: one. A quarter of the bound is for the beginning; when the file is full,
// all but the last half of the bound is cut from its middle, so a byte is written twice at most.
class RunLog {
  public:
    // Truncates what is there. Errors: kDenied, kNoSpace, naming the path.
    static Result<RunLog> create(const std::string& path, Bytes limit = kRunLogMax);

    // Never fails the run: what the disk does not take is counted, and the log says so when it can
    // be written again.
    void append(std::string_view text);

    Bytes size() const { return {size_}; }
    Bytes cut() const { return {cut_}; }
    Bytes lost() const { return {lost_}; }

  private:
    RunLog(Fd file, Bytes limit);
    void write_out(std::string_view text);
    void cut_middle();

    Fd file_;
    int64_t limit_ = 0;
    int64_t head_ = 0;  // length of the beginning; fixed at the first cut, at the end of a line
    int64_t size_ = 0;  // of the file
    int64_t mark_ = 0;  // length of the line that says how much was cut
    int64_t cut_ = 0;
    int64_t lost_ = 0;
    int64_t lost_said_ = 0;
};

// Deletes the logs in `directory` ("r-12.log") but those of the `count` newest runs. What cannot be
// deleted stays.
void keep_newest_logs(const std::string& directory, int count);

// Copies what the pipe has, up to 256 KiB so that one loud run does not starve the others.
// Returns: whether the pipe has ended. Requires: `from` does not block.
bool copy_output(const Fd& from, RunLog& log);

// A piece of a log. `end` is where the next piece begins.
struct LogPiece {
    std::string text;
    int64_t end = 0;
    bool was_cut = false;  // the file is shorter than `from`: its middle was cut since
};

// The log from byte `from` on, at most `limit`; a negative `from` counts from the end.
// Errors: kNotFound when the log was deleted, or never begun.
Result<LogPiece> read_log(const std::string& path, int64_t from, Bytes limit);

}  // namespace hotdesk
