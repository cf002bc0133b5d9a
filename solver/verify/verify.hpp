/// \file
/// The promises of Onda's numerics, as a table: what is measured, against which mathematics, and the limit.
///
/// `onda verify` prints the table, the tests run the same rows, and docs/validation.md is printed from it. A new
/// promise is one row of its group in solver/verify/.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace onda {

/// The device and kernel that compute the measurements: a row of devices(), and the fields of Setup of the same names.
struct VerifyOptions {
    std::string backend = "cpu";
    std::string kernel = "auto";
    std::string isa = "auto";
    std::string stepping = "single";  ///< or "leap", of what can leap
    int threads = 0;

    bool operator==(const VerifyOptions&) const = default;
};

struct Measurement {
    double value = 0.;   ///< in the quantity and unit of the group
    std::string detail;  ///< what a reader may want to know beside the number; may be empty
};

/// One row: kept when the measured value is at most the limit. A NaN is never kept.
struct Promise {
    std::string name;  ///< unique within its group
    double limit = 0.;
    bool quick = false;  ///< part of `onda verify --quick`
    std::function<Measurement(const VerifyOptions&)> measure;
    /// Left to `onda verify` by the tests: others of the group hold the same in less time.
    bool takes_long = false;
};

/// Promises that share a quantity, a method and a source.
struct PromiseGroup {
    std::string id;        ///< "R3"
    std::string title;     ///< "Green's functions"
    std::string quantity;  ///< what value and limit are: "relative L2 error"
    std::string unit;      ///< "" or "dB"
    std::string method;    ///< Markdown: what is done, the formula and its source
    std::vector<Promise> promises;
};

/// The whole table, in the order of the ids.
std::vector<PromiseGroup> verification_table();

struct Verdict {
    Measurement measured;
    bool kept = false;
    bool is_measured = true;  ///< false: the device has no kernel for it, which is no fault
    double seconds = 0.;      ///< wall time of the measurement
};

/// Refuses options that do not exist here before anything is measured. \throws what usable_device and check_setup
/// throw.
void check_options(const VerifyOptions& options);

/// Measures one promise. \throws what usable_device and check_setup throw for options that do not exist here.
Verdict check_promise(const Promise& promise, const VerifyOptions& options);

}  // namespace onda
