// Exports a symbol from the shared library; all others are hidden.
#pragma once

#define FUGU_EXPORT [[gnu::visibility("default")]]
