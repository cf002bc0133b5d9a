/// \file
/// The interface between slabs of one grid: how the planes beyond their cuts get from one to the other.
#pragma once

namespace onda {

/// The exchange of a grid's slabs brings the halo planes of p[n] beyond every cut. It knows the slabs; what drives the
/// steps knows only when it acts: after the halos of the faces, before the step of the planes that read those.
class Exchange {
public:
    virtual ~Exchange() = default;
    /// Sends the planes next to every cut. They must not change before wait().
    virtual void post() = 0;
    /// Returns when the planes beyond every cut have arrived, or when what is queued from now on comes after them.
    virtual void wait() = 0;
    /// Whether post() and wait() only queue work on the devices, so that a device may repeat what it was once told.
    [[nodiscard]] virtual bool only_queues() const { return false; }
};

}  // namespace onda
