#include "kernels/cuda/links/nccl.hpp"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <string>
#include <sys/utsname.h>
#include <type_traits>

#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/runtime.hpp"

#if __has_include(<nccl.h>) && !defined(ONDA_CUDA_ON_HOST)
#include <nccl.h>
#endif

namespace onda::cuda {
namespace {

// What is used of NCCL's interface, which is that of every version from 2.7 (the first with messages between two GPUs)
// on: its header is not needed. Where there is one, the compiler compares.
struct Id {
    char bytes[128];
};
using Communicator = void*;
constexpr int kSuccess = 0, kBytes = 0;  // ncclSuccess, ncclInt8

struct Nccl {
    int (*get_version)(int* version) = nullptr;
    int (*get_unique_id)(Id* id) = nullptr;
    int (*init_rank)(Communicator* communicator, int ranks, Id id, int rank) = nullptr;
    int (*destroy)(Communicator) = nullptr;
    int (*abort)(Communicator) = nullptr;
    int (*group_start)() = nullptr;
    int (*group_end)() = nullptr;
    int (*send)(const void* data, std::size_t count, int type, int peer, Communicator, cudaStream_t) = nullptr;
    int (*receive)(void* data, std::size_t count, int type, int peer, Communicator, cudaStream_t) = nullptr;
    const char* (*error_text)(int result) = nullptr;
    LinkLibrary about;
};

#ifdef NCCL_MAJOR
static_assert(sizeof(Id) == sizeof(ncclUniqueId) && int{ncclSuccess} == kSuccess && int{ncclInt8} == kBytes);
static_assert(sizeof(ncclResult_t) == sizeof(int) && sizeof(ncclDataType_t) == sizeof(int) &&
              std::is_pointer_v<ncclComm_t>);
static_assert(std::is_same_v<decltype(ncclGetVersion), ncclResult_t(int*)>);
static_assert(std::is_same_v<decltype(ncclGetUniqueId), ncclResult_t(ncclUniqueId*)>);
static_assert(std::is_same_v<decltype(ncclCommInitRank), ncclResult_t(ncclComm_t*, int, ncclUniqueId, int)>);
static_assert(std::is_same_v<decltype(ncclCommDestroy), ncclResult_t(ncclComm_t)>);
static_assert(std::is_same_v<decltype(ncclCommAbort), ncclResult_t(ncclComm_t)>);
static_assert(std::is_same_v<decltype(ncclGroupStart), ncclResult_t()>);
static_assert(std::is_same_v<decltype(ncclGroupEnd), ncclResult_t()>);
static_assert(std::is_same_v<decltype(ncclSend),
                             ncclResult_t(const void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)>);
static_assert(std::is_same_v<decltype(ncclRecv),
                             ncclResult_t(void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)>);
static_assert(std::is_same_v<decltype(ncclGetErrorString), const char*(ncclResult_t)>);
#endif

template <typename Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

/// "2.28.3" of 22803.
std::string version_text(int version) {
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
}

Nccl load() {
    Nccl nccl;
    constexpr const char* name = "libnccl.so.2";
    // A program that Onda is a part of may have it already.
    void* const library =
        dlopen(dlsym(RTLD_DEFAULT, "ncclGetVersion") != nullptr ? nullptr : name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const why = dlerror();
        nccl.about.problem =
            std::string(why != nullptr ? why : name) +
            "; install NVIDIA's package libnccl2, or name the folder of another one in LD_LIBRARY_PATH";
        return nccl;
    }
    int version = 0;
    if (find(library, "ncclGetVersion", nccl.get_version) && find(library, "ncclGetUniqueId", nccl.get_unique_id) &&
        find(library, "ncclCommInitRank", nccl.init_rank) && find(library, "ncclCommDestroy", nccl.destroy) &&
        find(library, "ncclCommAbort", nccl.abort) && find(library, "ncclGroupStart", nccl.group_start) &&
        find(library, "ncclGroupEnd", nccl.group_end) && find(library, "ncclSend", nccl.send) &&
        find(library, "ncclRecv", nccl.receive) && find(library, "ncclGetErrorString", nccl.error_text) &&
        nccl.get_version(&version) == kSuccess)
        nccl.about.name = "NCCL " + version_text(version);
    else
        nccl.about.problem = std::string(name) + " is older than NCCL 2.7";
    return nccl;
}

const Nccl& nccl() {
    static const Nccl one = load();
    return one;
}

void check(int result, const char* call) {
    if (result == kSuccess) return;
    throw Error(std::string("NCCL: ") + call + " failed: " + nccl().error_text(result) +
                    "\n  NCCL_DEBUG=WARN says more; backend.exchange: host does without",
                false);
}

}  // namespace

const LinkLibrary& link_library() {
    return nccl().about;
}

std::string link_place(const std::string& bus_id) {
    const char* const given = std::getenv("NCCL_HOSTID");
    utsname names{};
    uname(&names);
    return std::string(given != nullptr ? given : names.nodename) + " " + bus_id;
}

std::vector<std::byte> make_nccl_id() {
    Id id{};
    check(nccl().get_unique_id(&id), "ncclGetUniqueId");
    std::vector<std::byte> bytes(sizeof id);
    std::memcpy(bytes.data(), &id, sizeof id);
    return bytes;
}

NcclLink::NcclLink(std::span<const std::byte> id, int end) : other_(1 - end) {
    Id both{};
    if (id.size() != sizeof both) throw Error("NCCL: an id of another size: all processes need the same Onda", false);
    std::memcpy(&both, id.data(), sizeof both);
    check(nccl().init_rank(&communicator_, 2, both, end), "ncclCommInitRank");
}

// What unwinds after an error does not wait for the other end. Messages that nobody answers end with the process.
NcclLink::~NcclLink() {
    (std::uncaught_exceptions() > 0 ? nccl().abort : nccl().destroy)(communicator_);
}

void NcclLink::exchange(std::span<const std::byte> out, std::span<std::byte> in, cudaStream_t stream) const {
    check(nccl().group_start(), "ncclGroupStart");
    const int sent = nccl().send(out.data(), out.size(), kBytes, other_, communicator_, stream);
    const int received = nccl().receive(in.data(), in.size(), kBytes, other_, communicator_, stream);
    check(nccl().group_end(), "ncclGroupEnd");
    check(sent, "ncclSend");
    check(received, "ncclRecv");
}

}  // namespace onda::cuda
