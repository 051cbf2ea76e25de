from __future__ import annotations

import asyncio

import pytest

from chatbot.runtime.concurrency import Queue


class Shop:
    """A queue, who was served in which order, and which places everybody was told."""

    def __init__(self, at_once: int = 1, **owners: str) -> None:
        self.queue = Queue(at_once)
        self.owners = owners
        self.served: list[str] = []
        self.told: dict[str, list[int]] = {}
        self.inside = 0
        self.most_inside = 0
        self.doors = {name: asyncio.Event() for name in "abcd"}

    async def person(self, name: str) -> None:
        places = self.told.setdefault(name, [])
        async with self.queue.place(self.owners.get(name, name), places.append):
            self.served.append(name)
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


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_first_come_first_served_and_all_know_their_place() -> None:
    async def story() -> None:
        shop = Shop()
        tasks = await shop.come("abcd")
        assert shop.told == {"a": [], "b": [1], "c": [2], "d": [3]}
        for name in "abcd":
            shop.doors[name].set()
            await settle()
        await asyncio.gather(*tasks.values())
        assert shop.served == ["a", "b", "c", "d"]
        assert shop.told == {"a": [], "b": [1], "c": [2, 1], "d": [3, 2, 1]}
        assert shop.most_inside == 1

    asyncio.run(story())


@pytest.mark.parametrize(
    ("owners", "at_once", "first", "served"),
    [
        ({}, 2, "", "abcd"),
        # Who asks much at once waits for the first question of everybody else.
        ({"a": "ann", "b": "ann", "c": "ann", "d": "dan"}, 1, "", "adbc"),
        # One who has been quiet gets no turns in arrears.
        ({"a": "ann", "b": "ann", "c": "dan", "d": "dan"}, 1, "a", "abcd"),
    ],
)
def test_everybody_is_served_in_a_fair_order(
    owners: dict[str, str], at_once: int, first: str, served: str
) -> None:
    async def story() -> None:
        shop = Shop(at_once, **owners)
        for names in (first, "abcd".replace(first, "") if first else "abcd"):
            tasks = await shop.come(names)
            for name in shop.doors if names != first else first:
                shop.doors[name].set()
            await asyncio.gather(*tasks.values())
        assert "".join(shop.served) == served
        assert shop.most_inside == at_once

    asyncio.run(story())


def test_who_gives_up_lets_the_others_move_up() -> None:
    async def story() -> None:
        shop = Shop()
        tasks = await shop.come("abc")
        tasks["b"].cancel()
        await settle()
        assert shop.told["c"] == [2, 1]
        shop.doors["a"].set()
        shop.doors["c"].set()
        await asyncio.gather(tasks["a"], tasks["c"])
        assert shop.served == ["a", "c"]

    asyncio.run(story())


@pytest.mark.parametrize("called_in_first", [True, False])
def test_who_gives_up_when_called_in_passes_the_place_on(called_in_first: bool) -> None:
    async def story() -> None:
        shop = Shop()
        tasks = await shop.come("abc")
        shop.doors["a"].set()
        if called_in_first:
            await tasks["a"]
        tasks["b"].cancel()
        shop.doors["c"].set()
        await asyncio.wait_for(tasks["c"], 5)
        assert shop.served[-1] == "c"
        late = await shop.come("d")
        shop.doors["d"].set()
        await asyncio.wait_for(late["d"], 5)

    asyncio.run(story())
