"""Several runs of a task, call by call: what is the same, what differs, and where it starts to matter.

``alignment.align`` is the algorithm, ``pairwise.compare`` two runs, ``star.star`` two to four on a base.
Definitions: spec of this house and, for sequence alignment, Needleman and Wunsch 1970.
"""
