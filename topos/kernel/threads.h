// Owns how many threads the kernels may use: the public setting.
#pragma once

namespace topos {

/// How many threads a plan's larger steps are shared between, the caller's own included. Before `set_threads` it is
/// what the environment variable TOPOS_THREADS says, or else the number of processors. No bit of any result depends on
/// it. Throws Error(argument) while TOPOS_THREADS holds anything but a number from 1 to 1024.
int threads();

/// Sets it for the whole process, from 1, which starts no thread, to 1024. A plan is cut for the number at its
/// lowering; where it later finds fewer threads, each does more parts. Runs in progress are not disturbed. Throws
/// Error(argument) for another number.
void set_threads(int count);

}  // namespace topos
