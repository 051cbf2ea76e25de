"""The quality memory (ComRAG): every answered turn makes the next one better.

`questions` reads what a question asks for, embeds it, and says whether two ask the same; `stores`
keeps pairs of question and answer by the paper's formulas, in SQL, and finds those near a question;
`scoring` says how good an answer is. `recall` finds what there is on a question, `remembering`
keeps what was answered; `administration` is what admins see and do. A release is a wall here too.
"""
