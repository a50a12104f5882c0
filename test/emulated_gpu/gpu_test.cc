// SPDX-License-Identifier: MIT
// The emulated GPU behaves like one: the sums of the CPU, and memory that runs out without harm.
#include <signal.h>
#include <sys/wait.h>

#include "engine_fixture.h"
#include "os/emulated_ledger.h"

namespace hotdesk::emulated {
namespace {

using mkmodel::Architecture;
using mkmodel::Quant;

// How a child says what it met.
constexpr int kExitFine = 0, kExitNoContext = 3, kExitOther = 5;

// Starts `body` in a process of its own: a backend reads its environment once.
template <class Body>
pid_t start_child(Body body) {
    const pid_t pid = fork();
    if (pid == 0) _exit(load_backends() ? body() : kExitOther);
    return pid;
}

int exit_of(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// One model of this test takes about 11 MiB of the 16: one fits and two do not.
class GpuTest : public EngineTest {
  protected:
    GpuTest() {
        setenv("HOTDESK_EMULATED_BYTES", "16MiB", 1);
        setenv("HOTDESK_EMULATED_LEDGER", path("ledger").c_str(), 1);
    }
    EmulatedReading ledger() const { return read_emulated_ledger(path("ledger")).value(); }
};

int load_and_leave(const Load& load) {
    const ModelPtr model = load_model(load);
    if (!model) return kExitOther;
    return make_context(model.get(), load) ? kExitFine : kExitNoContext;
}

// Loads, says so on `ready`, and holds everything until it is killed.
int load_and_hold(const Load& load, int ready) {
    const ModelPtr model = load_model(load);
    const ContextPtr context = model ? make_context(model.get(), load) : nullptr;
    if (!context || write(ready, "r", 1) != 1) return kExitOther;
    for (;;) pause();
}

int compare_with_cpu(const std::string& path, int gpu_layers) {
    const auto logits_with = [&](int layers) {
        const Load load{.path = path, .gpu_layers = layers};
        const ModelPtr model = load_model(load);
        const ContextPtr context = make_context(model.get(), load);
        return greedy_logits(context.get(), 4);
    };
    const std::vector<float> cpu = logits_with(0);
    return !cpu.empty() && cpu == logits_with(gpu_layers) ? kExitFine : kExitOther;
}

TEST_F(GpuTest, ComputesTheSameBitsAsTheCpuWhateverIsOnIt) {
    for (const Architecture architecture :
         {Architecture::kLlama, Architecture::kQwen2, Architecture::kGemma2, Architecture::kMamba})
        for (const Quant quant : {Quant::kF16, Quant::kQ8_0}) {
            const std::string model = make_model(architecture, quant);
            for (const int layers : {1, 4, 99})
                EXPECT_EQ(exit_of(start_child([&] { return compare_with_cpu(model, layers); })),
                          kExitFine)
                    << to_string(architecture) << " with " << layers << " layers";
        }
}

TEST_F(GpuTest, RefusesAnAllocationAndLeavesTheProcessAlive) {
    const std::string model_path = make_model(Architecture::kLlama, Quant::kQ8_0);
    const int exit_code = exit_of(start_child([&] {
        const Load small{.path = model_path};
        const Load large{.path = model_path, .cells = 65536};
        const ModelPtr model = load_model(small);
        if (!model || make_context(model.get(), large)) return kExitOther;
        const ContextPtr context = make_context(model.get(), small);
        return context && !greedy_logits(context.get(), 1).empty() ? kExitFine : kExitOther;
    }));
    EXPECT_EQ(exit_code, kExitFine);
    EXPECT_GE(ledger().failed_allocations, 1);
}

TEST_F(GpuTest, GivesEverythingBackAtTheEnd) {
    const Load load{.path = make_model(Architecture::kLlama, Quant::kQ8_0)};
    ASSERT_EQ(exit_of(start_child([&] { return load_and_leave(load); })), kExitFine);
    EXPECT_EQ(ledger().used, Bytes{0});
    EXPECT_GT(ledger().peak, mib(8));
    EXPECT_LT(ledger().peak, mib(16));
}

TEST_F(GpuTest, IsSharedByProcessesAndReclaimedFromTheKilled) {
    const Load load{.path = make_model(Architecture::kLlama, Quant::kQ8_0)};
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t first = start_child([&] { return load_and_hold(load, ready[1]); });
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    ASSERT_EQ(ledger().owners.size(), 1U);
    EXPECT_EQ(ledger().owners[0].pid, first);

    EXPECT_EQ(exit_of(start_child([&] { return load_and_leave(load); })), kExitNoContext);
    EXPECT_GE(ledger().failed_allocations, 1);

    kill(first, SIGKILL);
    EXPECT_EQ(exit_of(first), 128 + SIGKILL);
    EXPECT_EQ(ledger().used, Bytes{0});
    EXPECT_EQ(exit_of(start_child([&] { return load_and_leave(load); })), kExitFine);
    close(ready[0]);
    close(ready[1]);
}

TEST_F(GpuTest, LosesWhatSomebodyElseTakes) {
    const Load load{.path = make_model(Architecture::kLlama, Quant::kQ8_0)};
    setenv("HOTDESK_EMULATED_RESERVED", "8MiB", 1);
    EXPECT_EQ(exit_of(start_child([&] { return load_and_leave(load); })), kExitNoContext);
    setenv("HOTDESK_EMULATED_RESERVED", "0MiB", 1);
    EXPECT_EQ(exit_of(start_child([&] { return load_and_leave(load); })), kExitFine);
    unsetenv("HOTDESK_EMULATED_RESERVED");
}

TEST_F(GpuTest, IsNotThereWithoutASize) {
    unsetenv("HOTDESK_EMULATED_BYTES");
    EXPECT_EQ(exit_of(start_child([] { return kExitFine; })), kExitOther);
}

}  // namespace
}  // namespace hotdesk::emulated
