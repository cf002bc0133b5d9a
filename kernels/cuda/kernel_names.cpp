// The names of the CUDA kernels: the same list whether CUDA was compiled in or not, so that a configuration is judged
// alike everywhere.
#include <string>
#include <vector>

#include "kernels/cuda/cuda.hpp"
#include "kernels/load_strategy.hpp"

namespace onda::cuda {

std::span<const KernelInfo> kernel_names() {
    static const std::vector<std::string> texts = [] {
        std::vector<std::string> list;
        for (const LoadStrategy& strategy : kLoadStrategies) {
            list.push_back("inplane-" + std::string(strategy.name));
            list.push_back("in-plane method; loads " + std::string(strategy.help));
        }
        for (const LoadStrategy& strategy : kLoadStrategies) {
            list.push_back("thesis-" + std::string(strategy.name));
            list.push_back("the original mapping of the thesis, marching along y, to reproduce its tables; loads " +
                           std::string(strategy.help));
        }
        return list;
    }();
    static const std::vector<KernelInfo> names = [] {
        std::vector<KernelInfo> list{
            {"direct", "one thread per grid point, global memory and caches only"},
            {"fused",
             "the star, a whole time step in one launch: stencil, CPML, sources and receivers, with columns in "
             "registers"},
            {"leap",
             "two time steps at once, 3-D, bulk-tensor copies: half of the threads apply the operator once, the others "
             "again"},
            {"leap-direct",
             "two time steps at once: global memory and caches, one plane of the first operator in "
             "shared memory"},
            {"march-direct",
             "order 2 in 2-D and compact27: sums each plane once; threads map to the nodes they compute, those at the "
             "tile edge load the halo"},
            {"march-overlapped",
             "order 2 in 2-D and compact27: sums each plane once; threads map to all loaded nodes, blocks overlap"},
            {"march25d", "2.5-D: marches along z with a queue of 2r + 1 planes (Micikevicius 2009)"},
        };
        for (std::size_t i = 0; i < texts.size(); i += 2) list.push_back({texts[i], texts[i + 1]});
        return list;
    }();
    return names;
}

}  // namespace onda::cuda
