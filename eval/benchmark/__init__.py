"""An open benchmark of questions about documentation that lives in many releases.

`load()` reads it, `strata eval benchmark` fetches the documentation and writes the questions, which
`strata eval run` puts to any system.
"""

from eval.benchmark.loading import Benchmark, load

__all__ = ["Benchmark", "load"]
