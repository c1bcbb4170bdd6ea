// Access control lists and user attributes. Private to platform.
#pragma once

#include <string>

namespace fugu::stream {

// Gives the open file `to` the access control list (acl(5)) and the user.* attributes (xattr(7)) of the file
// `from`, which may be open with O_PATH, and no other list. If /proc is not mounted they are read by its
// `path`; an empty one is refused. Throws Error{io} naming what cannot be preserved.
void copy_extended_attributes(int from, const std::string& path, int to);

}  // namespace fugu::stream
