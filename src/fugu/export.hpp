// What a shared library shows: everything else in it is hidden.
#pragma once

#define FUGU_EXPORT [[gnu::visibility("default")]]
