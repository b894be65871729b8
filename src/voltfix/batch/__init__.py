"""Many repositories: each migrated on a branch of its own, with a journal that survives being killed.

    manifest ──► runner ──► engine ──► slot ──► job          one repository, in a process of its own
                   │          (threads of this machine, or a Dask cluster)
                   ├──► journal        what is known, in SQLite
                   ├──► publish        artifacts on disk, the branch in the repository
                   └──► live, final    what a person sees

A *job* is a function from a `Task` to an `Outcome` and changes nothing but its own scratch folder. Whatever
lasts is written by the one coordinator, in an order that can be taken up again at any point.
"""
