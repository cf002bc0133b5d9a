#include "io/pictures/drawing.hpp"

#include <algorithm>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <cmath>
#include <dlfcn.h>
#include <filesystem>
#include <fontconfig/fontconfig.h>
#include <link.h>
#include <mutex>
#include <new>
#include <numbers>
#include <png.h>
#include <zlib.h>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

struct Release {
    void operator()(cairo_t* context) const { cairo_destroy(context); }
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Context = std::unique_ptr<cairo_t, Release>;
using Surface = std::unique_ptr<cairo_surface_t, Release>;

void check(cairo_status_t status) {
    if (status == CAIRO_STATUS_SUCCESS) return;
    if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
    throw Error(ExitCode::internal, std::string("drawing a picture: ") + cairo_status_to_string(status));
}

cairo_status_t append(void* file, const unsigned char* data, unsigned length) {
    try {
        static_cast<std::string*>(file)->append(reinterpret_cast<const char*>(data), length);
        return CAIRO_STATUS_SUCCESS;
    } catch (const std::bad_alloc&) {
        return CAIRO_STATUS_NO_MEMORY;
    }
}

Surface make_surface(SheetKind kind, int width, int height, double scale, std::string& file) {
    const auto pixels = [scale](int points) { return std::max(1, static_cast<int>(std::lround(points * scale))); };
    if (kind == SheetKind::png) {
        constexpr int most = 32'767;  // of Cairo along a side
        if (std::max(width, height) * scale > most)
            throw Error(ExitCode::usage, "a picture of " + std::to_string(std::llround(width * scale)) + " x " +
                                             std::to_string(std::llround(height * scale)) +
                                             " pixels: no side may have "
                                             "more than " +
                                             std::to_string(most) +
                                             "; take fewer dots per inch, or less width (PDF and SVG have no limit)");
        return Surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(width), pixels(height)));
    }
    if (kind == SheetKind::svg)
        return Surface(cairo_svg_surface_create_for_stream(append, &file, width * scale, height * scale));
    Surface surface(cairo_pdf_surface_create_for_stream(append, &file, width * scale, height * scale));
    // The time of day would make two files of one picture differ.
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
    return surface;
}

/// Calls f(row, width) for each row of pixels (xRGB) of an image.
template <class F>
void for_each_row(cairo_surface_t* surface, const F& f) {
    cairo_surface_flush(surface);
    const unsigned char* const rows = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface), width = cairo_image_surface_get_width(surface);
    for (int y = 0; y < cairo_image_surface_get_height(surface); ++y)
        f(std::span(reinterpret_cast<const std::uint32_t*>(rows + std::ptrdiff_t{y} * stride),
                    static_cast<std::size_t>(width)));
}

/// A PNG that libpng filters and compresses little: Cairo's takes four times as long to be a fifth smaller.
/// \param surface used up: its pixels are packed where they are.
std::string png_of(cairo_surface_t* surface) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(cairo_image_surface_get_width(surface));
    image.height = static_cast<png_uint_32>(cairo_image_surface_get_height(surface));
    image.format = PNG_FORMAT_RGB;
    image.flags = PNG_IMAGE_FLAG_FAST;
    unsigned char* const rgb = cairo_image_surface_get_data(surface);
    unsigned char* end = rgb;
    for_each_row(surface, [&](std::span<const std::uint32_t> row) {
        for (const std::uint32_t pixel : row)
            for (const int shift : {16, 8, 0}) *end++ = static_cast<unsigned char>(pixel >> shift);
    });
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
    const auto file = std::make_unique_for_overwrite<char[]>(bytes);
    // Of a sheet of some thousand pixels, with a file that is large enough, it fails for want of memory alone.
    if (png_image_write_to_memory(&image, file.get(), &bytes, 0, rgb, 0, nullptr) == 0) throw std::bad_alloc();
    return {file.get(), bytes};
}

/// A PNG with its resolution, which libpng's short interface does not write: the chunk pHYs, behind the header.
std::string with_resolution(std::string png, double dpi) {
    constexpr std::size_t header_end = 33;
    const auto per_metre = static_cast<std::uint32_t>(std::lround(dpi / 0.0254));
    std::string chunk = "pHYs";
    const auto append = [](std::string& text, std::uint32_t value) {
        for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
    };
    append(chunk, per_metre);
    append(chunk, per_metre);
    chunk += '\1';  // per metre
    const auto sum = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size())));
    std::string whole;
    append(whole, 9);
    whole += chunk;
    append(whole, sum);
    return png.insert(header_end, whole);
}

/// Where a wheel has its font: in the package, whose folder lies beside that of the program.
std::filesystem::path font_folder_of_wheel() {
    Dl_info unused{};
    void* map = nullptr;
    if (dladdr1(reinterpret_cast<const void*>(&append), &unused, &map, RTLD_DL_LINKMAP) == 0 || map == nullptr)
        return {};
    std::filesystem::path file = static_cast<const link_map*>(map)->l_name;
    std::error_code unknown;
    // The map of the program itself has no name.
    if (file.empty()) file = std::filesystem::read_symlink("/proc/self/exe", unknown);
    return file.parent_path() / "../onda/fonts";
}

/// The faces of the font of all pictures: of a wheel, or as packages of the system have them; none where they are
/// elsewhere.
std::vector<std::filesystem::path> font_files() {
    for (const std::filesystem::path& folder :
         {font_folder_of_wheel(), std::filesystem::path("/usr/share/fonts/truetype/dejavu"),
          std::filesystem::path("/usr/share/fonts/dejavu-sans-fonts"), std::filesystem::path("/usr/share/fonts/TTF")}) {
        const std::vector<std::filesystem::path> files{folder / "DejaVuSans.ttf", folder / "DejaVuSans-Bold.ttf"};
        const auto is_there = [](const std::filesystem::path& file) {
            std::error_code unknown;
            return std::filesystem::exists(file, unknown);
        };
        if (std::ranges::all_of(files, is_there)) return files;
    }
    return {};
}

/// fontconfig, which Cairo asks for fonts, tries for ever to set itself up where there is no memory for it; asked to do
/// so, it gives up. It is given the font itself where that is found: to look for it among those of the system takes
/// longer, depends on their settings and, if an allocation fails meanwhile, waits for a lock that it holds (fontconfig
/// 2.14, FcDirCacheRead).
void prepare_fonts() {
    static std::once_flag once;
    std::call_once(once, [] {
        const std::vector<std::filesystem::path> files = font_files();
        FcConfig* const fonts = files.empty() ? FcInitLoadConfigAndFonts() : FcConfigCreate();
        if (fonts == nullptr) throw std::bad_alloc();
        for (const std::filesystem::path& file : files)
            if (FcConfigAppFontAddFile(fonts, reinterpret_cast<const FcChar8*>(file.c_str())) == FcFalse)
                throw std::bad_alloc();
        FcConfigSetCurrent(fonts);
    });
}

void set_font(cairo_t* context, const Font& font) {
    prepare_fonts();
    cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(context, font.size);
    // Unhinted, text has the same width in pixels, in print and in the layout.
    cairo_font_options_t* const options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(context, options);
    cairo_font_options_destroy(options);
}

double width_of(cairo_t* context, const std::string& line) {
    cairo_text_extents_t extents;
    cairo_text_extents(context, line.c_str(), &extents);
    check(cairo_status(context));
    return extents.x_advance;
}

/// A context for measuring text.
Context measure(const Font& font) {
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
    Context context(cairo_create(surface.get()));
    set_font(context.get(), font);
    return context;
}

std::uint32_t premultiplied(std::uint32_t argb) {
    const std::uint32_t alpha = argb >> 24;
    if (alpha == 0xff) return argb;
    const auto channel = [&](int shift) { return ((argb >> shift & 0xff) * alpha + 127) / 255 << shift; };
    return alpha << 24 | channel(16) | channel(8) | channel(0);
}

}  // namespace

const std::vector<std::string>& picture_extensions() {
    static const std::vector<std::string> list{".png", ".pdf", ".svg"};
    return list;
}

SheetKind sheet_kind_of(const std::filesystem::path& file) {
    return file.extension() == ".pdf" ? SheetKind::pdf : file.extension() == ".svg" ? SheetKind::svg : SheetKind::png;
}

struct Drawing::Impl {
    Impl(SheetKind sheet, int width, int height, double pixels)
        : kind(sheet), scale(pixels), surface(make_surface(sheet, width, height, pixels, bytes)) {
        check(cairo_surface_status(surface.get()));
        context.reset(cairo_create(surface.get()));
        cairo_scale(context.get(), scale, scale);
        colour(kWhite);
        cairo_paint(context.get());
        check(cairo_status(context.get()));
    }

    void colour(Rgb c, double opacity = 1.) const {
        cairo_set_source_rgba(context.get(), c.r / 255., c.g / 255., c.b / 255., opacity);
    }
    void path(std::span<const Point> points) const {
        cairo_new_path(context.get());
        for (const Point& point : points) cairo_line_to(context.get(), point.x, point.y);
    }
    void stroke_path(const Stroke& stroke) const {
        constexpr double dashes[] = {5., 4.};
        cairo_set_dash(context.get(), dashes, stroke.dashed ? 2 : 0, 0.);
        cairo_set_line_width(context.get(), stroke.width);
        cairo_set_line_join(context.get(), CAIRO_LINE_JOIN_ROUND);
        colour(stroke.colour);
        cairo_stroke(context.get());
    }
    void show_text(const std::string& line, const Font& font, double shift) const {
        set_font(context.get(), font);
        colour(font.colour);
        // Digits and capitals are centred: 0.36 of the size is half their height.
        cairo_rel_move_to(context.get(), -shift * width_of(context.get(), line), 0.36 * font.size);
        cairo_show_text(context.get(), line.c_str());
        check(cairo_status(context.get()));
    }

    SheetKind kind;
    double scale;
    std::string bytes;  ///< of a PDF or SVG; outlives the surface, which writes to it
    Surface surface;
    Context context;
};

Drawing::Drawing(SheetKind kind, int width, int height, double scale)
    : impl_(std::make_unique<Impl>(kind, width, height, scale)) {}
Drawing::~Drawing() = default;

int Drawing::pixels_along(double length) const {
    constexpr double print = 300. / 72.;  // what journals ask of images
    return std::max(
        1, static_cast<int>(std::lround(length * impl_->scale * (impl_->kind == SheetKind::png ? 1. : print))));
}

void Drawing::fill(const PageBox& box, Rgb colour, double opacity) {
    impl_->colour(colour, opacity);
    cairo_rectangle(impl_->context.get(), box.left, box.top, box.width, box.height);
    cairo_fill(impl_->context.get());
}

void Drawing::fill(std::span<const Point> corners, Rgb colour) {
    impl_->path(corners);
    impl_->colour(colour);
    cairo_fill(impl_->context.get());
}

void Drawing::stroke(std::span<const Point> points, const Stroke& stroke) {
    impl_->path(points);
    impl_->stroke_path(stroke);
}

void Drawing::stroke(const PageBox& box, const Stroke& stroke) {
    cairo_rectangle(impl_->context.get(), box.left, box.top, box.width, box.height);
    impl_->stroke_path(stroke);
}

void Drawing::image(const PageBox& box, int width, int height,
                    const std::function<std::uint32_t(std::size_t i)>& argb_of) {
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
    check(cairo_surface_status(surface.get()));
    cairo_surface_flush(surface.get());
    unsigned char* const rows = cairo_image_surface_get_data(surface.get());
    const int stride = cairo_image_surface_get_stride(surface.get());
    std::size_t i = 0;
    for (int y = 0; y < height; ++y) {
        auto* const row = reinterpret_cast<std::uint32_t*>(rows + std::ptrdiff_t{y} * stride);
        for (int x = 0; x < width; ++x) row[x] = premultiplied(argb_of(i++));
    }
    cairo_surface_mark_dirty(surface.get());
    cairo_t* const context = impl_->context.get();
    cairo_save(context);
    cairo_translate(context, box.left, box.top);
    cairo_scale(context, box.width / width, box.height / height);
    cairo_set_source_surface(context, surface.get(), 0., 0.);
    cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_NEAREST);
    cairo_rectangle(context, 0., 0., width, height);
    cairo_fill(context);
    cairo_restore(context);
    check(cairo_status(context));
}

void Drawing::text(Point at, std::string_view line, const Font& font, Align align) {
    cairo_move_to(impl_->context.get(), at.x, at.y);
    impl_->show_text(printable_whole(line), font, align == Align::left ? 0. : align == Align::centre ? 0.5 : 1.);
}

void Drawing::text_upwards(Point at, std::string_view line, const Font& font) {
    cairo_t* const context = impl_->context.get();
    cairo_save(context);
    cairo_translate(context, at.x, at.y);
    cairo_rotate(context, -0.5 * std::numbers::pi);
    cairo_move_to(context, 0., 0.);
    impl_->show_text(printable_whole(line), font, 0.5);
    cairo_restore(context);
}

Drawing::Clip::Clip(Drawing& drawing, const PageBox& box) : drawing_(drawing) {
    cairo_t* const context = drawing.impl_->context.get();
    cairo_save(context);
    cairo_rectangle(context, box.left, box.top, box.width, box.height);
    cairo_clip(context);
}

Drawing::Clip::~Clip() {
    cairo_restore(drawing_.impl_->context.get());
}

std::string Drawing::file(double dpi) {
    check(cairo_status(impl_->context.get()));
    if (impl_->kind == SheetKind::png) return with_resolution(png_of(impl_->surface.get()), dpi);
    cairo_surface_finish(impl_->surface.get());
    check(cairo_surface_status(impl_->surface.get()));
    return std::move(impl_->bytes);
}

Pixels Drawing::pixels() {
    check(cairo_status(impl_->context.get()));
    cairo_surface_t* const surface = impl_->surface.get();
    Pixels pixels{cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface), {}};
    for_each_row(surface, [&](std::span<const std::uint32_t> row) {
        std::ranges::transform(row, std::back_inserter(pixels.argb),
                               [](std::uint32_t pixel) { return pixel | 0xff000000u; });
    });
    return pixels;
}

double text_width(std::string_view line, const Font& font) {
    return width_of(measure(font).get(), printable_whole(line));
}

std::string cut_to(std::string_view line, double width, const Font& font) {
    const Context context = measure(font);
    std::string text = printable_whole(line);
    if (width_of(context.get(), text) <= width) return text;
    // Lines of hundreds of characters are not measured one character at a time.
    std::size_t fits = 0, exceeds = text.size();
    const auto shortened = [&](std::size_t bytes) {
        while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
        return text.substr(0, bytes) + "\xe2\x80\xa6";
    };
    while (exceeds - fits > 1) {
        const std::size_t middle = (fits + exceeds) / 2;
        (width_of(context.get(), shortened(middle)) <= width ? fits : exceeds) = middle;
    }
    return shortened(fits);
}

std::string cairo_version_text() {
    return cairo_version_string();
}

}  // namespace onda
