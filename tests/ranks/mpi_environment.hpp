// Where tests start processes with Open MPI's launcher.
#pragma once

#include <string>

/// Root is allowed, more processes than cores are; no other host is asked.
inline const std::string kMpiEnvironment =
    "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_plm_rsh_agent=sh OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1";
