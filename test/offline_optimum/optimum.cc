// SPDX-License-Identifier: MIT
#include "optimum.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/check.h"

namespace hotdesk::optimum {
namespace {

constexpr int kNobody = -1;

struct Place {
    std::array<int, kModelsMax> served{};
    int resident = kNobody;
    friend auto operator<=>(const Place&, const Place&) = default;
};
// A way to get to a place: when, at what cost.
struct Path {
    Millis at;
    Cost cost;
};

class Programme {
  public:
    enum class Goal { kTotal, kLongest };
    Programme(const Problem& problem, Goal goal, Millis per_load)
        : problem_(problem), goal_(goal), per_load_(per_load) {
        HD_CHECK(problem.models.size() <= kModelsMax);
        for (const auto& model : problem.models) jobs_ += static_cast<int>(model.jobs.size());
    }

    Cost solve() {
        worst_ = worth(greedy());
        std::map<Place, std::vector<Path>> layer{{Place{}, {Path{}}}};
        for (int served = 0; served < jobs_; ++served) {
            std::map<Place, std::vector<Path>> next;
            for (const auto& [place, paths] : layer)
                for (const Path& path : paths) go_on(place, path, next);
            layer = std::move(next);
            for (auto& [place, paths] : layer) keep_pareto(paths);
        }
        Cost best;
        bool found = false;
        for (const auto& [place, paths] : layer)
            for (const Path& path : paths) {
                if (found && worth(path.cost) >= worth(best)) continue;
                best = path.cost;
                found = true;
            }
        return best;
    }

  private:
    int models() const { return static_cast<int>(problem_.models.size()); }
    const Job* next_job(const Place& place, int model) const {
        const auto& jobs = problem_.models[static_cast<size_t>(model)].jobs;
        auto served = static_cast<size_t>(place.served[static_cast<size_t>(model)]);
        return served < jobs.size() ? &jobs[served] : nullptr;
    }
    Millis load_before(const Place& place, int model) const {
        return model == place.resident ? Millis{}
                                       : problem_.models[static_cast<size_t>(model)].load;
    }
    int64_t worth(const Cost& cost) const {
        if (goal_ == Goal::kLongest) return cost.longest.value;
        return (cost.waits + per_load_ * cost.loads).value;
    }

    Path serve(Place& place, const Path& path, int model) const {
        const Job& job = *next_job(place, model);
        Millis start = std::max(path.at + load_before(place, model), job.release);
        Millis wait = start - job.release;
        Path after{start + job.service, path.cost};
        after.cost.waits += wait;
        after.cost.longest = std::max(after.cost.longest, wait);
        after.cost.loads += model == place.resident ? 0 : 1;
        ++place.served[static_cast<size_t>(model)];
        place.resident = model;
        return after;
    }
    void go_on(const Place& place, const Path& path,
               std::map<Place, std::vector<Path>>& next) const {
        for (int model = 0; model < models(); ++model) {
            if (!next_job(place, model)) continue;
            Place to = place;
            Path after = serve(to, path, model);
            after.at = std::max(after.at, first_need(to));
            if (at_least(to, after) <= worst_) next[to].push_back(after);
        }
    }
    // Until then nobody can use the desk, so that earlier arrivals are worth no more.
    Millis first_need(const Place& place) const {
        Millis first{INT64_MAX};
        for (int model = 0; model < models(); ++model)
            if (const Job* job = next_job(place, model))
                first = std::min(first, job->release - load_before(place, model));
        return first == Millis{INT64_MAX} ? Millis{} : first;
    }
    // What the path will be worth at best: whoever waits by now has waited until now.
    int64_t at_least(const Place& place, const Path& path) const {
        Cost cost = path.cost;
        for (int model = 0; model < models(); ++model) {
            const auto& jobs = problem_.models[static_cast<size_t>(model)].jobs;
            for (auto i = static_cast<size_t>(place.served[static_cast<size_t>(model)]);
                 i < jobs.size() && jobs[i].release < path.at; ++i) {
                cost.waits += path.at - jobs[i].release;
                cost.longest = std::max(cost.longest, path.at - jobs[i].release);
            }
        }
        return worth(cost);
    }
    void keep_pareto(std::vector<Path>& paths) const {
        std::sort(paths.begin(), paths.end(), [&](const Path& a, const Path& b) {
            return std::tuple(a.at, worth(a.cost), a.cost.waits) <
                   std::tuple(b.at, worth(b.cost), b.cost.waits);
        });
        size_t kept = 0;
        for (const Path& path : paths)
            if (kept == 0 || worth(path.cost) < worth(paths[kept - 1].cost)) paths[kept++] = path;
        paths.resize(kept);
    }
    // Some schedule, so that what is worse is not followed: the loaded model's line as long as
    // somebody is in it, then the model of whoever came first.
    Cost greedy() const {
        Place place;
        Path path;
        for (int served = 0; served < jobs_; ++served) {
            int best = kNobody;
            for (int model = 0; model < models(); ++model) {
                const Job* job = next_job(place, model);
                if (!job) continue;
                bool is_here = model == place.resident && job->release <= path.at;
                bool is_first = best == kNobody || job->release < next_job(place, best)->release;
                if (is_here || is_first) best = model;
                if (is_here) break;
            }
            path = serve(place, path, best);
        }
        return path.cost;
    }

    const Problem& problem_;
    Goal goal_;
    Millis per_load_;
    int jobs_ = 0;
    int64_t worst_ = 0;  // of what is worth following
};

}  // namespace

Cost least_total(const Problem& problem, Millis per_load) {
    return Programme(problem, Programme::Goal::kTotal, per_load).solve();
}

Cost least_longest(const Problem& problem) {
    return Programme(problem, Programme::Goal::kLongest, {}).solve();
}

}  // namespace hotdesk::optimum
