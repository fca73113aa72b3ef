// Carries the precompiled headers that the folders share.  Nothing of its own.
