"""A model's opinion beside the rules', only where one is configured; the viewer is complete without it.

Settings come from the environment (``configuration``). ``tool_selection`` and ``diagnosis`` make prompts, whose exact
text, secrets masked, can be shown first (``Prompt.text``); then they ask (``client``), hold every answer against a JSON
schema, and put it beside the rules' results, which never change. Whatever goes wrong on the way, from a missing
package to a model that makes up its evidence, ends as a sentence in ``problems`` and leaves the rules alone.
"""
