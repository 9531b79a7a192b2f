"""The additive process that starts from a simulation of the tree."""

from lsmtune.samplers._agp import AgpSampler


class AgpTreeSampler(AgpSampler):
    """Does what `AgpSampler` does, from what the outlook's prior expects; without a prior it is the same sampler.

    What is simulated of a configuration is the mean that the process of the response corrects, and that of each guard
    of which something is simulated.
    """

    takes_prior = True
