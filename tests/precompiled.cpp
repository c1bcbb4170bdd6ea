// Nothing: the target that this file is in carries the precompiled header of all tests.
