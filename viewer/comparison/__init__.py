"""Several runs of a task, call by call: what is the same, what differs, and where it starts to matter.

``alignment.align`` is the algorithm, ``star.star`` two to twelve runs on a base, ``pairwise.compare`` the same of two.
Definitions: spec of this house and, for sequence alignment, Needleman and Wunsch 1970.
"""
