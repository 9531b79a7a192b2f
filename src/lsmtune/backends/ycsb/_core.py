"""The core workloads of YCSB, as properties.

Source: ``workloads/workloada`` to ``workloadf`` of YCSB 0.17.0 (github.com/brianfrankcooper/YCSB), first described by
Cooper et al., "Benchmarking Cloud Serving Systems with YCSB", SoCC 2010. Their counts of records and operations, 1000
each, are left out: a study says how many.
"""

from collections.abc import Mapping
from types import MappingProxyType

CORE_WORKLOADS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "a": {
            "readallfields": "true",
            "readproportion": "0.5",
            "updateproportion": "0.5",
            "scanproportion": "0",
            "insertproportion": "0",
            "requestdistribution": "zipfian",
        },
        "b": {
            "readallfields": "true",
            "readproportion": "0.95",
            "updateproportion": "0.05",
            "scanproportion": "0",
            "insertproportion": "0",
            "requestdistribution": "zipfian",
        },
        "c": {
            "readallfields": "true",
            "readproportion": "1",
            "updateproportion": "0",
            "scanproportion": "0",
            "insertproportion": "0",
            "requestdistribution": "zipfian",
        },
        "d": {
            "readallfields": "true",
            "readproportion": "0.95",
            "updateproportion": "0",
            "scanproportion": "0",
            "insertproportion": "0.05",
            "requestdistribution": "latest",
        },
        "e": {
            "readallfields": "true",
            "readproportion": "0",
            "updateproportion": "0",
            "scanproportion": "0.95",
            "insertproportion": "0.05",
            "requestdistribution": "zipfian",
            "maxscanlength": "100",
            "scanlengthdistribution": "uniform",
        },
        "f": {
            "readallfields": "true",
            "readproportion": "0.5",
            "updateproportion": "0",
            "scanproportion": "0",
            "insertproportion": "0",
            "readmodifywriteproportion": "0.5",
            "requestdistribution": "zipfian",
        },
    }
)
"""Properties by the workload's letter: a updates much, b reads mostly, c reads only, d reads what is new, e scans short
ranges, f reads, modifies and writes."""
