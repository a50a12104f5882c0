// SPDX-License-Identifier: MIT
#pragma once
// What `hotdesk` exits with: sysexits.h where it has a word for it, and the habits of timeout(1)
// and docker-run(1) where a command of the user's is run.

#include "base/result.h"

namespace hotdesk {

enum class ExitCode : int {
    kOk = 0,
    kFailed = 1,           // the thing asked for was tried and failed
    kUsage = 64,           // the command line is wrong
    kBadInput = 65,        // a file or a value is wrong
    kNotFound = 66,        // no such agent, run, model or desk
    kUnavailable = 69,     // the daemon does not answer
    kInternal = 70,        // a bug in Hotdesk, or the machine misbehaves
    kCannotWrite = 73,     // the disk is full
    kTryLater = 75,        // the longest wait was reached: skip this time
    kNotAllowed = 77,      // permission, or policy
    kBadConfig = 78,       // the config has errors
    kTimeLimit = 124,      // the command ran into its time limit
    kNotStarted = 125,     // Hotdesk failed before the command was started
    kNotExecutable = 126,  // the command cannot be executed
    kNoCommand = 127,      // the command was not found; 128 + n: ended by signal n
};

constexpr int to_int(ExitCode code) {
    return static_cast<int>(code);
}

constexpr ExitCode exit_code_for(Code code) {
    switch (code) {
        case Code::kInvalid: return ExitCode::kBadInput;
        case Code::kNotFound: return ExitCode::kNotFound;
        case Code::kBusy:
        case Code::kTimeout: return ExitCode::kTryLater;
        case Code::kDenied: return ExitCode::kNotAllowed;
        case Code::kNoSpace: return ExitCode::kCannotWrite;
        case Code::kUnavailable: return ExitCode::kUnavailable;
        case Code::kInternal: return ExitCode::kInternal;
    }
    return ExitCode::kInternal;
}

}  // namespace hotdesk
