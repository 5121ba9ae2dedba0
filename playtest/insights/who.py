"""Whose rounds a page counts. Bots are never taken for people: together only if that is asked for."""

from enum import StrEnum

from playtest.studies.choices import Kind


class Who(StrEnum):
    """`APART` shows both, each by itself; where there is one figure for all, it cannot be chosen (`AS_ONE`)."""

    APART = "apart"
    PEOPLE = "people"
    BOTS = "bots"
    TOGETHER = "together"

    @property
    def kinds(self) -> tuple[Kind, ...]:
        if self is Who.PEOPLE:
            return (Kind.PERSON,)
        return (Kind.BOT,) if self is Who.BOTS else (Kind.PERSON, Kind.BOT)

    @property
    def choice(self) -> str:
        """What to choose it by."""
        return CHOICES[self]

    @property
    def label(self) -> str:
        return {Who.PEOPLE: "People", Who.BOTS: "Bots"}.get(self, "People and bots")

    @property
    def one(self) -> str:
        return {Who.PEOPLE: "person", Who.BOTS: "bot"}.get(self, "player")

    @property
    def many(self) -> str:
        return {Who.PEOPLE: "people", Who.BOTS: "bots"}.get(self, "players")


CHOICES = {
    Who.APART: "People and bots, apart",
    Who.PEOPLE: "People only",
    Who.BOTS: "Bots only",
    Who.TOGETHER: "People and bots, together",
}
AS_ONE = (Who.PEOPLE, Who.BOTS, Who.TOGETHER)
