// Empty. This file's target provides the precompiled header of all tests.
