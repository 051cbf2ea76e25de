"""The quality memory (ComRAG): every answered turn makes the next one better.

`questions` says whether two questions ask the same, `scoring` how good an answer is; `stores` keeps
pairs of question and answer; `recall` finds them, `remembering` makes them, `suspending` follows
the documents. What admins see and do is in `administration`. A release is a wall here too.
"""
