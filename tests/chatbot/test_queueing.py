import asyncio

import pytest

from chatbot.runtime.concurrency import Queue

pytestmark = pytest.mark.anyio


class Shop:
    """A queue, who was served in which order, and which places everybody was told."""

    def __init__(self, at_once: int = 1, **owners: str) -> None:
        self.queue = Queue(at_once)
        self.owners = owners
        self.served = ""
        self.told: dict[str, list[int]] = {}
        self.inside = 0
        self.most_inside = 0
        self.doors = {name: asyncio.Event() for name in "abcd"}

    async def person(self, name: str) -> None:
        places = self.told.setdefault(name, [])
        async with self.queue.place(self.owners.get(name, name), places.append):
            self.served += name
            self.inside += 1
            self.most_inside = max(self.most_inside, self.inside)
            await self.doors[name].wait()
            self.inside -= 1

    async def come(self, names: str) -> dict[str, asyncio.Task[None]]:
        tasks = {}
        for name in names:
            tasks[name] = asyncio.create_task(self.person(name))
            await settle()
        return tasks

    def open(self, names: str) -> None:
        for name in names:
            self.doors[name].set()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_first_come_first_served_and_all_know_their_place() -> None:
    shop = Shop()
    tasks = await shop.come("abcd")
    assert shop.told == {"a": [], "b": [1], "c": [2], "d": [3]}
    for name in "abcd":
        shop.open(name)
        await settle()
    await asyncio.gather(*tasks.values())
    assert shop.served == "abcd"
    assert shop.told == {"a": [], "b": [1], "c": [2, 1], "d": [3, 2, 1]}
    assert shop.most_inside == 1


@pytest.mark.parametrize(
    ("owners", "at_once", "first", "served"),
    [
        ("abcd", 2, "", "abcd"),
        # Who asks much at once waits for the first question of everybody else.
        ("aaad", 1, "", "adbc"),
        # One who has been quiet gets no turns in arrears.
        ("aadd", 1, "a", "abcd"),
    ],
)
async def test_everybody_is_served_in_a_fair_order(
    owners: str, at_once: int, first: str, served: str
) -> None:
    shop = Shop(at_once, **dict(zip("abcd", owners, strict=True)))
    for names in (first, "abcd".removeprefix(first)):
        tasks = await shop.come(names)
        shop.open(names)
        await asyncio.gather(*tasks.values())
    assert shop.served == served
    assert shop.most_inside == at_once


@pytest.mark.parametrize("called_in_first", [True, False, None])
async def test_who_gives_up_lets_the_others_move_up(called_in_first: bool | None) -> None:
    """While waiting, or when called in: the place is passed on and stays free after."""
    shop = Shop()
    tasks = await shop.come("abc")
    if called_in_first is not None:
        shop.open("a")
    if called_in_first:
        await tasks["a"]
    tasks["b"].cancel()
    await settle()
    assert shop.told["c"] == [2, 1]
    shop.open("ac")
    await asyncio.wait_for(tasks["c"], 5)
    assert shop.served[-1] == "c"
    late = await shop.come("d")
    shop.open("d")
    await asyncio.wait_for(late["d"], 5)
