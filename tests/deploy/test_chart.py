"""The Helm chart, as Helm has rendered it: what a cluster takes, and the same as Compose says."""

import json
import re
from typing import Any, Final

import jsonschema_rs
import pytest
import yaml

from core.settings import Settings
from karat.local.embedded import EmbeddedPostgres
from scripts.chart import DEPLOY, RENDERED, ROOT, head, values
from scripts.sbom import of_images
from tests.compose.test_compose import OURS, SERVICES
from tests.deploy.kinds import KINDS

Object = dict[str, Any]
NAMES: Final = sorted(values())
RENDERINGS: Final[dict[str, list[Object]]] = {
    name: [*yaml.load_all((RENDERED / f"{name}.yaml").read_text(), yaml.CSafeLoader)]
    for name in NAMES
}
# Parts of addresses, which nobody reads by themselves.
_PASSWORDS: Final = {"KARAT_SERVICE_PASSWORD", "KARAT_REDIS_PASSWORD", "KARAT_DATABASE_PASSWORD"}

_DEFAULTS: Final = {
    "KARAT_CONNECTIONS_PER_ADDRESS", "KARAT_TRAINING_PROCESSES", "KARAT_SCORING_ROWS",
    "KARAT_WEBHOOK_SECONDS", "KARAT_WEBHOOKS", "KARAT_SECOND_FACTOR", "KARAT_OIDC_SCOPES",
    "KARAT_OIDC_GROUPS_CLAIM", "KARAT_OIDC_DEFAULT_ROLE", "KARAT_OIDC_UNVERIFIED_EMAILS",
    "KARAT_OIDC_TOKEN_DAYS",
}  # fmt: skip


def pods(rendering: list[Object]) -> dict[str, Object]:
    """Pods by component."""
    found = (one["spec"]["template"] for one in rendering if "template" in one.get("spec", {}))
    return {one["metadata"]["labels"]["app.kubernetes.io/component"]: one["spec"] for one in found}


def environment(pod: Object) -> dict[str, Any]:
    return {one["name"]: one for one in pod["containers"][0].get("env", [])}


@pytest.mark.parametrize("name", NAMES)
def test_the_rendering_is_of_the_chart_as_it_is(name: str) -> None:
    assert (RENDERED / f"{name}.yaml").read_text().startswith(head(name)), "run: make chart"


@pytest.mark.parametrize("name", NAMES)
def test_a_cluster_takes_each_object(name: str) -> None:
    for one in RENDERINGS[name]:
        errors = jsonschema_rs.validator_for(KINDS[one["kind"]]).iter_errors(one)
        found = [f"{'/'.join(map(str, error.instance_path))}: {error.message}" for error in errors]
        assert found == [], (one["kind"], one["metadata"]["name"])
    known = [(one["kind"], one["metadata"]["name"]) for one in RENDERINGS[name]]
    assert len(known) == len(set(known)) >= 10


@pytest.mark.parametrize(
    "wrong",
    [
        {"spec": {"replica": 1}},
        {"spec": {"replicas": "1"}},
        {"kind": "Deploymnet"},
        {"apiVersion": "v1"},
    ],
)
def test_a_wrong_object_would_be_seen(wrong: Object) -> None:
    good = next(one for one in RENDERINGS["default"] if one["kind"] == "Deployment")
    bad = {**good, **wrong, "spec": {**good["spec"], **wrong.get("spec", {})}}
    assert jsonschema_rs.is_valid(KINDS["Deployment"], good)
    assert not jsonschema_rs.is_valid(KINDS["Deployment"], bad)


@pytest.mark.parametrize("name", NAMES)
def test_selectors_find_the_pods_they_mean_and_mounts_their_volumes(name: str) -> None:
    rendering = RENDERINGS[name]
    claims = {
        one["metadata"]["name"] for one in rendering if one["kind"] == "PersistentVolumeClaim"
    }
    for one in rendering:
        spec = one.get("spec", {})
        if "selector" in spec and "template" in spec:
            labels = spec["template"]["metadata"]["labels"]
            assert spec["selector"]["matchLabels"].items() <= labels.items()
        if one["kind"] == "Service":
            meant = [
                pod
                for pod in rendering
                if "template" in pod.get("spec", {})
                and spec["selector"].items()
                <= pod["spec"]["template"]["metadata"]["labels"].items()
            ]
            assert len(meant) == 1
    for pod in pods(rendering).values():
        volumes = {one["name"] for one in pod["volumes"]}
        for container in [*pod["containers"], *pod.get("initContainers", [])]:
            mounted = {one["name"] for one in container.get("volumeMounts", [])}
            assert mounted <= volumes | {"postgres"}
        named = [
            one["persistentVolumeClaim"]["claimName"]
            for one in pod["volumes"]
            if "persistentVolumeClaim" in one
        ]
        assert set(named) <= claims | {"pool"}


@pytest.mark.parametrize("name", [one for one in OURS if one != "backup"])
def test_each_service_of_compose_runs_as_it_does_there(name: str) -> None:
    pod, service = pods(RENDERINGS["full"])[name], SERVICES[name]
    assert pod["containers"][0]["command"] == service["command"]
    assert pod["securityContext"]["runAsUser"] == 10001
    if name == "migrate":
        return
    # What has a default, and what an operator leaves empty, is not set here.
    there = {key for key, value in service["environment"].items() if value}
    assert there - _DEFAULTS <= environment(pod).keys()
    mounts = {one["name"] for one in pod["containers"][0]["volumeMounts"]}
    assert ("data" in mounts) == bool(service["volumes"])


@pytest.mark.parametrize("name", NAMES)
def test_passwords_come_from_the_secret_and_the_owners_reaches_the_migration_alone(
    name: str,
) -> None:
    owners = {"database-password", "database-url"}
    told = {
        part
        for part, pod in pods(RENDERINGS[name]).items()
        for one in environment(pod).values()
        if one.get("valueFrom", {}).get("secretKeyRef", {}).get("key") in owners
    }
    assert told == ({"migrate", "postgres"} if name != "external" else {"migrate"})
    secret = {"PASSWORD", "SECRET", "TOKEN"}
    for pod in pods(RENDERINGS[name]).values():
        for key, one in environment(pod).items():
            if any(word in key for word in secret):
                assert "valueFrom" in one, key


@pytest.mark.parametrize("name", NAMES)
def test_the_chart_sets_only_what_somebody_reads(name: str) -> None:
    known = {f"KARAT_{field.upper()}" for field in Settings.model_fields} | _PASSWORDS
    for pod in pods(RENDERINGS[name]).values():
        set_ = {key for key in environment(pod) if key.startswith("KARAT_")}
        assert set_ <= known


@pytest.mark.parametrize("name", NAMES)
def test_programs_can_read_what_the_chart_sets(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for pod in pods(RENDERINGS[name]).values():
        with monkeypatch.context() as patch:
            for key, one in environment(pod).items():
                if "value" in one:
                    patch.setenv(key, one["value"])
            read = Settings()
        if "KARAT_MAX_UPLOAD_BYTES" in environment(pod):
            assert (read.max_upload_bytes, read.heartbeat_seconds) == (2**37, 2.5)


def test_nothing_waits_for_a_device_that_what_it_replaces_holds() -> None:
    workers = [
        one["spec"]
        for one in RENDERINGS["default"]
        if one["kind"] == "Deployment" and "-worker-" in one["metadata"]["name"]
    ]
    assert len(workers) == 5
    assert all(one["strategy"] == {"type": "Recreate"} for one in workers)


def test_as_many_processes_train_as_there_are_devices() -> None:
    for name, gpus in (("default", 1), ("full", 2)):
        pod = pods(RENDERINGS[name])["worker-gpu"]
        (worker,) = pod["containers"]
        assert worker["resources"]["limits"]["nvidia.com/gpu"] == str(gpus)
        told = environment(pod).get("KARAT_TRAINING_PROCESSES", {"value": "1"})
        assert told["value"] == str(gpus)
        shared = {one["mountPath"] for one in worker["volumeMounts"]}
        assert ("/dev/shm" in shared) == (gpus > 1)


def test_a_public_client_has_no_secret() -> None:
    told = {name: environment(pods(RENDERINGS[name])["api"]) for name in ("external", "full")}
    assert {name: "KARAT_OIDC_CLIENT_SECRET" in one for name, one in told.items()} == {
        "external": False,
        "full": True,
    }
    assert all("KARAT_OIDC_ISSUER" in one for one in told.values())


def test_only_what_opens_buckets_can() -> None:
    opens = {"api", "worker-cpu", "worker-gpu", "worker-housekeeping", "worker-judge"}
    rendering = RENDERINGS["full"]
    found = pods(rendering)
    keys = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    assert {name for name, pod in found.items() if keys & environment(pod).keys()} == opens
    assert {
        name for name, pod in found.items() if pod.get("serviceAccountName") == "karat"
    } == opens
    accounts = {
        one["metadata"]["name"]: "annotations" in one["metadata"]
        for one in rendering
        if one["kind"] == "ServiceAccount"
    }
    assert accounts == {"karat": True, "karat-plain": False}


def test_only_what_calls_others_has_a_way_out() -> None:
    policy = {
        one["metadata"]["name"]: one["spec"]
        for one in RENDERINGS["default"]
        if one["kind"] == "NetworkPolicy"
    }
    (which,) = policy["karat-outside"]["podSelector"]["matchExpressions"]
    assert set(which["values"]) == {"api", "worker-judge", "worker-web"}
    out = {name for name, one in SERVICES.items() if "outside" in one["networks"]}
    assert set(which["values"]) == out
    inside = policy["karat-inside"]["egress"]
    assert not any(rule == {} for rule in inside)


def test_all_images_but_our_own_are_pinned_by_digest() -> None:
    chart = {
        name: {one["image"] for pod in pods(RENDERINGS[name]).values() for one in pod["containers"]}
        for name in NAMES
    }
    compose = {SERVICES[name]["image"] for name in ("postgres", "redis")}
    # The same in both; our own is built, and pinned in a chart by whoever has pushed it.
    assert chart["default"] == compose | {"karat:local"}
    assert len(chart["full"]) == 3
    arguments = SERVICES["api"]["build"]["args"]
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert dict(re.findall(r"^ARG (\w+_IMAGE)=(\S+)$", dockerfile, re.MULTILINE)) == arguments
    assert set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)) == {
        f"${{{name}}}" for name in arguments
    }
    for image in (*compose, *chart["full"], *arguments.values()):
        assert re.fullmatch(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}", image), image
    known = {one["name"]: one["hashes"][0]["content"] for one in of_images()}
    assert known.keys() == {"node", "postgres", "python", "redis"}
    pinned = {*compose, *arguments.values()}
    assert {one.partition("@sha256:")[2] for one in pinned} == set(known.values())


@pytest.mark.parametrize("name", ["default", "compose"])
def test_a_database_sorts_by_its_own_rules_and_not_by_those_of_its_image(name: str) -> None:
    """As that of ``karat up``: a newer C library would leave indexes out of order."""
    said = SERVICES["postgres"]["environment"]
    if name == "default":
        found = environment(pods(RENDERINGS[name])["postgres"])
        said = {key: one.get("value") for key, one in found.items()}
    assert tuple(said["POSTGRES_INITDB_ARGS"].split()) == EmbeddedPostgres.locale


def test_every_value_has_a_schema() -> None:
    schema = json.loads((DEPLOY / "chart" / "values.schema.json").read_text())
    given = yaml.safe_load((DEPLOY / "chart" / "values.yaml").read_text())
    assert jsonschema_rs.is_valid(schema, {**given, "secret": "passwords"})
    assert not jsonschema_rs.is_valid(schema, given)
    assert not jsonschema_rs.is_valid(schema, {**given, "secret": "a", "databse": {}})
