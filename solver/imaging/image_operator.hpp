/// \file
/// The spatial operator of a scheme, applied to an image.
#pragma once

#include "kernels/medium.hpp"
#include "kernels/setup.hpp"
#include "solver/imaging/vp_gradient.hpp"

namespace onda {

/// L I [1/m^2, with variable density over kg/m3] of an image I on all computed nodes, plane by plane, with L of the
/// problem's scheme: its Laplacian or, with variable density, div 1/rho grad. Beyond the faces of the grid the image is
/// continued evenly, and the density as at the face. \param image, \param problem and \param readers live as long as
/// what is returned. \throws std::logic_error for equations that are neither of these.
ImagePlanes operator_on(ImagePlanes image, const Problem& problem, const MediumReaders& readers);
/// Likewise of two stresses, each of which is differentiated along axes of its own: the sum of the second derivatives
/// along x and y of one image and along z of another.
ImagePlanes operator_on_stresses(ImagePlanes horizontal, ImagePlanes vertical, const Problem& problem,
                                 const MediumReaders& readers);

}  // namespace onda
