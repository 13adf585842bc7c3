# Pinned by digest; how they are renewed: docs/operations.md.
ARG NODE_IMAGE=node:24-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df
ARG PYTHON_IMAGE=python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea
FROM ${NODE_IMAGE} AS frontend
WORKDIR /build/frontend
COPY frontend/package.json frontend/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY docs/algorithms /build/docs/algorithms
COPY frontend ./
RUN npm run build

FROM ${PYTHON_IMAGE} AS packages
WORKDIR /build
# Whoever runs it may write no bytecode: without any, every start would compile PyTorch.
ENV UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1 VIRTUAL_ENV=/opt/karat
COPY requirements ./requirements
RUN python -m venv /opt/karat && pip install --no-cache-dir --require-hashes -r requirements/uv.txt
# What was tested, by hash; torch is most of it, the tools for tests next to nothing.
# But for the one that writes HEIC: it brings an encoder under the GPL.
RUN uv pip sync --no-cache --require-hashes requirements/lock.txt && uv pip uninstall pillow-heif
COPY pyproject.toml README.md LICENSE ./
COPY api ./api
COPY core ./core
COPY karat ./karat
COPY migrations ./migrations
COPY models ./models
COPY workers ./workers
RUN uv pip install --no-cache --no-deps --no-build-isolation .

FROM ${PYTHON_IMAGE}
RUN useradd --uid 10001 --user-group --no-create-home karat && install -d -o karat -g karat /data /backups
COPY --from=packages /opt/karat /opt/karat
COPY --from=frontend /build/frontend/dist /app/frontend/dist
COPY migrations /app/migrations
ENV PATH=/opt/karat/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    OMP_WAIT_POLICY=PASSIVE \
    KARAT_DATA_DIR=/data \
    KARAT_FRONTEND_DIR=/app/frontend/dist
WORKDIR /app
USER 10001:10001
VOLUME /data
EXPOSE 8080
CMD ["python", "-m", "api", "--host", "0.0.0.0", "--port", "8080"]
