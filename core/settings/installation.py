"""Settings of an installation, read once from the environment (prefix ``KARAT_``)."""

from functools import lru_cache
from pathlib import Path
from typing import Literal, Self

from pydantic import AliasChoices, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from core.errors import DomainError
from core.settings.addresses import Allowed, Network, networks
from core.settings.database import libpq_url, sqlalchemy_url
from core.settings.locations import Location, parse_all
from core.settings.sign_in import Provider, read_roles, require_secure
from core.states import Role


class Settings(BaseSettings):
    """What differs between installations.

    ``DATABASE_URL`` and ``REDIS_URL`` are read without a prefix, as hosting platforms set them.
    """

    model_config = SettingsConfigDict(
        env_prefix="KARAT_",
        extra="ignore",
        populate_by_name=True,
        # Errors are printed when a process starts, and some of what is read is secret.
        hide_input_in_errors=True,
    )

    database_url: str = Field(
        default="postgresql+psycopg://localhost/karat",
        validation_alias="DATABASE_URL",
        description="PostgreSQL, as postgresql:// or postgresql+psycopg://.",
    )
    service_database_url: SecretStr | None = Field(
        default=None,
        description="Read by migrations: the DATABASE_URL that API and workers will have.",
    )
    database_read_url: SecretStr | None = Field(
        default=None,
        validation_alias="DATABASE_READ_URL",
        description="A read-only replica of the database, for exports and metrics.",
    )
    read_wait_seconds: float = Field(
        default=2.0, ge=0, le=60, description="How long an export waits for the replica."
    )
    redis_url: str = Field(
        default="redis://localhost:6379/0",
        validation_alias="REDIS_URL",
        description="The broker: redis:// or redis+socket:///path.",
    )
    data_dir: Path = Field(
        default=Path("karat-data"), description="Images, pixels, artifacts and unfinished work."
    )
    frontend_dir: Path | None = Field(
        default=None, description="Built single-page app; frontend/dist of the checkout if unset."
    )
    session_days: int = Field(default=14, ge=1, description="Life of a browser session, in days.")
    secure_cookies: bool = Field(
        default=False, description="Send the session cookie over https only."
    )
    login_attempts: int = Field(
        default=10,
        ge=1,
        description="Failed logins of one account from one address before it has to wait there.",
    )
    login_attempts_per_account: int = Field(
        default=100, ge=1, description="The same from all addresses together."
    )
    login_attempts_per_address: int = Field(
        default=100, ge=1, description="The same for all accounts tried from one address."
    )
    login_wait_seconds: int = Field(
        default=900, ge=1, description="How long failed logins are counted, and how long to wait."
    )
    second_factor: Literal["optional", "admins", "everybody"] = Field(
        default="optional", description="Whose passwords need a second factor."
    )
    oidc_issuer: str | None = Field(
        default=None, description="Provider of single sign-on (OpenID Connect), as it calls itself."
    )
    oidc_client_id: str | None = Field(
        default=None, description="What the provider calls this installation."
    )
    oidc_client_secret: SecretStr | None = Field(
        default=None, description="What Karat proves that with; none for a public client."
    )
    oidc_name: str | None = Field(
        default=None, max_length=40, description="What the button for single sign-on says."
    )
    oidc_scopes: str = Field(
        default="openid,profile,email", description="What the provider is asked for."
    )
    oidc_groups_claim: str = Field(
        default="groups", description="Where the provider says groups; dots lead inwards."
    )
    oidc_roles: str | None = Field(
        default=None,
        description="Which groups have which role; roles are left as they are if unset.",
    )
    oidc_default_role: Literal["annotator", "engineer", "none"] = Field(
        default="annotator", description="Role of those in no such group; none keeps them out."
    )
    oidc_unverified_emails: bool = Field(
        default=False, description="Believe addresses that the provider does not call verified."
    )
    oidc_token_days: int = Field(
        default=30,
        ge=0,
        le=3650,
        description="Days without single sign-on after which its people's API tokens open nothing.",
    )
    oidc_only: bool = Field(
        default=False, description="Let nobody in by password; admins on the server aside."
    )
    token_days: int = Field(
        default=90, ge=1, le=3650, description="Life of a new API token, unless asked otherwise."
    )
    token_max_days: int | None = Field(
        default=None, ge=1, le=3650, description="Longest life of any API token; any if unset."
    )
    token_requests: int = Field(
        default=6000, ge=0, description="Requests with one API token in a minute; 0: any number."
    )
    trusted_proxies: str | None = Field(
        default=None,
        # The second is what uvicorn calls it.
        validation_alias=AliasChoices("KARAT_TRUSTED_PROXIES", "FORWARDED_ALLOW_IPS"),
        description="Addresses of proxies, whose X-Forwarded-For says who calls.",
    )
    allowed_hosts: str | None = Field(
        default=None, description="Names that Karat is called by; any if unset."
    )
    connections_per_address: int = Field(
        default=512, ge=1, description="Connections that one address may hold, proxies aside."
    )
    max_upload_bytes: int = Field(
        default=64 * 2**30, ge=1, description="Largest upload accepted, in bytes."
    )
    max_weights_bytes: int = Field(
        default=8 * 2**30, ge=1, description="Largest file of weights accepted, in bytes."
    )
    upload_days: float = Field(
        default=7.0, gt=0, description="How long a failed import's upload is kept for a retry."
    )
    max_image_pixels: int = Field(
        default=64_000_000, ge=1, description="Largest image decoded, in pixels (width × height)."
    )
    max_text_bytes: int = Field(
        default=1_000_000, ge=1, description="Longest text imported, in bytes of UTF-8."
    )
    disk_low_bytes: int = Field(
        default=2**30, ge=0, description="Room on the disk below which what is large waits."
    )
    disk_reserve_bytes: int = Field(
        default=128 * 2**20, ge=0, description="Room set aside for answers on a full disk."
    )
    database_pool: int = Field(
        default=10, ge=1, description="Database connections per API process."
    )
    heartbeat_seconds: float = Field(
        default=2.0, gt=0, description="How often a running job says that it is alive."
    )
    stale_seconds: float = Field(
        default=15.0, gt=0, description="Silence after which a running job is taken over."
    )
    sweep_seconds: float = Field(
        default=5.0, gt=0, description="How often undelivered and abandoned jobs are looked for."
    )
    import_turn_seconds: float = Field(
        default=20.0,
        ge=0,
        description="How long an import goes on while other projects wait to begin one.",
    )
    scoring_rows: int = Field(
        default=131_072,
        ge=1,
        description="How many images are scored at a time, by one worker, in its memory.",
    )
    training_processes: int = Field(
        default=1, ge=1, le=64, description="How many processes of a worker train a network."
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="How the API and the workers write their logs."
    )
    metrics_token: SecretStr | None = Field(
        default=None, description="Bearer token that opens /metrics to other machines."
    )
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^/\s]+[^\s]*$",
        description="Where people reach Karat; links in what webhooks are told begin with it.",
    )
    webhooks: bool = Field(
        default=True, description="Tell webhooks what happens; false where this is a copy."
    )
    webhook_allow: str | None = Field(
        default=None,
        description="Hosts, addresses and networks that webhooks may call besides public ones.",
    )
    webhook_seconds: float = Field(
        default=10.0, gt=0, le=60, description="Time that a webhook has to answer, in seconds."
    )
    judge_allow: str | None = Field(
        default=None,
        description="Hosts, addresses and networks that judges may be at besides public ones.",
    )
    secret: SecretStr | None = Field(
        default=None,
        description="What keys of judges and second factors are sealed with; a file if unset.",
    )
    alive_file: Path | None = Field(
        default=None, description="Touched by a worker or the scheduler while it lives."
    )
    import_locations: str | None = Field(
        default=None, description="Buckets and folders that images may be taken from."
    )
    storage_url: str | None = Field(
        default=None, description="Bucket for images and artifacts, as s3://bucket/folder."
    )
    s3_endpoint: str | None = Field(
        default=None, description="Address of an S3 server that is not Amazon's."
    )
    s3_public_endpoint: str | None = Field(
        default=None, description="The same as browsers reach it, where that differs."
    )
    s3_region: str | None = Field(default=None, description="Region of the buckets.")
    s3_redirect: bool = Field(
        default=True, description="Send browsers to the bucket; else images pass through the API."
    )
    signed_url_seconds: int = Field(
        default=900, ge=60, le=604_800, description="How long a link into a bucket is good for."
    )

    @model_validator(mode="after")
    def _locations(self) -> Self:
        """Refuse what is no location when a process starts, and not when it is needed."""
        try:
            _ = self.import_places
        except DomainError as error:
            raise ValueError(f"KARAT_IMPORT_LOCATIONS: {error.detail}") from error
        try:
            place = self.storage_place
        except DomainError as error:
            raise ValueError(f"KARAT_STORAGE_URL: {error.detail}") from error
        if place is not None and place.scheme != "s3":
            raise ValueError("KARAT_STORAGE_URL: name a bucket; folders are KARAT_DATA_DIR.")
        return self

    @model_validator(mode="after")
    def _provider(self) -> Self:
        """Refuse half a provider when a process starts."""
        if self.oidc_issuer is None:
            if self.oidc_only:
                raise ValueError("KARAT_OIDC_ONLY: name the provider in KARAT_OIDC_ISSUER.")
            return self
        if not self.oidc_client_id:
            raise ValueError("KARAT_OIDC_CLIENT_ID: it belongs to KARAT_OIDC_ISSUER.")
        if "openid" not in self.oidc_scopes.replace(",", " ").split():
            raise ValueError("KARAT_OIDC_SCOPES: openid has to be among them.")
        require_secure(self.oidc_issuer)
        read_roles(self.oidc_roles)
        return self

    @field_validator(
        "database_read_url", "oidc_issuer", "oidc_client_id", "oidc_client_secret", "oidc_name",
        "oidc_roles", "secret",
        mode="before",
    )  # fmt: skip
    @classmethod
    def _named(cls, value: object) -> object:
        """Take what Compose sets to nothing as not set."""
        text = value.get_secret_value() if isinstance(value, SecretStr) else value
        return None if isinstance(text, str) and not text.strip() else value

    @property
    def provider(self) -> Provider | None:
        """What begins with ``oidc_``, read; None without single sign-on."""
        if self.oidc_issuer is None or self.oidc_client_id is None:
            return None
        secret = self.oidc_client_secret
        return Provider(
            issuer=self.oidc_issuer,
            client_id=self.oidc_client_id,
            client_secret=secret.get_secret_value() if secret else None,
            scopes=" ".join(self.oidc_scopes.replace(",", " ").split()),
            groups_claim=self.oidc_groups_claim,
            roles=read_roles(self.oidc_roles),
            default_role=None if self.oidc_default_role == "none" else Role(self.oidc_default_role),
            unverified_emails=self.oidc_unverified_emails,
        )

    @property
    def import_places(self) -> tuple[Location, ...]:
        """``import_locations``, read."""
        return parse_all(self.import_locations)

    @property
    def storage_place(self) -> Location | None:
        """``storage_url``, read."""
        return Location.parse(self.storage_url) if self.storage_url else None

    @field_validator("trusted_proxies")
    @classmethod
    def _addresses(cls, value: str | None) -> str | None:
        networks(value)
        return value

    @property
    def proxies(self) -> tuple[Network, ...]:
        """``trusted_proxies``, read."""
        return networks(self.trusted_proxies)

    @property
    def hosts(self) -> frozenset[str]:
        """``allowed_hosts``, read; none allows any."""
        named = (self.allowed_hosts or "").split(",")
        return frozenset(name.strip().lower() for name in named if name.strip())

    @field_validator("secret")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < 32:
            raise ValueError("KARAT_SECRET: take at least 32 letters, as of: openssl rand -hex 32")
        return value

    @field_validator("webhook_allow", "judge_allow")
    @classmethod
    def _readable(cls, value: str | None) -> str | None:
        Allowed.parse(value)
        return value

    @property
    def allowed(self) -> Allowed:
        """``webhook_allow``, read."""
        return Allowed.parse(self.webhook_allow)

    @property
    def judges_allowed(self) -> Allowed:
        """``judge_allow``, read."""
        return Allowed.parse(self.judge_allow)

    @property
    def sqlalchemy_url(self) -> str:
        """``database_url`` with the psycopg driver named, as SQLAlchemy wants it."""
        return sqlalchemy_url(self.database_url)

    @property
    def libpq_url(self) -> str:
        """``database_url`` as libpq (psycopg without SQLAlchemy) wants it."""
        return libpq_url(self.sqlalchemy_url)


@lru_cache
def settings() -> Settings:
    """The process's settings."""
    return Settings()
