// Lets the shared library export a symbol, if exports.map lists it; all others are hidden.
#pragma once

#define FUGU_EXPORT [[gnu::visibility("default")]]
