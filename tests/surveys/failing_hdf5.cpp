// A library to preload: calls of the HDF5 library fail by themselves, without a reason that the system would know.
//   ONDA_FAIL_AT     n, from 1: the n-th call fails, of this process and those that it forks; it does nothing, and
//                    returns what stands for a fault; with ONDA_FAIL_ON set, so do all later ones
//   ONDA_FAIL_COUNT  a file that the number of calls is written to when the process ends by exit()
//   ONDA_FAIL_WHERE  a file that the name of the first call that fails is written to
// Counted are the calls that Onda makes, those of them that HDF5's library of dimension scales makes included.
#define H5_USE_110_API
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <new>
#include <sys/mman.h>
#include <tuple>
#include <type_traits>
#include <unistd.h>

namespace {

/// Shared with the processes that read files.
struct Counters {
    std::atomic<long> calls{0};
    std::atomic<bool> told{false};
};
Counters& counters() {
    static Counters& shared =
        *new (mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Counters;
    return shared;
}
__attribute__((constructor)) void begin_to_count() {
    counters();
}

void put(const char* variable, const char* text) {
    const char* const file = getenv(variable);
    if (file == nullptr) return;
    const int id = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (write(id, text, strlen(text)) < 0) abort();
    close(id);
}

__attribute__((destructor)) void tell_count() {
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", counters().calls.load());
    put("ONDA_FAIL_COUNT", digits);
}

bool fails(const char* name) {
    const char* const wanted = getenv("ONDA_FAIL_AT");
    const long n = ++counters().calls, at = wanted != nullptr ? atol(wanted) : 0;
    if (at <= 0 || n < at || (n > at && getenv("ONDA_FAIL_ON") == nullptr)) return false;
    if (!counters().told.exchange(true)) put("ONDA_FAIL_WHERE", name);
    return true;
}

template <typename Function>
struct Parts;
template <typename Result, typename... Parameters>
struct Parts<Result(Parameters...)> {
    using Answer = Result;
    template <std::size_t i>
    using Parameter = std::tuple_element_t<i, std::tuple<Parameters...>>;
    /// What stands for a fault: negative, and of sizes 0.
    static constexpr Result kFault = static_cast<Result>(std::is_unsigned_v<Result> ? 0 : -1);
};

}  // namespace

#define ONDA_P(name, i) Parts<decltype(name)>::Parameter<i> p##i
#define ONDA_CALL(name, parameters, arguments)                                                \
    extern "C" Parts<decltype(name)>::Answer name parameters {                                \
        static auto* const real = reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name)); \
        return fails(#name) ? Parts<decltype(name)>::kFault : real arguments;                 \
    }
#define ONDA_CALL_1(name) ONDA_CALL(name, (ONDA_P(name, 0)), (p0))
#define ONDA_CALL_2(name) ONDA_CALL(name, (ONDA_P(name, 0), ONDA_P(name, 1)), (p0, p1))
#define ONDA_CALL_3(name) ONDA_CALL(name, (ONDA_P(name, 0), ONDA_P(name, 1), ONDA_P(name, 2)), (p0, p1, p2))
#define ONDA_CALL_4(name) \
    ONDA_CALL(name, (ONDA_P(name, 0), ONDA_P(name, 1), ONDA_P(name, 2), ONDA_P(name, 3)), (p0, p1, p2, p3))
#define ONDA_CALL_5(name)                                                                                  \
    ONDA_CALL(name, (ONDA_P(name, 0), ONDA_P(name, 1), ONDA_P(name, 2), ONDA_P(name, 3), ONDA_P(name, 4)), \
              (p0, p1, p2, p3, p4))
#define ONDA_CALL_6(name)                                                                                             \
    ONDA_CALL(name,                                                                                                   \
              (ONDA_P(name, 0), ONDA_P(name, 1), ONDA_P(name, 2), ONDA_P(name, 3), ONDA_P(name, 4), ONDA_P(name, 5)), \
              (p0, p1, p2, p3, p4, p5))

ONDA_CALL_1(H5Aget_space)
ONDA_CALL_1(H5Aget_type)
ONDA_CALL_1(H5Aclose)
ONDA_CALL_1(H5Dclose)
ONDA_CALL_1(H5Dget_create_plist)
ONDA_CALL_1(H5Dget_space)
ONDA_CALL_1(H5Dget_storage_size)
ONDA_CALL_1(H5Dget_type)
ONDA_CALL_1(H5Fclose)
ONDA_CALL_1(H5Gclose)
ONDA_CALL_1(H5Iget_file_id)
ONDA_CALL_1(H5Iget_type)
ONDA_CALL_1(H5Lregister)
ONDA_CALL_1(H5Oclose)
ONDA_CALL_1(H5PLset_loading_state)
ONDA_CALL_1(H5Pclose)
ONDA_CALL_1(H5Pcreate)
ONDA_CALL_1(H5Pget_external_count)
ONDA_CALL_1(H5Pget_layout)
ONDA_CALL_1(H5Pget_nfilters)
ONDA_CALL_1(H5Pset_fletcher32)
ONDA_CALL_1(H5Sclose)
ONDA_CALL_1(H5Screate)
ONDA_CALL_1(H5Sget_select_npoints)
ONDA_CALL_1(H5Sget_simple_extent_ndims)
ONDA_CALL_1(H5Sget_simple_extent_npoints)
ONDA_CALL_1(H5Sget_simple_extent_type)
ONDA_CALL_1(H5Tclose)
ONDA_CALL_1(H5Tcopy)
ONDA_CALL_1(H5Tget_class)
ONDA_CALL_1(H5Tget_cset)
ONDA_CALL_1(H5Tget_size)
ONDA_CALL_1(H5Tis_variable_str)
ONDA_CALL_2(H5Aexists)
ONDA_CALL_2(H5DSset_scale)
ONDA_CALL_2(H5Fflush)
ONDA_CALL_2(H5Fget_obj_count)
ONDA_CALL_2(H5Gget_info)
ONDA_CALL_2(H5Pget_virtual_count)
ONDA_CALL_2(H5Pget_virtual_vspace)
ONDA_CALL_2(H5Pget_virtual_srcspace)
ONDA_CALL_2(H5Pset_deflate)
ONDA_CALL_2(H5Pset_evict_on_close)
ONDA_CALL_2(H5Pset_fclose_degree)
ONDA_CALL_2(H5Pset_obj_track_times)
ONDA_CALL_2(H5Tequal)
ONDA_CALL_2(H5Tset_cset)
ONDA_CALL_2(H5Tset_size)
ONDA_CALL_2(H5Tset_strpad)
ONDA_CALL_3(H5Aopen)
ONDA_CALL_3(H5Aread)
ONDA_CALL_3(H5Awrite)
ONDA_CALL_3(H5DSattach_scale)
ONDA_CALL_3(H5Dopen2)
ONDA_CALL_3(H5Eset_auto2)
ONDA_CALL_3(H5Fget_vfd_handle)
ONDA_CALL_3(H5Fopen)
ONDA_CALL_3(H5Lexists)
ONDA_CALL_3(H5Oget_info2)
ONDA_CALL_3(H5Oopen)
ONDA_CALL_3(H5Pget_chunk)
ONDA_CALL_3(H5Pset_chunk)
ONDA_CALL_3(H5Pset_file_locking)
ONDA_CALL_3(H5Pset_fill_value)
ONDA_CALL_3(H5Pset_libver_bounds)
ONDA_CALL_3(H5Screate_simple)
ONDA_CALL_3(H5Sget_select_bounds)
ONDA_CALL_3(H5Sget_simple_extent_dims)
ONDA_CALL_4(H5Dvlen_reclaim)
ONDA_CALL_4(H5Fcreate)
ONDA_CALL_4(H5Lget_info)
ONDA_CALL_4(H5Pget_virtual_filename)
ONDA_CALL_4(H5Pget_virtual_dsetname)
ONDA_CALL_4(H5Pset_chunk_cache)
ONDA_CALL_5(H5Dget_chunk_info_by_coord)
ONDA_CALL_5(H5Gcreate2)
ONDA_CALL_5(H5Lget_val)
ONDA_CALL_5(H5Lunpack_elink_val)
ONDA_CALL_5(H5Oget_info_by_name2)
ONDA_CALL_5(H5Olink)
ONDA_CALL_5(H5Pset_virtual)
ONDA_CALL_6(H5Acreate2)
ONDA_CALL_6(H5Dread)
ONDA_CALL_6(H5Dwrite)
ONDA_CALL_6(H5Dwrite_chunk)
ONDA_CALL_6(H5Lcreate_external)
ONDA_CALL_6(H5Literate)
ONDA_CALL_6(H5Sselect_hyperslab)
ONDA_CALL(H5Dcreate2,
          (ONDA_P(H5Dcreate2, 0), ONDA_P(H5Dcreate2, 1), ONDA_P(H5Dcreate2, 2), ONDA_P(H5Dcreate2, 3),
           ONDA_P(H5Dcreate2, 4), ONDA_P(H5Dcreate2, 5), ONDA_P(H5Dcreate2, 6)),
          (p0, p1, p2, p3, p4, p5, p6))
ONDA_CALL(H5Pget_filter2,
          (ONDA_P(H5Pget_filter2, 0), ONDA_P(H5Pget_filter2, 1), ONDA_P(H5Pget_filter2, 2), ONDA_P(H5Pget_filter2, 3),
           ONDA_P(H5Pget_filter2, 4), ONDA_P(H5Pget_filter2, 5), ONDA_P(H5Pget_filter2, 6), ONDA_P(H5Pget_filter2, 7)),
          (p0, p1, p2, p3, p4, p5, p6, p7))
