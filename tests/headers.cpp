// Owns the precompiled headers of the tests, see CMakeLists.txt: CMake wants a source for them.
