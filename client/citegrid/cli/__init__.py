"""The command line `citegrid`: results on stdout, everything else on stderr."""
