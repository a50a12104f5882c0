// SPDX-License-Identifier: MIT
#include "daemon/model_files.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/planner.h"
#include "os/fd.h"

namespace hotdesk {
namespace {

// Most headers are under 8 MiB (a vocabulary of 150,000 words); read_gguf says when it needs more.
constexpr Bytes kFirstRead = mib(1);

tl::unexpected<Error> file_error(const std::string& path) {
    Code code = errno == ENOENT ? Code::kNotFound : Code::kDenied;
    return fail(code, fmt::format("{}: {}", path, strerror(errno)));
}

Result<std::vector<std::byte>> read_start(const Fd& file, Bytes size, const std::string& path) {
    std::vector<std::byte> bytes(static_cast<size_t>(size.value));
    size_t done = 0;
    while (done < bytes.size()) {
        ssize_t n =
            ::pread(file.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
        if (n < 0) return file_error(path);
        if (n == 0) break;  // it shrank meanwhile
        done += static_cast<size_t>(n);
    }
    bytes.resize(done);
    return bytes;
}

Result<ModelHeader> read_one(const std::string& path) {
    Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) return file_error(path);
    struct stat about {};
    if (::fstat(file.get(), &about) != 0) return file_error(path);
    if (!S_ISREG(about.st_mode)) return fail(Code::kInvalid, path + ": not a regular file");
    Bytes size{about.st_size}, want = std::min(kFirstRead, size);
    for (;;) {
        HD_TRY(auto bytes, read_start(file, want, path));
        auto header = read_gguf({bytes, size});
        if (!header) return fail(header.error().code, path + ": " + header.error().message);
        if (auto* done = std::get_if<ModelHeader>(&*header)) return std::move(*done);
        want = std::min(std::get<NeedMoreBytes>(*header).bytes, size);
    }
}

// "x-00001-of-00003.gguf", part 2 -> "x-00003-of-00003.gguf" (parts count from 0).
Result<std::string> part_path(const std::string& first, int64_t part, int64_t count) {
    std::string tail = fmt::format("-00001-of-{:05}.gguf", count);
    if (!first.ends_with(tail))
        return fail(Code::kInvalid,
                    fmt::format("{}: it is the first of {} parts, so its name must end in {}",
                                first, count, tail));
    return first.substr(0, first.size() - tail.size()) +
           fmt::format("-{:05}-of-{:05}.gguf", part + 1, count);
}

Result<Footprint> plan(const ModelSpec& spec) {
    HD_TRY(ModelHeader header, read_model_header(spec.path));
    HD_TRY(KvStorage kv, parse_kv_storage(spec.kv_type));
    HD_TRY(MemoryPlan memory, plan_memory(header, {.placement = spec.placement,
                                                   .context = spec.context,
                                                   .sequences = contexts_of(spec),
                                                   .kv = kv}));
    return memory.footprint();
}

}  // namespace

Result<ModelHeader> read_model_header(const std::string& path) {
    HD_TRY(ModelHeader header, read_one(path));
    for (int64_t part = 1; part < header.split_count; ++part) {
        HD_TRY(std::string name, part_path(path, part, header.split_count));
        HD_TRY(ModelHeader more, read_one(name));
        header.tensors.insert(header.tensors.end(), more.tensors.begin(), more.tensors.end());
    }
    return header;
}

void look_at_model_files(Fleet& fleet) {
    for (auto& [name, spec] : fleet.models) {
        auto need = plan(spec);
        if (need)
            spec.need = *need;
        else
            spec.unusable = need.error().message;
    }
}

}  // namespace hotdesk
