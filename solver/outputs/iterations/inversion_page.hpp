/// \file
/// iterations.html: one page with the model after each iteration of an inversion, and how the misfit fell.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/pictures/picture.hpp"
#include "solver/outputs/iterations/inversion_output.hpp"
#include "solver/report/blocks.hpp"

namespace onda {

/// The most models that a page shows.
inline constexpr std::size_t kMostOnPage = 60;

/// The lines of the table whose models a page shows: all, or one in so many from the first on, and the last. Most of
/// them stay the same while the table grows.
std::vector<std::size_t> shown_on_page(std::size_t lines);

/// "stage 2, iteration 7".
std::string name_of(const InversionIteration& iteration);

/// What a page is made of.
struct InversionPage {
    std::string title;  ///< any text
    std::span<const InversionIteration> iterations;
    std::span<const double> places;  ///< places_of()
    std::span<const std::size_t> shown;
    /// The model of one of those, by its place in `shown`; asked for in order, once each, all of one size.
    std::function<Picture(std::size_t)> picture_of;
};

/// The page, which refers to nothing beyond itself. The same content gives the same bytes.
void put_inversion_page(const InversionPage& page, const PutText& put);

}  // namespace onda
