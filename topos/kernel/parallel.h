// Owns the calls of one function on several threads at once. Internal.
#pragma once

namespace topos::kernel {

/// Does one part of a job: called once for each number below the job's parts. Must not throw.
using DoPart = void (*)(void* job, int part);

inline constexpr int max_parts = 0xFFFF;

/// Calls part(job, i) for every i below `parts`, at most max_parts, and returns when all have returned. The calling
/// thread takes parts too; the pool's threads, which are started when first needed, take what it has not begun. All of
/// them compute in the standard floating-point mode. Where the pool is another caller's at the moment, or the call is
/// itself inside a part, the calling thread does every part: any number of threads may call at once.
void in_parallel(int parts, DoPart part, void* job);

/// The number that a value of TOPOS_THREADS names; null: the number of processors. Throws Error(argument).
int thread_count_of(const char* value);

/// Ends the pool's threads where nobody is using them; a later job starts them again.
void rest_threads();

/// Whether this thread is inside a part of a job.
bool in_part();

}  // namespace topos::kernel
