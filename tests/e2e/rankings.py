"""Rows of instruction data for the browser, in groups that people rank."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
from playwright.sync_api import Page
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session

from core.tables import Example, Project
from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.processes import eventually, libpq_url
from workers.instructions.asking import publish_rankings

Label = dict[str, Any]


def row(group: int, place: int) -> dict[str, str]:
    """One of the answers to a question; no two are the same."""
    return {
        "instruction": f"What is {group} plus {group}?",
        "input": "",
        "output": f"{group} plus {group} is {2 * group + place}." + " Count it up." * place,
    }


def ranking_project(
    karat: Client, name: str, folder: Path, rows: Sequence[dict[str, Any]], **settings: Any
) -> ProjectClient:
    """A draft with these rows."""
    project = karat.create_project(name, [], medium="text", task="instructions", settings=settings)
    table = folder / "rows.jsonl"
    table.write_text("".join(json.dumps(one) + "\n" for one in rows))
    karat.wait(project.import_images(table)["id"])
    return project


def annotator(karat: Client, project: ProjectClient, name: str) -> Client:
    """A new member of a project, signed in; whoever asks for it closes it."""
    email, password = f"{name}.{project.id}@rankers.test", f"{name}-ranks-them-all"
    user = karat.create_user(email, password, name=name, role="annotator")
    project.add_member(user["id"])
    client = Client(karat.url)
    client.login(email, password)
    return client


def ask(stack: Stack, project: ProjectClient, sizes: Sequence[int]) -> None:
    """Have people rank the rows of a project, in groups of these sizes, as the job does it."""
    engine = create_engine(stack.environment["DATABASE_URL"])
    with Session(engine) as session, session.begin():
        found = session.scalars(
            select(Example.id).where(Example.project_id == project.id).order_by(Example.pool_index)
        )
        ids = iter(found.all())
        groups = [[next(ids) for _ in range(size)] for size in sizes]
        asked = session.get_one(Project, project.id, with_for_update=True)
        publish_rankings(session, asked, groups, strategy="fp_instruction", seed=0)
    engine.dispose()
    eventually(lambda: project.rounds()[0]["state"] == "open", "the round opens")


def shown(page: Page) -> list[int]:
    """The rows on the page, by the numbers of their keys."""
    cards = page.locator("[data-query-id] [data-example]").all()
    return [int(card.get_attribute("data-example") or 0) for card in cards]


def stored(stack: Stack, project_id: int) -> list[tuple[int, str, Label | None, int | None]]:
    """What the server has of a project: query, verdict, label, and what that is in place of."""
    statement = """
        SELECT query_id, verdict, label, supersedes_id FROM annotations
        WHERE project_id = %s ORDER BY id
    """
    url = libpq_url(stack.environment["DATABASE_URL"])
    with psycopg.connect(url) as connection:
        return connection.execute(statement, [project_id]).fetchall()


def held(stack: Stack, example_id: int) -> Label | None:
    """What a row counts as now."""
    url = libpq_url(stack.environment["DATABASE_URL"])
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT label FROM examples WHERE id = %s", [example_id])
        row = found.fetchone()
    return row[0] if row else None


def label(order: Sequence[Sequence[int]], wrong: Sequence[int] = ()) -> Label:
    """A ranking as the server has it."""
    return {
        "type": "instructions",
        "order": [list(place) for place in order],
        "wrong": list(wrong),
    }
