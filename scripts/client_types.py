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
from typing import Any, Final

from scripts.client_modules import MODULES, Shown

ROOT: Final = Path(__file__).resolve().parent.parent
_HERE: Final = "scripts/client_modules.py"
_REF: Final = "#/components/schemas/"
_PLAIN: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


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
    others = {other: mentioned & set(names) for other, (_, names) in MODULES.items()}
    imports = [
        f"from karat.client.{other} import {', '.join(sorted(taken))}"
        for other, taken in sorted(others.items())
        if taken and other != module
    ]
    if imports:
        lines.append("\n".join(imports))
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
        # What has a default, null among them, is always answered.
        may_be_missing = one.sent or not about.keys() & {"default", "anyOf"}
        if may_be_missing and field not in asked:
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
