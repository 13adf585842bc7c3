"""Write what the Python client's methods return from the API's description.

``python -m scripts.client_types`` writes the modules anew; with ``--check`` it says which of them
are not as they would be written, and exits with 1.
"""

import argparse
import json
import keyword
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
_HERE: Final = "scripts/client_types.py"
_REF: Final = "#/components/schemas/"
_PLAIN: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_MADE: Final = "Made from the API's description: ``make openapi`` writes it anew."


class Shown(NamedTuple):
    """How a schema is shown to those who use the client.

    Attributes:
        schema: Its name in the API's description.
        says: What it is, where the description does not say so, or says it of the API's caller.
        filled: Fields that the API asks for and the client fills in.
        sent: Whether it is sent: what the API does not ask for may then be missing.
    """

    schema: str
    says: str = ""
    filled: frozenset[str] = frozenset()
    sent: bool = False


_KEY: Final = frozenset({"key"})
# Their names are what users import; an entry's place is of no meaning.
RESOURCES: Final[Mapping[str, Shown]] = {
    "Scope": Shown("Scope"),
    "Role": Shown("Role"),
    "Medium": Shown("Medium"),
    "Split": Shown("Split"),
    "FolderChoice": Shown("FolderChoice"),
    "Verdict": Shown("Verdict"),
    "ProjectState": Shown("ProjectState"),
    "RoundState": Shown("RoundState"),
    "JobState": Shown("JobState"),
    "JobKind": Shown("JobKind"),
    "ExampleState": Shown("ExampleState"),
    "ExportFormat": Shown("Format"),
    "ExportFormatInfo": Shown("ExportFormat"),
    "User": Shown("UserOut", "A person or a program that logs in."),
    "Token": Shown("TokenOut", "An API token, without its secret."),
    "NewToken": Shown("TokenCreated", "An API token at the only moment its secret is shown."),
    "ClassSpec": Shown(
        "ClassIn", "A class to be made or changed; without ``id`` it is a new one.", sent=True
    ),
    "Class": Shown("ClassOut", "A class of a project."),
    "Counts": Shown("Counts"),
    "CurrentRound": Shown("CurrentRound", "How far the budget of the current round is spent."),
    "ProjectListed": Shown("ProjectListed"),
    "Project": Shown("ProjectOut"),
    "ProjectRole": Shown("ProjectRole"),
    "Retention": Shown("RetentionOut"),
    "Member": Shown("MemberOut", "A member of a project."),
    "Progress": Shown("Progress"),
    "JobError": Shown("JobError", "Why a job failed."),
    "JobPause": Shown("JobPause"),
    "Job": Shown("JobOut", "Work done by a worker."),
    "InstructionTurn": Shown("InstructionTurn"),
    "InstructionFields": Shown("InstructionFields"),
    "QueryMember": Shown("QueryMember"),
    "Example": Shown("ExampleOut"),
    "Proposal": Shown("Proposal"),
    "Query": Shown("LeasedQuery"),
    "Mine": Shown("MyCounts", "How many verdicts the user gave; a corrected one counts once."),
    "RoundStatus": Shown(
        "RoundStatus", "How far the budget of the round that is labeled is spent."
    ),
    "LabelingStatus": Shown(
        "Status", "What there is to label, and if nothing, why; `mine` if the status is asked for."
    ),
    "Lease": Shown("Lease"),
    "Answer": Shown(
        "AnswerIn",
        "A verdict on a query. `key` names it: sent twice, it counts once.\n\n"
        "With the project's `classes_version` as its classes were shown, an answer is refused if\n"
        "its class is another one by now.",
        filled=_KEY,
        sent=True,
    ),
    "AnswerResult": Shown("AnswerResult"),
    "AnswerReceipt": Shown("AnswersOut", "The results of a batch of answers, in their order."),
    "OfTexts": Shown("OfTextsOut"),
    "Algorithm": Shown("AlgorithmOut"),
}
FINDINGS: Final[Mapping[str, Shown]] = {
    "ReviewDecision": Shown("Decision"),
    "SubsetFormat": Shown("SubsetFormat"),
    "ArtifactKind": Shown("ArtifactKind"),
    "Artifact": Shown("ArtifactOut", "A file that a job made."),
    "ExportedClass": Shown("ExportedClass"),
    "Answered": Shown("Answered"),
    "OodEstimate": Shown("Estimate"),
    "OodLeft": Shown("OodLeft"),
    "Round": Shown("RoundOut"),
    "DrawnShare": Shown("AuditShare"),
    "HumanError": Shown("HumanError"),
    "ClassAudit": Shown("ClassAudit"),
    "AuditEstimate": Shown("AuditEstimate"),
    "AuditAsked": Shown("AuditAsked"),
    "LookAlike": Shown("LookAlike"),
    "Reason": Shown("Reason"),
    "Outlook": Shown("OutlookOut"),
    "AgreementFigures": Shown("Agreement"),
    "ProposalFates": Shown("ProposalFates"),
    "Voter": Shown("VoterAgreement"),
    "Agreement": Shown(
        "AgreementOut",
        "How far verdicts agree on whether an image is in-distribution, and on its class.",
    ),
    "Subset": Shown("SubsetOut"),
    "ClassShare": Shown("ClassShare"),
    "Noise": Shown("NoiseOut"),
    "ComparedSubset": Shown("SubsetSide"),
    "OnlyHere": Shown("OnlyHere"),
    "SubsetComparison": Shown("SubsetComparison"),
    "Review": Shown("ReviewOut"),
    "Interval": Shown("IntervalOut"),
    "Remaining": Shown("Remaining"),
    "ReviewAudit": Shown("ReviewAuditOut"),
    "ReviewEstimate": Shown("ReviewEstimate"),
    "Votes": Shown("Votes"),
    "Suggestion": Shown("SuggestionOut"),
    "Decision": Shown(
        "DecisionIn",
        'One decision of a reviewer; None takes back the one before, "other" names a class.',
        filled=_KEY,
        sent=True,
    ),
    "DecisionResult": Shown("DecisionResult"),
    "DecisionReceipt": Shown(
        "DecisionsOut", "What became of decisions, and how far the review is."
    ),
}
SELECTIONS: Final[Mapping[str, Shown]] = {
    "SelectionReason": Shown("SelectionReason"),
    "ClusterStatus": Shown("ClusterStatus"),
    "SelectionFormat": Shown("SelectionFormat"),
    "RankableShare": Shown("RankableShare"),
    "TiedScores": Shown("TiedScores"),
    "JudgeCost": Shown("JudgeCost"),
    "JudgeAgreement": Shown("JudgeAgreement"),
    "PeopleAsked": Shown("PeopleOut"),
    "LengthHistograms": Shown("LengthHistograms"),
    "Topic": Shown("Topic"),
    "Selection": Shown("SelectionOut"),
    "SelectedRow": Shown("SelectedRow"),
    "SelectedCluster": Shown("SelectedCluster"),
    "ComparedSelection": Shown("ComparedSelection", "One of the two that are compared."),
    "SelectionComparison": Shown("SelectionComparison"),
}
SNAPSHOTS: Final[Mapping[str, Shown]] = {
    "SnapshotOrigin": Shown("Origin"),
    "SnapshotDifference": Shown("Change"),
    "SnapshotCounts": Shown("SnapshotCounts"),
    "SnapshotClass": Shown("SnapshotClass"),
    "Snapshot": Shown("SnapshotOut"),
    "SnapshotSide": Shown("SnapshotSide"),
    "SnapshotChange": Shown("SnapshotChange"),
    "SnapshotFlow": Shown("SnapshotFlow"),
    "RenamedClass": Shown("RenamedClass"),
    "SnapshotDiff": Shown("SnapshotDiff"),
}
CERTIFICATES: Final[Mapping[str, Shown]] = {
    "CertificateState": Shown("CertificateState"),
    "LotState": Shown("LotState"),
    "CertificateBound": Shown("Bound"),
    "CertificateBand": Shown("Band"),
    "LotCounts": Shown("LotCounts"),
    "ModelRef": Shown("ModelRef"),
    "Certificate": Shown("CertificateOut"),
    "CertificateLot": Shown("CertificateLot"),
    "CertificateDetail": Shown("CertificateDetail"),
    "LookedAt": Shown("LookedAt"),
    "ClassReport": Shown("ClassReport"),
    "CertificateReport": Shown("CertificateReport"),
}
JUDGES: Final[Mapping[str, Shown]] = {
    "Trial": Shown("Trial"),
    "Judge": Shown("JudgeOut"),
}
SYNCS: Final[Mapping[str, Shown]] = {
    "SyncFinding": Shown("SyncFinding"),
    "SyncImport": Shown("SyncImport"),
    "Sync": Shown("SyncOut"),
    "SyncObject": Shown("SyncObjectOut"),
}
MODULES: Final = {
    "resources": (
        "Users, projects, jobs and labels, as the API returns them.\n\n"
        f"Times are ISO 8601 strings in UTC. {_MADE}",
        RESOURCES,
    ),
    "findings": (
        f"What rounds and jobs found and made, and what became of it.\n\n{_MADE}",
        FINDINGS,
    ),
    "selections": (
        f"What jobs have chosen among instructions.\n\n{_MADE}",
        SELECTIONS,
    ),
    "snapshot_types": (
        f"Data sets as they were, and what changed between them.\n\n{_MADE}",
        SNAPSHOTS,
    ),
    "certificate_types": (
        f"What is promised of labels that models give.\n\n{_MADE}",
        CERTIFICATES,
    ),
    "judge_types": (
        f"Models behind an address that rank instructions.\n\n{_MADE}",
        JUDGES,
    ),
    "sync_types": (
        f"Places that pools follow, and what was found there.\n\n{_MADE}",
        SYNCS,
    ),
}


def written(description: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Each module's file, and what is to be in it.

    Args:
        description: The API's OpenAPI document.

    Raises:
        SystemExit: A schema is missing, or refers to one that has no name in the client.
    """
    schemas = description["components"]["schemas"]
    for module, (title, shown) in MODULES.items():
        yield ROOT / "karat/client" / f"{module}.py", _module(module, title, shown, schemas)


def _module(module: str, title: str, shown: Mapping[str, Shown], schemas: Mapping[str, Any]) -> str:
    words: list[str] = []
    dictionaries: list[str] = []
    for name, one in shown.items():
        if one.schema not in schemas:
            raise SystemExit(
                f"The API has no schema {one.schema}: say in {_HERE} what {name} is made from."
            )
        schema = schemas[one.schema]
        said = one.says or schema.get("description", "")
        if "enum" in schema:
            words.append(f"{name} = {_type(schema)}" + (f'\n"""{said}"""' if said else ""))
        else:
            dictionaries.append(_dictionary(name, one, said, schema))
    body = "\n".join([*words, *dictionaries])
    used = [word for word in ("Any", "Literal", "NotRequired", "TypedDict") if word in body]
    mentioned = set(re.findall(r"\w+", "\n".join(re.findall(r"(?m)^    \w+: (.+)$", body))))
    lines = [f'"""{title}\n"""' if "\n" in title else f'"""{title}"""']
    lines.append(f"from typing import {', '.join(used)}")
    for other, (_, names) in MODULES.items():
        if other != module and (taken := sorted(mentioned & set(names))):
            lines.append(f"from karat.client.{other} import {', '.join(taken)}")
    return _formatted("\n\n".join([*lines, body]) + "\n")


def _dictionary(name: str, one: Shown, said: str, schema: Mapping[str, Any]) -> str:
    if not said:
        raise SystemExit(f"Say in {_HERE}, or in the API, what {one.schema} is.")
    # Whoever writes something new needs nothing that is going to go.
    known = {
        field: about for field, about in schema["properties"].items() if not about.get("deprecated")
    }
    if any(map(keyword.iskeyword, known)):
        fields = {field: _type(about) for field, about in known.items()}
        inside = ", ".join(f'"{field}": {kind}' for field, kind in fields.items())
        return f'{name} = TypedDict("{name}", {{{inside}}})\n"""{said}"""'
    indented = "\n".join(f"    {line}".rstrip() for line in said.split("\n"))
    end = "\n    " if "\n" in said else ""
    lines = [f"class {name}(TypedDict):", f'    """{indented.strip()}{end}"""', ""]
    asked = set(schema.get("required", ())) - one.filled
    for field, about in known.items():
        kind = _type(about)
        if one.sent and field not in asked:
            kind = f"NotRequired[{kind}]"
        lines.append(f"    {field}: {kind}")
    return "\n".join(lines)


def _type(schema: Mapping[str, Any]) -> str:
    """A schema as a type of Python."""
    if "$ref" in schema:
        return _name(schema["$ref"].removeprefix(_REF))
    if "oneOf" in schema:
        # Labels: those of packages are answered, too.
        return "dict[str, Any]"
    if "anyOf" in schema:
        return " | ".join(_type(one) for one in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"Literal[{', '.join(json.dumps(one) for one in values)}]"
    match schema.get("type"):
        case "null":
            return "None"
        case "array":
            return f"list[{_type(schema['items'])}]"
        case "object":
            values = schema.get("additionalProperties", True)
            key = _type(schema.get("propertyNames", {"type": "string"}))
            return f"dict[{key}, {'Any' if isinstance(values, bool) else _type(values)}]"
        case str(plain) if plain in _PLAIN:
            return _PLAIN[plain]
    return "Any"


def _name(schema: str) -> str:
    for _, shown in MODULES.values():
        for name, one in shown.items():
            if one.schema == schema:
                return name
    raise SystemExit(f"The schema {schema} has no name in the client: give it one in {_HERE}.")


def _formatted(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--quiet", "-"]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout


def main() -> None:
    """Write the modules, or check them."""
    parser = argparse.ArgumentParser(description="Types of the Python client.")
    parser.add_argument("--check", action="store_true", help="Change nothing; say what would.")
    check = parser.parse_args().check
    description = json.loads((ROOT / "frontend/openapi.json").read_text())
    old = []
    for path, text in written(description):
        if not check:
            path.write_text(text)
        elif path.read_text() != text:
            old.append(path.relative_to(ROOT))
    if old:
        names = ", ".join(map(str, old))
        sys.exit(f"Not as the API's description has it: {names}. Run: make openapi")


if __name__ == "__main__":
    main()
