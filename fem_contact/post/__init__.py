"""What a run says: energy budgets, works at the contacts, the bar's yardsticks, tables and figures.

Functions take a run (:class:`fem_contact.record.Run`, opened or just made) and return numbers, arrays
or figures; none of them changes the run. Matplotlib is loaded by :mod:`fem_contact.post.plots` alone.
"""
