// A library to preload: the n-th allocation of the process fails, or every one from the n-th on.
//   ONDA_FAIL_AT    n, from 1; absent or 0: none fails
//   ONDA_FAIL_ALL   set: all from the n-th on
//   ONDA_FAIL_COUNT a file that the number of allocations is written to when the process ends by exit()
//   ONDA_FAIL_WHERE a file that the path of the library or program whose allocation failed first is written to
// Only malloc and its like count; operator new comes through malloc.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

extern "C" {
// glibc's own names: dlsym() allocates itself, so the real ones cannot be looked up from inside malloc.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

std::atomic<long> seen{0};
std::atomic<int> ready{0};
long fail_at = 0;
bool fail_all = false;

/// getenv() reads memory that is there before any library starts; racing threads would read the same.
void prepare() {
    if (ready.load()) return;
    const char* at = getenv("ONDA_FAIL_AT");
    fail_at = at == nullptr ? 0 : atol(at);
    fail_all = getenv("ONDA_FAIL_ALL") != nullptr;
    ready.store(1);
}

void write_to(const char* file, const char* text, std::size_t size) {
    const int id = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (id < 0) return;
    if (write(id, text, size) < 0) fail_at = 0;
    close(id);
}

/// \param caller an address in the code that asks for memory.
bool fails(const void* caller) {
    prepare();
    const long n = ++seen;
    if (fail_at <= 0 || n < fail_at || (!fail_all && n > fail_at)) return false;
    Dl_info object{};
    if (const char* file = getenv("ONDA_FAIL_WHERE"); file != nullptr && n == fail_at && dladdr(caller, &object) != 0)
        write_to(file, object.dli_fname, strlen(object.dli_fname));
    errno = ENOMEM;
    return true;
}

__attribute__((destructor)) void tell_count() {
    const char* file = getenv("ONDA_FAIL_COUNT");
    if (file == nullptr) return;
    char digits[24];
    char* end = digits + sizeof digits;
    char* begin = end;
    for (long n = seen.load(); n > 0; n /= 10) *--begin = static_cast<char>('0' + n % 10);
    write_to(file, begin, static_cast<std::size_t>(end - begin));
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
    return fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    return fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
    return fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
    return fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}
/// libc's own calls malloc on behalf of its caller, whose library is the one to name.
char* strdup(const char* text) {
    const std::size_t size = strlen(text) + 1;
    void* copy = fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(size);
    return copy == nullptr ? nullptr : static_cast<char*>(memcpy(copy, text, size));
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
    if (fails(__builtin_return_address(0))) return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out == nullptr ? ENOMEM : 0;
}

}  // extern "C"
