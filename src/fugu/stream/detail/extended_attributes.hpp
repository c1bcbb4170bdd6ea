// Who may read a file beyond its mode, and what its owner noted about it. Private to stream.
#pragma once

#include <string>

namespace fugu::stream {

// Gives the open file `to` the access control list (acl(5)) and the user.* attributes (xattr(7)) of the file
// at `path`, and no other list. Throws Error{io} naming what cannot be kept.
void copy_extended_attributes(const std::string& path, int to);

}  // namespace fugu::stream
