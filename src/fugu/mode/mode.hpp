// Modes of operation and padding over an engine.
//
// Data-parallel directions go to the engine; serial chains (CBC, CFB64, CFB8 and PCBC encryption, OFB) run on
// the calling thread, and no engine speeds them up. Chain (chain.hpp) is a mode's state without a key;
// CipherStream works on a file's chunks in place; fugu::Cipher (cipher.hpp) takes any number of bytes.
#pragma once

#include "fugu/mode/cipher_stream.hpp"
