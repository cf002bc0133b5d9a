/// \file
/// iterations.html: one page with the model after each iteration of an inversion, and how the misfit fell.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
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

/// A section of a page: a picture, or a table, or both.
struct PageSection {
    std::string title, lead{};  ///< any text; lead empty: none
    std::optional<Picture> picture{};
    std::string alt{};                ///< what the picture shows
    std::vector<std::string> head{};  ///< of the table; empty: there is none
    std::vector<std::vector<std::string>> rows{};
};

/// Profiles of vp [m/s] at a well, at InversionPage::depth_m.
struct PageWell {
    std::string title;                                ///< any text
    std::span<const float> start, truth;              ///< truth empty: not known
    std::span<const double> log_depth_m, log_vp_m_s;  ///< empty: nothing was logged
    std::vector<std::span<const float>> models;       ///< by their place in InversionPage::shown
};

/// What a page is made of.
struct InversionPage {
    std::string title;  ///< any text
    std::span<const InversionIteration> iterations;
    std::span<const double> places;  ///< places_of()
    std::span<const std::size_t> shown;
    /// The model of one of those, by its place in `shown`; asked for in order, once each, all of one size.
    std::function<Picture(std::size_t)> picture_of;
    std::vector<PageSection> sections{};
    std::vector<PageWell> wells{};
    std::vector<double> depth_m{};  ///< of profiles, as z of positions
};

/// The page, which refers to nothing beyond itself. The same content gives the same bytes.
void put_inversion_page(const InversionPage& page, const PutText& put);

}  // namespace onda
