// Prepares the process before anything else runs.
#pragma once

namespace fugu::cli {

// - Descriptors 0, 1 and 2 are occupied: a closed one would be given to the next file opened, and messages
//   would go into that file. The stand-ins fail on use, so lost output is an error.
// - No core dumps: they would hold keys.
// - SIGPIPE and SIGXFSZ become write errors; SIGUSR1 waits for the progress display.
// - SIGCHLD has its default action: if it were ignored, a child could not be waited for.
// - The other terminating signals, except those of the program's own faults, remove temporary files, restore
//   the terminal, say on it what was not finished, and end the program as if they had not been caught. A
//   signal that was ignored at the start stays ignored (nohup, background jobs).
void prepare_process();

// Whether the reader of standard output has gone away.
bool output_pipe_broken() noexcept;

}  // namespace fugu::cli
