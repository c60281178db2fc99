"""How families of formats speak: message shapes that more than one format writes, put where they belong in a draft.

A format finds the rows; a dialect knows what stands in them. What concerns only calls is in ``tool_calls``, what
concerns only message content in ``messages``.
"""
