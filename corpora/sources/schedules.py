"""When a source is looked at by itself: hourly, daily, or by a cron expression."""

from datetime import UTC, datetime

from corpora.errors import SourceError

NEVER = "never"
_NAMED = {"hourly": "0 * * * *", "daily": "0 3 * * *"}


def next_run(schedule: str, after: datetime) -> datetime | None:
    """The next moment of a schedule in UTC, None for "never"; raises SourceError."""
    from cronsim import CronSim, CronSimError

    if schedule == NEVER:
        return None
    try:
        found: datetime = next(CronSim(_NAMED.get(schedule, schedule), after.astimezone(UTC)))
    except (CronSimError, StopIteration) as error:
        raise SourceError(
            "{schedule!r} is no schedule: choose never, hourly, daily, or five fields of cron "
            "(minute hour day month weekday, in UTC), as in 30 4 * * 1.",
            schedule=schedule,
        ) from error
    return found
