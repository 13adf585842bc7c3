"""What the kinds of objects of a cluster look like that our chart makes: fields, types, no others.

Only fields that the chart uses, as the API of Kubernetes 1.27 and later has them; a field that is
spelled wrong, lies elsewhere or has another type is refused.
"""

from typing import Any, Final

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string", "minLength": 1}
YES_NO: Final[Schema] = {"type": "boolean"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
NAME: Final[Schema] = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"}
PORT: Final[Schema] = {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 65535}, NAME]}
QUANTITY: Final[Schema] = {"type": "string", "pattern": r"^[0-9]+(m|Mi|Gi|Ti)?$"}
_LABEL: Final[Schema] = {"type": "string", "pattern": r"^([A-Za-z0-9][-A-Za-z0-9_.]{0,62})?$"}


def made(required: str = "", **fields: Schema) -> Schema:
    """An object with these fields and no others; ``required`` names those that have to be there."""
    return {
        "type": "object",
        "properties": {name.rstrip("_"): schema for name, schema in fields.items()},
        "required": required.split(),
        "additionalProperties": False,
    }


def many(schema: Schema, least: int = 0) -> Schema:
    """A list of these."""
    return {"type": "array", "items": schema, "minItems": least}


def texts(value: Schema = TEXT) -> Schema:
    """An object of texts."""
    return {"type": "object", "additionalProperties": value}


def one_of(*values: str) -> Schema:
    """One of these words."""
    return {"enum": [*values]}


LABELS: Final = texts(_LABEL)
META: Final = made("name labels", name=NAME, labels=LABELS, annotations=texts())
SELECTOR: Final = made(
    matchLabels=LABELS,
    matchExpressions=many(
        made(
            "key operator",
            key=TEXT,
            operator=one_of("In", "NotIn", "Exists", "DoesNotExist"),
            values=many(_LABEL),
        ),
        1,
    ),
)
RESOURCES: Final = made("requests limits", requests=texts(QUANTITY), limits=texts(QUANTITY))
SECURE: Final = made(
    "allowPrivilegeEscalation readOnlyRootFilesystem capabilities",
    allowPrivilegeEscalation={"const": False},
    readOnlyRootFilesystem={"const": True},
    capabilities=made("drop", drop={"const": ["ALL"]}),
)
PROBE: Final = made(
    "periodSeconds timeoutSeconds",
    exec=made("command", command=many(TEXT, 1)),
    httpGet=made("path port", path=TEXT, port=PORT),
    initialDelaySeconds=COUNT,
    periodSeconds=COUNT,
    timeoutSeconds=COUNT,
    failureThreshold=COUNT,
)
FROM_SECRET: Final = made(
    "secretKeyRef", secretKeyRef=made("name key", name=TEXT, key={"pattern": "^[-a-z0-9]+$"})
)
CONTAINER: Final = made(
    "name image securityContext resources",
    name=NAME,
    image={"type": "string", "pattern": r"^[a-z0-9./-]+:[\w.-]+(@sha256:[0-9a-f]{64})?$"},
    imagePullPolicy=one_of("Always", "IfNotPresent", "Never"),
    command=many({"type": "string"}, 1),
    args=many(TEXT, 1),
    ports=many(made("name containerPort", name=NAME, containerPort=PORT)),
    env=many(made("name", name=TEXT, value={"type": "string"}, valueFrom=FROM_SECRET)),
    readinessProbe=PROBE,
    livenessProbe=PROBE,
    securityContext=SECURE,
    resources=RESOURCES,
    volumeMounts=many(made("name mountPath", name=NAME, mountPath=TEXT)),
)
VOLUME: Final = made(
    "name",
    name=NAME,
    emptyDir=made(medium=one_of("Memory"), sizeLimit=QUANTITY),
    persistentVolumeClaim=made("claimName", claimName=NAME),
)
POD: Final = made(
    "containers automountServiceAccountToken securityContext",
    serviceAccountName=NAME,
    automountServiceAccountToken={"const": False},
    enableServiceLinks=YES_NO,
    imagePullSecrets=many(made("name", name=NAME)),
    restartPolicy=one_of("OnFailure", "Never"),
    terminationGracePeriodSeconds=COUNT,
    securityContext=made(
        "runAsNonRoot seccompProfile",
        runAsNonRoot={"const": True},
        runAsUser={"type": "integer", "minimum": 1},
        runAsGroup={"type": "integer", "minimum": 1},
        fsGroup={"type": "integer", "minimum": 1},
        fsGroupChangePolicy=one_of("OnRootMismatch", "Always"),
        seccompProfile=made("type", type=one_of("RuntimeDefault")),
    ),
    initContainers=many(CONTAINER),
    containers=many(CONTAINER, 1),
    volumes=many(VOLUME),
)
TEMPLATE: Final = made("metadata spec", metadata=made("labels", labels=LABELS), spec=POD)
CLAIM: Final = made(
    "accessModes resources",
    accessModes=many(one_of("ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod"), 1),
    storageClassName=NAME,
    resources=made("requests", requests=made("storage", storage=QUANTITY)),
)
_PEER: Final = made(podSelector=SELECTOR, namespaceSelector=SELECTOR)
_RULE_PORTS: Final = many(made("port protocol", port=PORT, protocol=one_of("TCP", "UDP")), 1)


def kind(version: str, name: str, spec: Schema | None, **more: Schema) -> Schema:
    """An object of this kind."""
    fields = {"apiVersion": {"const": version}, "kind": {"const": name}, "metadata": META, **more}
    required = "apiVersion kind metadata"
    return made(f"{required} spec", spec=spec, **fields) if spec else made(required, **fields)


KINDS: Final[dict[str, Schema]] = {
    "ServiceAccount": kind(
        "v1", "ServiceAccount", None, automountServiceAccountToken={"const": False}
    ),
    "Service": kind(
        "v1",
        "Service",
        made(
            "selector ports",
            selector=LABELS,
            ports=many(made("name port targetPort", name=NAME, port=PORT, targetPort=PORT), 1),
        ),
    ),
    "PersistentVolumeClaim": kind("v1", "PersistentVolumeClaim", CLAIM),
    "Deployment": kind(
        "apps/v1",
        "Deployment",
        made(
            "replicas selector template",
            replicas=COUNT,
            strategy=made("type", type=one_of("Recreate", "RollingUpdate")),
            selector=SELECTOR,
            template=TEMPLATE,
        ),
    ),
    "StatefulSet": kind(
        "apps/v1",
        "StatefulSet",
        made(
            "replicas serviceName selector template volumeClaimTemplates",
            replicas=COUNT,
            serviceName=NAME,
            selector=SELECTOR,
            template=TEMPLATE,
            volumeClaimTemplates=many(
                made("metadata spec", metadata=made("name", name=NAME), spec=CLAIM)
            ),
        ),
    ),
    "Job": kind(
        "batch/v1",
        "Job",
        made("template", backoffLimit=COUNT, ttlSecondsAfterFinished=COUNT, template=TEMPLATE),
    ),
    "Ingress": kind(
        "networking.k8s.io/v1",
        "Ingress",
        made(
            "rules",
            ingressClassName=NAME,
            tls=many(made("hosts secretName", hosts=many(TEXT, 1), secretName=NAME)),
            rules=many(
                made(
                    "host http",
                    host=TEXT,
                    http=made(
                        "paths",
                        paths=many(
                            made(
                                "path pathType backend",
                                path=TEXT,
                                pathType=one_of("Prefix", "Exact"),
                                backend=made(
                                    "service",
                                    service=made(
                                        "name port", name=NAME, port=made("name", name=NAME)
                                    ),
                                ),
                            ),
                            1,
                        ),
                    ),
                ),
                1,
            ),
        ),
    ),
    "NetworkPolicy": kind(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        made(
            "podSelector policyTypes",
            podSelector=SELECTOR,
            policyTypes=many(one_of("Ingress", "Egress"), 1),
            ingress=many(made(from_=many(_PEER, 1), ports=_RULE_PORTS)),
            egress=many(made(to=many(_PEER, 1), ports=_RULE_PORTS)),
        ),
    ),
}
