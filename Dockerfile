# Strata as an image: the command `strata`, as a user of its own, writing to /data alone.
FROM python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    ORT_DISABLE_TELEMETRY=1 \
    HOME=/tmp \
    STRATA_DATA_DIR=/data \
    STRATA_MODELS_DIR=/models

# What the embedded model's library links to; what reads Git repositories.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git libgomp1 openssh-client \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --uid 10001 --no-create-home strata \
    && mkdir /data /models \
    && chown strata /data /models

WORKDIR /app
COPY requirements requirements
RUN python -m pip install --require-hashes --requirement requirements/base.txt

COPY pyproject.toml README.md LICENSE strata_client.py ./
COPY ingestion ingestion
COPY corpora corpora
COPY prompts prompts
COPY chatbot chatbot
COPY eval eval
COPY ui ui
# Nothing can be written later, and without bytecode each start would compile everything.
RUN python -m pip install --no-deps --editable . \
    && python -m compileall -q .

USER 10001
VOLUME ["/data", "/models"]
EXPOSE 8501
# The health of the page's port; a worker has none and switches this off.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8501/api/v1/health')"]
ENTRYPOINT ["strata"]
CMD ["serve", "--no-worker"]
