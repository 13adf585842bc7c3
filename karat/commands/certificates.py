"""``karat certify`` and ``karat certificate``."""

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.media.nouns import noun
from karat.client import intervals
from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project
from karat.terminal import echo, show_json, show_table, when

if TYPE_CHECKING:
    from karat.client.certificate_types import Certificate, CertificateDetail, CertificateLot

certificates = typer.Typer(
    help="Labels that a model gives, with a promise of how many are wrong.", no_args_is_help=True
)

CertificateArgument = Annotated[int, typer.Argument(metavar="CERTIFICATE", help="Its number.")]


def _share(value: float | None) -> float | None:
    if value is not None and not 0 < value <= 0.5:
        raise typer.BadParameter("it is a share, above 0 and up to 0.5: 0.05 is 5 of 100.")
    return value


def _confidence(value: float) -> float:
    if not 0.5 <= value < 1:
        raise typer.BadParameter("it is a chance, 0.5 or more and below 1: 0.95 is 95 of 100.")
    return value


def certify(
    project: ProjectArgument,
    target: Annotated[
        float,
        typer.Option(
            callback=_share,
            help="Share of wrong labels, at most: above 0 and up to 0.5; 0.05 is 5 of 100.",
        ),
    ] = 0.02,
    confidence: Annotated[
        float,
        typer.Option(
            callback=_confidence, help="How sure that is: 0.5 or more and below 1; 0.95 is 95 %."
        ),
    ] = 0.95,
    by_class: Annotated[
        bool, typer.Option("--by-class", help="Promise it of each class, and not of all together.")
    ] = False,
    missed_in: Annotated[
        float | None,
        typer.Option(
            "--missed",
            callback=_share,
            help="Share of what is of a class among what is called OOD, at most: above 0 and up to "
            "0.5; that of --target if left out.",
        ),
    ] = None,
    at_most: Annotated[
        int | None,
        typer.Option(
            "--answers", min=1, help="Answers people may be asked for; any number if left out."
        ),
    ] = None,
    overlap: Annotated[
        int, typer.Option(min=1, max=5, help="People who look at each image that is drawn.")
    ] = 1,
    watch: Annotated[
        bool, typer.Option("--watch", help="Wait until people have answered enough.")
    ] = False,
    apply: Annotated[
        bool, typer.Option("--apply", help="Wait, and then label what has passed.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find out what the newest model may label, by people who look at a few images of it."""
    with connect() as client:
        found = find_project(client, project).certificates
        begun = found.begin(
            target=target,
            confidence=confidence,
            scope="class" if by_class else "all",
            missed_in=missed_in,
            at_most=at_most,
            overlap=overlap,
        )
        if watch or apply:
            echo(f"Certificate {begun['id']} waits for people to look.", err=True)
            now: Certificate = found.wait(begun["id"])
            if apply and now["state"] == "ready":
                now = found.apply(begun["id"])
        else:
            now = begun
    if as_json:
        show_json(now)
    else:
        _say(now)
        if now["state"] in {"scoring", "asking"}:
            echo(f"See how far it is: karat certificate show {shlex.quote(project)} {now['id']}")
    if now["state"] == "refused" or (apply and now["state"] != "applied"):
        raise typer.Exit(1)


def _say(one: "Certificate") -> None:
    """What is known of a certificate, in a few sentences."""
    echo(f"Certificate {one['id']} is {one['state']}.")
    if one["refused"] is not None:
        echo(one["refused"])
    if one["stalled"] is not None:
        echo(f"It does not go on for now. {one['stalled']}")
    if one["bound"] is not None and one["state"] not in {"revoked", "refused"}:
        bound = one["bound"]
        verb = "labeled" if one["state"] == "applied" else "would label"
        echo(
            f"The model {verb} {one['auto']:,}; at most {bound['wrong']:,} of these "
            f"({intervals.at_most(bound['share'])}) are wrong, "
            f"{intervals.sure(one['confidence'])} sure. {one['people']:,} are left to people."
        )
    if one["state"] == "asking":
        more = one["expected_answers"]
        expected = "" if more is None else f", about {more:,} more are expected"
        echo(f"{one['answered']:,} of {one['asked']:,} asked are answered{expected}.")
    for warning in one["warnings"]:
        echo(warning)


@certificates.command("list")
def list_(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """List the certificates of a project, the newest first."""
    with connect() as client:
        found = list(find_project(client, project).certificates.all())
    if as_json:
        return show_json(found)
    columns = ("#id", "state", "begun", "#wrong, at most", "#labels", "#answers")
    return show_table(columns, [_row(one) for one in found], "There is no certificate yet.")


def _row(one: "Certificate") -> tuple[Any, ...]:
    promised = f"{intervals.at_most(one['target'])} at {intervals.sure(one['confidence'])}"
    answers = f"{one['answered']:,}"
    return (one["id"], one["state"], when(one["created_at"]), promised, f"{one['auto']:,}", answers)


@certificates.command("show")
def show(
    project: ProjectArgument, certificate: CertificateArgument, as_json: JsonOption = False
) -> None:
    """Show which lots have passed, which are left to people, and what is promised."""
    with connect() as client:
        named = find_project(client, project)
        found: CertificateDetail = named.certificates.get(certificate)
        of = named.get()
    if as_json:
        return show_json(found)
    _say(found)
    names = {one["id"]: one["name"] for one in of["classes"]}
    many = f"#{noun(of['medium']).many}"
    columns = ("lot of", "sure", many, "#looked at", "#wrong", "#together, at most", "state")
    rows = [_lot(lot, names) for lot in found["lots_of"]]
    return show_table(columns, rows, "There are no lots yet.")


def _lot(lot: "CertificateLot", names: dict[int, str]) -> tuple[Any, ...]:
    class_id = lot["class_id"]
    name = "OOD" if class_id is None else names.get(class_id, str(class_id))
    sure_of = intervals.band(lot["band"]["low"], lot["band"]["high"])
    bound = "" if lot["bound"] is None else intervals.at_most(lot["bound"])
    return (name, sure_of, f"{lot['size']:,}", lot["drawn"], lot["wrong"], bound, lot["state"])


@certificates.command("apply")
def apply_(
    project: ProjectArgument, certificate: CertificateArgument, as_json: JsonOption = False
) -> None:
    """Label what is in the lots that have passed, and wait until that is done."""
    with connect() as client:
        found = find_project(client, project).certificates.apply(certificate)
    if as_json:
        show_json(found)
    else:
        _say(found)
    if found["state"] != "applied":
        raise typer.Exit(1)


@certificates.command("revoke")
def revoke(
    project: ProjectArgument, certificate: CertificateArgument, as_json: JsonOption = False
) -> None:
    """Take back its labels, or stop asking for it; what people said stays."""
    with connect() as client:
        found = find_project(client, project).certificates.revoke(certificate)
    return show_json(found) if as_json else _say(found)


@certificates.command("report")
def report(project: ProjectArgument, certificate: CertificateArgument) -> None:
    """Print as JSON what is promised, what it rests on, and of which model and data."""
    with connect() as client:
        found = find_project(client, project).certificates.report(certificate)
    show_json(found)
