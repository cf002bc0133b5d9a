// Barriers and copies on the host.
#include "cuda_on_host_machine.hpp"
#include "kernels/cuda/primitives.hpp"

namespace onda::cuda {
namespace {

constexpr int kBoxAlignment = 128, kLargestBox = 256;
constexpr std::uint16_t kPoison16 = 0xFFFF;

void check_barrier(const Barrier& b) {
    check_alignment(&b, 8, "a barrier");
    if (b.arrivals == kPoison16) machine().fail("a barrier is used that was never initialised");
}

void add_bytes(Barrier& b, int bytes) {
    check_barrier(b);
    b.bytes_left += 2 * bytes;
}

void complete_phase_if_done(Barrier& b) {
    if (b.arrivals_left != 0 || b.bytes_left >> 1 != 0) return;
    b.arrivals_left = b.arrivals;
    b.bytes_left ^= 1;
}

void arrive(Barrier& b) {
    check_barrier(b);
    if (b.arrivals_left == 0) machine().fail("more arrivals at a barrier than it was initialised for");
    --b.arrivals_left;
    complete_phase_if_done(b);
}

void perform(const Copy16& copy) {
    static const unsigned char zeros[16] = {};
    std::memcpy(copy.shared, copy.global != nullptr ? copy.global : zeros, 16);
}

void check_map(const TensorMap& map) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) machine().fail(std::string("tensor map: ") + what);
    };
    check_alignment(map.base, 16, "tensor map: its array");
    require(map.stride_bytes[0] % 16 == 0 && map.stride_bytes[1] % 16 == 0, "strides must be multiples of 16 bytes");
    require(map.box_width * map.element_bytes % 16 == 0, "a row of the box must be a multiple of 16 bytes");
    require(map.box_width > 0 && map.box_width <= kLargestBox && map.box_height > 0 && map.box_height <= kLargestBox,
            "a box has 1 to 256 elements along each axis");
    require(map.extent[0] > 0 && map.extent[1] > 0 && map.extent[2] > 0, "an extent is zero");
}

}  // namespace

void perform(const BoxCopy& copy) {
    const TensorMap& map = copy.map;
    unsigned char* to = copy.shared;
    const auto inside = [&](int axis, std::int64_t i) { return i >= 0 && i < map.extent[axis]; };
    for (int row = 0; row < map.box_height; ++row)
        for (int column = 0; column < map.box_width; ++column, to += map.element_bytes) {
            const std::int64_t x = copy.x + column, y = copy.y + row;
            std::memset(to, 0, static_cast<std::size_t>(map.element_bytes));
            if (inside(0, x) && inside(1, y) && inside(2, copy.z))
                std::memcpy(to,
                            static_cast<const unsigned char*>(map.base) + x * map.element_bytes +
                                y * map.stride_bytes[0] + copy.z * map.stride_bytes[1],
                            static_cast<std::size_t>(map.element_bytes));
        }
    add_bytes(*copy.barrier, -map.box_width * map.box_height * map.element_bytes);
    complete_phase_if_done(*copy.barrier);
}

void run_on_host(const HostLaunch& launch, const std::function<void()>& thread) {
    machine().run(launch, thread);
}

void check_alignment(const void* address, int alignment, const char* what) {
    if (reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(alignment) != 0)
        machine().fail(std::string(what) + " must be aligned to " + std::to_string(alignment) + " bytes");
}

unsigned char* shared_memory() {
    return machine().shared();
}

void barrier_init(Barrier* barrier, int arrivals) {
    machine().check_inside(barrier, sizeof *barrier, "a barrier");
    check_alignment(barrier, 8, "a barrier");
    const auto count = static_cast<std::uint16_t>(arrivals);
    *barrier = {count, count, 0};
}
void barrier_expect(Barrier* barrier, int bytes) {
    add_bytes(*barrier, bytes);
    arrive(*barrier);
}
void barrier_wait(Barrier* barrier, int parity) {
    check_barrier(*barrier);
    Fibre& self = machine().self();
    self.barrier = barrier;
    self.parity = parity;
    if (phase(*barrier) == parity) machine().wait(Wait::barrier);
    self.wait = Wait::nothing;
}

void copy_box(void* shared, const TensorMap* map, int x, int y, int z, Barrier* barrier) {
    check_map(*map);
    check_alignment(shared, kBoxAlignment, "the target of copy_box");
    if (std::int64_t{x} * map->element_bytes % 16 != 0)  // of hardware: an illegal instruction
        machine().fail("the box of copy_box must begin on a multiple of 16 bytes of a row");
    const std::int64_t bytes = std::int64_t{map->box_width} * map->box_height * map->element_bytes;
    machine().check_inside(shared, bytes, "the target of copy_box");
    machine().check_inside(barrier, sizeof *barrier, "a barrier");
    machine().start({*map, x, y, z, static_cast<unsigned char*>(shared), barrier});
}

void copy_async16(void* shared, const void* global, bool inside) {
    machine().check_inside(shared, 16, "the target of copy_async16");
    check_alignment(shared, 16, "the target of copy_async16");
    if (inside) check_alignment(global, 16, "the source of copy_async16");
    const Copy16 copy{shared, inside ? global : nullptr};
    if (machine().launch().copies == Copies::early)
        perform(copy);
    else
        machine().self().copies.push_back(copy);
}
void copies_commit() {
    Fibre& self = machine().self();
    self.groups.push_back(self.copies.size());
}
void wait_for_copies(int pending_groups) {
    Fibre& self = machine().self();
    const auto ended = std::ssize(self.groups) - pending_groups;
    if (ended <= 0) return;
    const std::size_t done = self.groups[static_cast<std::size_t>(ended - 1)];
    for (std::size_t i = 0; i < done; ++i) perform(self.copies[i]);
    self.copies.erase(self.copies.begin(), self.copies.begin() + static_cast<std::ptrdiff_t>(done));
    self.groups.erase(self.groups.begin(), self.groups.begin() + ended);
    for (std::size_t& end : self.groups) end -= done;
}

}  // namespace onda::cuda

void __syncthreads() {
    onda::cuda::machine().syncthreads();
}
