// SPDX-License-Identifier: MIT
// libggml-emulated.so: a ggml backend that behaves like a small GPU on a machine that has none. It
// is of type GPU, its memory is not host-visible, its byte budget is hard and shared by all
// processes (ledger.h), and allocations really fail. The memory is host RAM and the arithmetic is
// the CPU backend's, so its output is bit-identical to the CPU's.
//
//   HOTDESK_EMULATED_BYTES      total device memory, such as 64MiB; needed unless the ledger has it
//   HOTDESK_EMULATED_RESERVED   taken by "somebody else"
//   HOTDESK_EMULATED_LEDGER     the file the processes share; without it the device is this
//   process's HOTDESK_EMULATED_LOAD_MBPS  transfers to the device take as long as at this speed
#include <ggml-backend-impl.h>
#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/text.h"
#include "ledger.h"

namespace {

using namespace hotdesk;
using namespace hotdesk::emulated;

constexpr size_t kAlignment = 128;  // as CUDA has

// The device: one in a process, alive until it ends (ggml keeps pointers to it).
struct Device {
    std::unique_ptr<Ledger> ledger;
    int64_t load_mbps = 0;  // 0: as fast as memory copies
    std::string description;
    ggml_backend_dev_t cpu = nullptr;
};
Device* device = nullptr;

// Passes the time that a transfer over a slow bus would take.
void pace(size_t bytes) {
    if (device->load_mbps <= 0) return;
    std::this_thread::sleep_for(
        std::chrono::microseconds(static_cast<int64_t>(bytes) / device->load_mbps));
}

// ---- buffers

struct Memory {
    void* base;
    size_t size;
};

Memory* memory_of(ggml_backend_buffer_t buffer) {
    return static_cast<Memory*>(buffer->context);
}

void buffer_free(ggml_backend_buffer_t buffer) {
    const std::unique_ptr<Memory> memory(memory_of(buffer));
    munmap(memory->base, memory->size);
    device->ledger->give_back({static_cast<int64_t>(memory->size)});
}

void* buffer_base(ggml_backend_buffer_t buffer) {
    return memory_of(buffer)->base;
}

void buffer_memset(ggml_backend_buffer_t, ggml_tensor* tensor, uint8_t value, size_t offset,
                   size_t size) {
    std::memset(static_cast<char*>(tensor->data) + offset, value, size);
}

void buffer_set(ggml_backend_buffer_t, ggml_tensor* tensor, const void* data, size_t offset,
                size_t size) {
    std::memcpy(static_cast<char*>(tensor->data) + offset, data, size);
    pace(size);
}

void buffer_get(ggml_backend_buffer_t, const ggml_tensor* tensor, void* data, size_t offset,
                size_t size) {
    std::memcpy(data, static_cast<const char*>(tensor->data) + offset, size);
    pace(size);
}

bool is_ours(ggml_backend_buffer_t buffer);

bool buffer_copy(ggml_backend_buffer_t, const ggml_tensor* from, ggml_tensor* to) {
    if (!is_ours(from->buffer) && !ggml_backend_buffer_is_host(from->buffer)) return false;
    std::memcpy(to->data, from->data, ggml_nbytes(from));
    if (!is_ours(from->buffer)) pace(ggml_nbytes(from));
    return true;
}

void buffer_clear(ggml_backend_buffer_t buffer, uint8_t value) {
    std::memset(memory_of(buffer)->base, value, memory_of(buffer)->size);
}

constexpr ggml_backend_buffer_i kBuffer = {
    .free_buffer = buffer_free,
    .get_base = buffer_base,
    .init_tensor = nullptr,
    .memset_tensor = buffer_memset,
    .set_tensor = buffer_set,
    .get_tensor = buffer_get,
    .set_tensor_2d = nullptr,
    .get_tensor_2d = nullptr,
    .cpy_tensor = buffer_copy,
    .clear = buffer_clear,
    .reset = nullptr,
};

const char* type_name(ggml_backend_buffer_type_t) {
    return "EMU0";
}

// Fails like a driver out of memory: null, and ggml reports the size and goes on.
ggml_backend_buffer_t type_alloc(ggml_backend_buffer_type_t type, size_t size) {
    if (!device->ledger->take({static_cast<int64_t>(size)})) return nullptr;
    void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        device->ledger->give_back({static_cast<int64_t>(size)});
        return nullptr;
    }
    return ggml_backend_buffer_init(type, kBuffer, new Memory{base, size}, size);
}

size_t type_alignment(ggml_backend_buffer_type_t) {
    return kAlignment;
}
bool type_is_host(ggml_backend_buffer_type_t) {
    return false;
}

ggml_backend_buffer_type buffer_type = {
    .iface = {.get_name = type_name,
              .alloc_buffer = type_alloc,
              .get_alignment = type_alignment,
              .get_max_size = nullptr,
              .get_alloc_size = nullptr,
              .is_host = type_is_host},
    .device = nullptr,
    .context = nullptr,
};

bool is_ours(ggml_backend_buffer_t buffer) {
    return buffer->buft == &buffer_type;
}

// ---- backend: a stream of the device, computed by a CPU backend of its own

ggml_guid guid = {'h', 'o', 't', 'd', 'e', 's', 'k', '-', 'e', 'm', 'u', 'l', 'a', 't', 'e', 'd'};

ggml_backend_t cpu_of(ggml_backend_t backend) {
    return static_cast<ggml_backend_t>(backend->context);
}

void set_threads(ggml_backend_t backend, int count) {
    auto set = reinterpret_cast<ggml_backend_set_n_threads_t>(ggml_backend_reg_get_proc_address(
        ggml_backend_dev_backend_reg(device->cpu), "ggml_backend_set_n_threads"));
    if (set != nullptr) set(cpu_of(backend), count);
}

const char* backend_name(ggml_backend_t) {
    return "EMU0";
}

void backend_free(ggml_backend_t backend) {
    ggml_backend_free(cpu_of(backend));
    delete backend;
}

ggml_status backend_compute(ggml_backend_t backend, ggml_cgraph* graph) {
    return ggml_backend_graph_compute(cpu_of(backend), graph);
}

ggml_backend_t make_backend(ggml_backend_dev_t dev, const char*) {
    ggml_backend_t cpu = ggml_backend_dev_init(device->cpu, nullptr);
    if (cpu == nullptr) return nullptr;
    auto* backend = new ggml_backend{};
    backend->guid = &guid;
    backend->iface.get_name = backend_name;
    backend->iface.free = backend_free;
    backend->iface.graph_compute = backend_compute;
    backend->device = dev;
    backend->context = cpu;
    set_threads(backend, 1);  // until the context says otherwise: more would fight over few cores
    return backend;
}

// ---- device

const char* device_name(ggml_backend_dev_t) {
    return "EMU0";
}
const char* device_description(ggml_backend_dev_t) {
    return device->description.c_str();
}
enum ggml_backend_dev_type device_type(ggml_backend_dev_t) {
    return GGML_BACKEND_DEVICE_TYPE_GPU;
}

void device_memory(ggml_backend_dev_t, size_t* free, size_t* total) {
    const EmulatedReading now = device->ledger->read();
    *free = static_cast<size_t>(now.free().value);
    *total = static_cast<size_t>(now.total.value);
}

void device_props(ggml_backend_dev_t dev, ggml_backend_dev_props* props) {
    *props = {};
    props->name = device_name(dev);
    props->description = device_description(dev);
    props->type = device_type(dev);
    device_memory(dev, &props->memory_free, &props->memory_total);
}

ggml_backend_buffer_type_t device_buffer_type(ggml_backend_dev_t) {
    return &buffer_type;
}

bool device_supports_op(ggml_backend_dev_t, const ggml_tensor* op) {
    return ggml_backend_dev_supports_op(device->cpu, op);
}

bool device_supports_type(ggml_backend_dev_t, ggml_backend_buffer_type_t type) {
    return type == &buffer_type;
}

ggml_backend_device the_device = {
    .iface = {.get_name = device_name,
              .get_description = device_description,
              .get_memory = device_memory,
              .get_type = device_type,
              .get_props = device_props,
              .init_backend = make_backend,
              .get_buffer_type = device_buffer_type,
              .get_host_buffer_type = nullptr,
              .buffer_from_host_ptr = nullptr,
              .supports_op = device_supports_op,
              .supports_buft = device_supports_type,
              .offload_op = nullptr,
              .event_new = nullptr,
              .event_free = nullptr,
              .event_synchronize = nullptr},
    .reg = nullptr,
    .context = nullptr,
};

// ---- registration

const char* reg_name(ggml_backend_reg_t) {
    return "Emulated";
}
size_t reg_device_count(ggml_backend_reg_t) {
    return 1;
}
ggml_backend_dev_t reg_device(ggml_backend_reg_t, size_t) {
    return &the_device;
}

void* reg_proc_address(ggml_backend_reg_t, const char* name) {
    if (std::strcmp(name, "ggml_backend_set_n_threads") == 0)
        return reinterpret_cast<void*>(set_threads);
    return nullptr;
}

ggml_backend_reg registration = {
    .api_version = GGML_BACKEND_API_VERSION,
    .iface = {.get_name = reg_name,
              .get_device_count = reg_device_count,
              .get_device = reg_device,
              .get_proc_address = reg_proc_address},
    .context = nullptr,
};

Result<std::optional<Bytes>> bytes_from_env(const char* name) {
    const char* text = std::getenv(name);
    if (text == nullptr) return std::nullopt;
    const Result<Bytes> bytes = parse_bytes(text);
    if (!bytes) return fail(Code::kInvalid, std::string(name) + ": " + bytes.error().message);
    return *bytes;
}

Status open_device() {
    static Device the_only;
    HD_TRY(const std::optional<Bytes> total, bytes_from_env("HOTDESK_EMULATED_BYTES"));
    HD_TRY(const std::optional<Bytes> reserved, bytes_from_env("HOTDESK_EMULATED_RESERVED"));
    const char* path = std::getenv("HOTDESK_EMULATED_LEDGER");
    HD_TRY(the_only.ledger, Ledger::open(path == nullptr ? "" : path, {total, reserved}));
    const char* speed = std::getenv("HOTDESK_EMULATED_LOAD_MBPS");
    the_only.load_mbps = speed == nullptr ? 0 : std::strtol(speed, nullptr, 10);
    the_only.cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    if (the_only.cpu == nullptr)
        return fail(Code::kUnavailable,
                    "the emulated GPU computes on the CPU backend: load that first");
    the_only.description = "emulated GPU of " + format_bytes(the_only.ledger->read().total);
    device = &the_only;
    return {};
}

// Returns null, with the reason on stderr, when the environment does not describe a device.
ggml_backend_reg_t emulated_reg() {
    if (device != nullptr) return &registration;
    if (const Status opened = open_device(); !opened) {
        std::fprintf(stderr, "libggml-emulated: %s\n", opened.error().message.c_str());
        return nullptr;
    }
    buffer_type.device = &the_device;
    the_device.reg = &registration;
    return &registration;
}

}  // namespace

GGML_BACKEND_DL_IMPL(emulated_reg)
