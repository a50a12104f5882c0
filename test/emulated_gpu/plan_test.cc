// SPDX-License-Identifier: MIT
// The planner against llama.cpp: what it predicts from the header is what is then allocated.
#include "core/planner.h"

#include "engine_fixture.h"

namespace hotdesk::emulated {
namespace {

using mkmodel::Architecture;
using mkmodel::Quant;

ModelHeader header_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    const auto read =
        read_gguf({std::as_bytes(std::span(bytes)), {static_cast<int64_t>(bytes.size())}});
    EXPECT_TRUE(read) << read.error().message;
    return std::get<ModelHeader>(*read);
}

// What llama.cpp holds, on the device and beside it.
MemoryPlan allocated(const llama_context* context) {
    MemoryPlan sum;
    for (const auto& [type, part] : llama_get_memory_breakdown(context)) {
        MemoryParts& side = ggml_backend_buft_is_host(type) ? sum.host : sum.device;
        side.weights += {static_cast<int64_t>(part.model)};
        side.kv += {static_cast<int64_t>(part.context)};
        side.compute += {static_cast<int64_t>(part.compute)};
    }
    return sum;
}

// Compute may be planned 25 % too large, and 5 % too small.
void expect_covers(Bytes planned, Bytes real, const std::string& what) {
    EXPECT_GE(planned.value * 100, real.value * 95)
        << what << " is planned too small for " << real.value;
    EXPECT_LE(planned.value * 100, real.value * 125)
        << what << " is planned too large for " << real.value;
}

void expect_plan_holds(const Load& load) {
    const MemoryNeeds needs{
        .placement = load.gpu_layers > 0 ? Placement::kDesk : Placement::kHost,
        .context = {load.cells},
        .sequences = static_cast<int>(load.sequences),
        .kv = load.kv == GGML_TYPE_F16 ? KvStorage::kF16 : KvStorage::kQ8_0,
    };
    const ModelHeader header = header_of(load.path);
    const auto plan = plan_memory(header, needs);
    ASSERT_TRUE(plan) << plan.error().message;
    const ModelPtr model = load_model(load);
    ASSERT_TRUE(model);
    const ContextPtr context = make_context(model.get(), load);
    ASSERT_TRUE(context);
    const MemoryPlan real = allocated(context.get());
    const std::string what =
        fmt::format("{} cells {} sequences {} kv {} layers {}", header.architecture, load.cells,
                    load.sequences, ggml_type_name(load.kv), load.gpu_layers);
    SCOPED_TRACE(what);
    EXPECT_EQ(plan->device.weights, real.device.weights);
    EXPECT_EQ(plan->device.kv, real.device.kv);
    EXPECT_EQ(plan->host.kv, real.host.kv);
    if (load.gpu_layers > 0) {
        EXPECT_EQ(plan->host.weights, real.host.weights);
        expect_covers(plan->device.compute, real.device.compute, "device compute");
    } else {
        // Mapped weights are counted as one range of the file, with its padding.
        EXPECT_NEAR(static_cast<double>(plan->host.weights.value),
                    static_cast<double>(real.host.weights.value), 4096);
        expect_covers(plan->host.compute, real.host.compute, "host compute");
    }
}

class PlanTest : public EngineTest {
  protected:
    PlanTest() {
        setenv("HOTDESK_EMULATED_BYTES", "2GiB", 1);
        EXPECT_TRUE(load_backends());
    }
};

TEST_F(PlanTest, IsWhatLlamaAllocatesForEveryArchitecture) {
    for (const Architecture architecture :
         {Architecture::kLlama, Architecture::kQwen2, Architecture::kQwen3, Architecture::kGemma2,
          Architecture::kMamba})
        for (const int layers : {0, 99})
            expect_plan_holds(
                {.path = make_model(architecture, Quant::kQ8_0), .gpu_layers = layers});
}

TEST_F(PlanTest, IsWhatLlamaAllocatesForEveryQuantization) {
    for (const Quant quant : {Quant::kF16, Quant::kQ4_0, Quant::kQ4KM, Quant::kQ6K})
        expect_plan_holds({.path = make_model(Architecture::kLlama, quant)});
}

TEST_F(PlanTest, IsWhatLlamaAllocatesForEveryPool) {
    const std::string llama = make_model(Architecture::kLlama, Quant::kQ8_0);
    for (const uint32_t cells : {256U, 1000U, 4096U, 16384U})
        for (const uint32_t sequences : {1U, 8U, 64U})
            for (const ggml_type kv : {GGML_TYPE_F16, GGML_TYPE_Q8_0})
                expect_plan_holds(
                    {.path = llama, .cells = cells, .sequences = sequences, .kv = kv});
}

TEST_F(PlanTest, CountsTheStatesOfARecurrentModel) {
    const std::string mamba = make_model(Architecture::kMamba, Quant::kQ8_0);
    for (const uint32_t sequences : {1U, 16U})
        expect_plan_holds({.path = mamba, .cells = 4096, .sequences = sequences});
}

TEST_F(PlanTest, CoversAVocabularyOfThirtyTwoThousand) {
    const auto donor =
        mkmodel::donor_vocab(HOTDESK_ENGINE_SOURCE "/models/ggml-vocab-llama-spm.gguf");
    ASSERT_TRUE(donor) << donor.error().message;
    mkmodel::Order order{.path = path("m.gguf")};
    order.shape.layers = 2;
    ASSERT_TRUE(mkmodel::write_model(order, *donor));
    for (const uint32_t sequences : {1U, 64U})
        expect_plan_holds({.path = order.path, .cells = 1024, .sequences = sequences});
}

}  // namespace
}  // namespace hotdesk::emulated
