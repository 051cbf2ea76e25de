import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from chatbot.runtime.concurrency import Stopped, run_on_event_loop, together


def test_one_failure_stops_the_other_works() -> None:
    ended: list[str] = []

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ValueError("broken")

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("stopped")

    with pytest.raises(ValueError, match="broken"):
        asyncio.run(together([work(), fail(), work()]))
    assert ended == ["stopped", "stopped"]


def test_all_threads_share_one_loop() -> None:
    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    with ThreadPoolExecutor(8) as threads:
        loops = list(threads.map(lambda _: run_on_event_loop(loop(), lambda: False), range(8)))
    assert len(set(loops)) == 1


def test_an_error_of_the_work_is_raised_even_a_timeout() -> None:
    async def work() -> None:
        await asyncio.sleep(0.15)
        raise TimeoutError("the work's own")

    with pytest.raises(TimeoutError, match="the work's own"):
        run_on_event_loop(work(), lambda: False)


def test_stopped_work_is_cancelled() -> None:
    cancelled = threading.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with pytest.raises(Stopped):
        run_on_event_loop(work(), lambda: True)
    assert cancelled.wait(5)
