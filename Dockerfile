# Kernel29 with the versions of the lock, run as a user who is not root. The project is yours and
# lies on your disk:
#   docker build -t kernel29 .
#   docker run --rm -v "$PWD/my-project:/project" kernel29 init .
#   docker run --rm -v "$PWD/my-project:/project" kernel29 build
# Keys of providers: --env OPENAI_API_KEY. Files belong to user 1000; another: --user "$(id -u)".
FROM python:3.13-slim AS made
RUN pip install --no-cache-dir "uv>=0.13,<0.14"
WORKDIR /source
COPY . .
ENV UV_PROJECT_ENVIRONMENT=/opt/kernel29
RUN uv sync --no-dev --no-editable --extra team --extra gemini --extra bedrock --extra vertex

FROM python:3.13-slim
COPY --from=made /opt/kernel29 /opt/kernel29
RUN useradd --create-home --uid 1000 kernel29 && mkdir /project && chown kernel29 /project
ENV PATH=/opt/kernel29/bin:$PATH HOME=/home/kernel29 PYTHONUNBUFFERED=1
USER kernel29
WORKDIR /project
VOLUME /project
ENTRYPOINT ["kernel29"]
CMD ["--help"]
