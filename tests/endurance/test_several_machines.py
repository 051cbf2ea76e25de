"""Two servers and two workers, each with a data folder of its own, on one PostgreSQL."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from strata_client import Strata, StrataFailure
from tests.endurance.site import QUESTION, Site, until, write_winch
from tests.postgresql import cluster

pytestmark = [pytest.mark.timeout(600), pytest.mark.enable_socket]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with cluster() as server:
        url = server.database_of(tmp_path)
        with Site(tmp_path, STRATA_DATABASE_URL=url, STRATA_GENERATOR="none") as site:
            yield site


def test_what_one_machine_takes_another_ingests_and_a_third_answers(
    site: Site, tmp_path: Path
) -> None:
    with ExitStack() as closing:
        first, second = (closing.enter_context(site.serve(name)) for name in ("web1", "web2"))
        site.work("worker1")
        given = write_winch(tmp_path / "few", 20, parts=1)
        done = first.wait(first.upload("winch", "1.0", given)["id"], every=0.2)
        assert done["state"] == "done", done
        for client in (first, second):
            reply = client.ask(QUESTION, product="winch", release="1.0")
            assert "20 metres" in reply.answer
            assert [c["release"] for c in reply.citations] == ["1.0"]

        job = second.upload(
            "winch", "2.0", write_winch(tmp_path / "many", 30, parts=36, words=150)
        )["id"]
        until(lambda: second.job(job)["stage"] == "embedding", "it does not embed")
        site.work("worker2")
        site.kill("worker1")
        assert second.wait(job, every=0.2)["state"] == "done"

        begun = first.ask(QUESTION, product="winch", release="2.0", conversation="new")
        assert "30 metres" in begun.answer
        site.kill("web1")
        second.ask("And in 1.0?", product="winch", conversation=begun.conversation)
        turns = second.turns(str(begun.conversation))
        before, after = (turn["reply"]["answer"] for turn in turns)
        assert "30 metres" in before
        assert "20 metres" in after
        kept = {path.name.partition(".")[0] for path in (tmp_path / "web2").iterdir()}
        assert kept <= {"generations", "answering", "recent-vectors"}


def test_a_database_that_is_started_again_is_waited_for(tmp_path: Path) -> None:
    # Otherwise the killed server would forget what it has acknowledged.
    with cluster(durable=True) as server:
        url = server.database_of(tmp_path)
        with (
            Site(tmp_path, STRATA_DATABASE_URL=url, STRATA_GENERATOR="none") as site,
            site.serve("web") as client,
        ):
            server.kill()
            for act in (client.products, client.jobs):
                with pytest.raises(StrataFailure, match=r"Try again|Cannot open") as refused:
                    act()
                assert refused.value.status == 503
            site.work("worker")
            log = tmp_path / "worker.log"
            until(lambda: "the database is waited for" in log.read_text(), "it does not wait")
            server.start()
            until(lambda: client.products() == [], "the server does not answer again")
            job = client.upload("winch", "1.0", write_winch(tmp_path / "few", 20, parts=1))["id"]
            assert client.wait(job, every=0.2)["state"] == "done"

            much = client.upload(
                "winch", "2.0", write_winch(tmp_path / "many", 30, parts=36, words=150)
            )["id"]
            until(lambda: client.job(much)["stage"] == "embedding", "it does not embed")
            server.kill()
            until(lambda: "the database failed" in log.read_text(), "the worker does not notice")
            server.start()
            until(lambda: _ended(client, much), "the job is not done again")
            assert client.job(much)["state"] == "done"


def _ended(client: Strata, job: int) -> bool:
    return client.job(job)["state"] not in ("waiting", "running")
