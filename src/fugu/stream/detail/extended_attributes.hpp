// Who may read a file beyond its mode, and what its owner noted about it. Private to stream.
#pragma once

#include <string>

namespace fugu::stream {

// Gives the open file `to` the access control list (acl(5)) and the user.* attributes (xattr(7)) of the file
// `from`, which may be open with O_PATH, and no other list. Where /proc is not mounted they are read by its `path`.
// Throws Error{io} naming what cannot be kept.
void copy_extended_attributes(int from, const std::string& path, int to);

}  // namespace fugu::stream
