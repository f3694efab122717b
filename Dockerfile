# The service in a container: docker build -t tersely . && docker run -e TERSELY_TOKEN=... -p 8017:8017 tersely
FROM python:3.11-slim AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY tersely ./tersely
RUN pip install --no-cache-dir --prefix=/installed '.[serve]'

FROM python:3.11-slim
COPY --from=build /installed /usr/local
RUN useradd --create-home tersely
WORKDIR /home/tersely
USER tersely
EXPOSE 8017
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8017/readyz', timeout=4)"]
ENTRYPOINT ["tersely", "serve", "--host", "0.0.0.0"]
