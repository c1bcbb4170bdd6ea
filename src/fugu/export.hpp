// Marks the interface of a shared library: everything else in it is hidden.
#pragma once

#define FUGU_EXPORT [[gnu::visibility("default")]]
